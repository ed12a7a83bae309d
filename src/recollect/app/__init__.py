"""Use cases: the only thing surfaces call."""
