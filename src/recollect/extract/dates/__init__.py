"""Dates and times in running text, resolved against the moment it was said."""
