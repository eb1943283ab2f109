"""From the syntax tree to the checked Model."""

from gdl.check.from_syntax import check

__all__ = ["check"]
