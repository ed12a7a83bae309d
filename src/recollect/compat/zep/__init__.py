"""`/api/v2` as clients of Zep v2 (sessions, groups) and v3 (threads, graphs) speak it."""
