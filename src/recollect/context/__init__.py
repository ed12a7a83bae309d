"""One string for a prompt: what holds now, with the time it holds."""
