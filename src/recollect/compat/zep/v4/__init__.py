"""The API of Zep v4's clients, under `/api/v4`."""
