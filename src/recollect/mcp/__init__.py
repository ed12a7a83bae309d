"""The Model Context Protocol: tools, resources and prompts over the routes of the API."""
