"""Game files below tests/ are material for tests, not games with expectations of their own."""

collect_ignore_glob = ["*.gdl"]
