"""What could a diagram of a game show? Best moves and values over variables of the position, series over
parameters, simulations or depth. The drawing itself is the matter of `gdl/draw/plots/`."""
