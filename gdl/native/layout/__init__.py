"""Where do variables lie? In registers, in the form that code works on, in the packed key."""
