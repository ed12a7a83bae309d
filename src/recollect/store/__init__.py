"""Where everything is kept: one protocol, and the stores that keep it."""
