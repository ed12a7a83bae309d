"""The extras of the distribution: what each installs, and what to say where it is missing."""

from importlib.util import find_spec

MODULES = {
    "llm": ("openai",),
    "mcp": ("httpx2", "mcp"),
    "server": ("httptools", "swagger_ui", "uvicorn", "uvloop"),
}


def missing(extra: str) -> str | None:
    """What to install, in one sentence; None when it is there. Nothing is imported to find out."""
    absent = [module for module in MODULES[extra] if find_spec(module) is None]
    if not absent:
        return None
    names = ", ".join(absent)
    return (
        f"this needs the extra `{extra}` of recollectdb, of which {names} is not installed: "
        f"run `pip install '.[{extra}]'` in the checkout"
    )
