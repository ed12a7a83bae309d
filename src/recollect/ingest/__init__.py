"""The way in: accept, store with a job in one commit; claim, run, retry, park."""
