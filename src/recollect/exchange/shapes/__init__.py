"""One module for each memory whose files are understood, each a function over a document."""
