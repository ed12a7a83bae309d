"""The extras of the distribution: what each installs, and the message if it is missing."""

from contextlib import suppress
from importlib.util import find_spec

MODULES = {
    "llm": ("openai",),
    "mcp": ("httpx2", "jwt", "mcp"),
    "otel": ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http"),
    "postgres": ("psycopg",),
    "server": ("httptools", "starlette", "swagger_ui", "uvicorn", "uvloop"),
}


def missing(extra: str) -> str | None:
    """What to install, in one sentence; None if it is installed. Nothing is imported to find out."""
    absent = [module for module in MODULES[extra] if not _is_there(module)]
    if not absent:
        return None
    names = ", ".join(absent)
    return (
        f"this needs the extra `{extra}` of recollectdb, of which {names} is not installed: "
        f"run `pip install '.[{extra}]'` in the checkout"
    )


def _is_there(module: str) -> bool:
    with suppress(ModuleNotFoundError):  # its parent package is missing
        return find_spec(module) is not None
    return False
