"""What is known of a game that a diagram could show: best moves and values over variables of the position,
series over parameters, simulations or depth? The drawing itself is the matter of `gdl/draw/plots/`."""
