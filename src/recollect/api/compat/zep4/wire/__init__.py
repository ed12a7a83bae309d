"""What clients of generation 4 send and are sent, noun by noun."""
