"""Word lists written as text."""


def listed(text: str) -> frozenset[str]:
    """The words of a text, each once."""
    return frozenset(text.split())
