"""Which tree does a game have, or did a search walk, and what of it is drawn? The drawing itself is the
matter of `gdl/draw/tree/`."""
