"""What do we say when something is wrong? Spans, codes, wording, rendering."""

from gdl.diagnostics.core import Diagnostic, GameError, Label, Severity, sort_diagnostics
from gdl.diagnostics.source import Source, Span

__all__ = ["Diagnostic", "GameError", "Label", "Severity", "Source", "Span", "sort_diagnostics"]
