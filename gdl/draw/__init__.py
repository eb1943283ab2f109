"""How does a picture become text or SVG? Pictures are public data; nothing here knows an engine."""
