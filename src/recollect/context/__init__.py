"""One string for a prompt: what is known, with the time it holds."""
