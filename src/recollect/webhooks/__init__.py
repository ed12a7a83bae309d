"""Webhook delivery: which addresses may be called, how calls are signed and sent, and when to retry."""
