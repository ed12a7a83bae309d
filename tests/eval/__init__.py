"""`make eval`: how good extraction and search are, on public data with human labels."""
