"""When native code gives up: the rules break, or a fraction outgrows its registers."""

from __future__ import annotations


class KernelFault(Exception):
    """The textbook version must do it: it says what is wrong, or finds that nothing is."""
