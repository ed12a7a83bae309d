"""`make eval`: how good the embedded extractor is, on public data with human labels."""
