"""A game seen as another game: other players as chance, all others as one, nothing hidden."""
