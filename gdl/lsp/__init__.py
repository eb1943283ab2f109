"""What does an editor show while a game is written? A language server; `server.py` speaks the protocol."""
