"""Everything that can be asked of a store, by noun: typed methods, each a statement of the same name."""
