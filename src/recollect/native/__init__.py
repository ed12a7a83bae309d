"""Our own routes: operation, jobs, documentation."""
