"""`/api/v2` for clients of Zep v2 (sessions, groups) and v3 (threads, graphs)."""
