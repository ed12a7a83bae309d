"""Readers: they turn an episode into the entities and facts that it states."""
