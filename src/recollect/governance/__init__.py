"""Access control and erasure: projects, keys, policies, forgetting, the audit log."""
