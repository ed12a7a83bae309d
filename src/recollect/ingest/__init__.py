"""Ingestion: accept an episode and store it with a job in one commit; claim, run, retry and park jobs."""
