"""What happens in plays? They are made by agents and people, recorded, counted, set against each other."""
