"""The models: local ones and their weights, and the client of a language model."""
