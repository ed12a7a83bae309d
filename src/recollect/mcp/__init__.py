"""The Model Context Protocol: tools, resources and prompts over the use cases."""
