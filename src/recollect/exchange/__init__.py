"""Carrying memory between stores: our own files, and what other memories write of theirs."""
