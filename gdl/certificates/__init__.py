"""Certificates: answers that somebody else can check. Nothing here knows a solver."""
