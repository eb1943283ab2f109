"""What is a game, once checked? Typed, frozen data that engines interpret, compile and analyse."""
