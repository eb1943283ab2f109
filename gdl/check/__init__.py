"""Is the text a game, and which? From the syntax tree to the checked Model, or to every mistake at once."""

# Imported for their handlers of expressions.
from gdl.check import arithmetic, calls, collections, logic, names  # noqa: F401
from gdl.check.context import Checker
from gdl.check.from_syntax import check, check_closely

__all__ = ["Checker", "check", "check_closely"]
