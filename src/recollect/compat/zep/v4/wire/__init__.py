"""What clients of Zep v4 send and are sent, noun by noun."""
