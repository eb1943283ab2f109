"""What do we say when something is wrong? Spans, codes, wording, rendering."""

from gdl.diagnostics.core import Diagnostic, GameError, Label, Severity, sort_diagnostics
from gdl.diagnostics.fixes import Edit, Fix
from gdl.diagnostics.source import Source, Span

__all__ = [
    "Diagnostic",
    "Edit",
    "Fix",
    "GameError",
    "Label",
    "Severity",
    "Source",
    "Span",
    "sort_diagnostics",
]
