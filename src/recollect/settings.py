"""Every setting, in one frozen object that is read once.

Each field can be given as an environment variable `RECOLLECT_<NAME>`; command line options win.
"""

import os
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


def _cache_dir() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "recollect" / "models"


class Settings(BaseSettings):
    """What an operator can choose. The defaults suit a laptop."""

    model_config = SettingsConfigDict(env_prefix="RECOLLECT_", frozen=True, extra="ignore")

    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(8000, ge=0, le=65535, description="Port to listen on; 0 takes a free one.")
    data: Path = Field(
        Path("recollect-data"), description="Folder of the embedded store; made when missing."
    )
    api_key: SecretStr | None = Field(
        None,
        min_length=1,
        max_length=512,
        description="Key of the default project. When unset, one is made on first start.",
    )
    models: Path = Field(
        default_factory=_cache_dir, description="Folder of the installed model weights."
    )
    workers: int = Field(
        2,
        ge=0,
        le=64,
        description="Workers inside `recollect serve`; 0 leaves the queue to `recollect worker`.",
    )
    readers: int = Field(4, ge=1, le=64, description="Connections that read the embedded store.")
    job_attempts_max: int = Field(
        5, ge=1, le=100, description="Tries before a failing job is parked."
    )
    job_backoff_first_s: float = Field(
        1.0, gt=0, le=3600, description="Pause before the second try; it doubles from there."
    )
    segments_bytes_max: int = Field(
        256 * 1024 * 1024, ge=0, description="Memory for search segments before the oldest go."
    )
    stop_grace_s: float = Field(
        20.0, ge=0, le=600, description="How long a stop waits for requests and jobs under way."
    )
    log_format: Literal["json", "console", "auto"] = Field(
        "auto", description="`json`, `console`, or `auto`: console on a terminal, else json."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="The least severe log line that is written."
    )

    @field_validator("api_key")
    @classmethod
    def _can_be_a_header(cls, value: SecretStr | None) -> SecretStr | None:
        text = value.get_secret_value() if value else "-"
        if not all("!" <= character <= "~" for character in text):
            raise ValueError("must be printable ASCII without spaces, to fit into a header")
        return value
