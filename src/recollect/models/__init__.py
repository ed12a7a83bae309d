"""Local models: which weights, where from, whether they are whole."""
