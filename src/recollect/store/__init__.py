"""Persistence: one store protocol and its implementations."""
