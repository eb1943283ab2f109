"""From the syntax tree to the checked Model."""

# Imported for their handlers of expressions.
from gdl.check import arithmetic, calls, collections, logic, names  # noqa: F401
from gdl.check.from_syntax import check

__all__ = ["check"]
