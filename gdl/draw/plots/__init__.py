"""How do numbers about a game become a diagram? A diagram is public data (`plot.py`: charts of series, maps
of positions); files beside it draw it by matplotlib or as text. Nothing here knows a game, an engine or a
solver."""
