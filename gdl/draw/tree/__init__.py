"""How does a game tree become a picture? A tree is public data (`tree.py`); `scene.py` says where everything
stands, and there is one file per format. Nothing here knows a game, an engine or a solver."""
