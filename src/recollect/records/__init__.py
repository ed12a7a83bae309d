"""Users, threads, graphs and what they contain: reading, changing and deleting them."""
