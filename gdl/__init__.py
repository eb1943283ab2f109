"""A language for games: write the rules as text, get exact and native engines and generic solvers."""
