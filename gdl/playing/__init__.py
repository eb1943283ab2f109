"""Plays: made by agents and people, recorded, counted, and set against each other."""
