"""Fuzzing of the front end."""
