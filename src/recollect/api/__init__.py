"""The HTTP surface: wire models, translation to our words, auth, status codes."""
