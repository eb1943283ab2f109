"""What was written? From text to the syntax tree, and back to canonical text."""

from gdl.syntax.parse import parse, parse_expression

__all__ = ["parse", "parse_expression"]
