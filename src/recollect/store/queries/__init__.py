"""All queries of a store, by noun: typed methods, each backed by a statement of the same name."""
