"""What clients of generation 4 speak, under `/api/v4`."""
