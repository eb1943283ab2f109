"""How is a game solved whose positions do not all fit? By turns: only positions between them are kept."""
