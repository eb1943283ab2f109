"""Solving by turns: only positions at rest between them are kept."""
