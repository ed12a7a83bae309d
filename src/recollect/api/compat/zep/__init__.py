"""`/api/v2` as clients of generation 2 (sessions, groups) and 3 (threads, graphs) speak it."""
