"""Who may do what: projects, keys, forgetting."""
