"""Search: prepares and ranks queries over a derived, versioned, in-memory segment of each graph."""
