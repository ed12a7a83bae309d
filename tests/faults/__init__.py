"""What goes wrong around the server, done to it on purpose; each test states a figure."""
