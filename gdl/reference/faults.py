"""The exception of the reference engine; its wording lives with the other diagnostics."""

from gdl.diagnostics.faults import Fault

__all__ = ["Fault"]
