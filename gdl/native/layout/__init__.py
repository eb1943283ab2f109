"""Where the variables of a position lie: in registers, in the form that code works on, in the packed key."""
