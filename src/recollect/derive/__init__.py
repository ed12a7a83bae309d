"""Derived data besides the graph: readings, summaries, observations, chapters, and their index rows."""
