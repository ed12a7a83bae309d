"""Finding: plans and ranks over a derived, versioned, in-memory segment of each graph."""
