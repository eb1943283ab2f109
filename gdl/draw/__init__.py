"""Pictures of positions: what is to be seen, as text and as SVG. Reads public objects alone."""
