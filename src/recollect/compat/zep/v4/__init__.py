"""What clients of Zep v4 speak, under `/api/v4`."""
