"""Every setting, in one frozen object that is read once.

Each field can be given as an environment variable `RECOLLECT_<NAME>`; command line options win.
"""

import os
from pathlib import Path
from typing import Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator
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
    mcp_hosts: str = Field(
        "",
        description="Names that `/mcp` may be asked for by, with commas between, beside `localhost`, "
        "numbers and `host`: a page elsewhere must not reach it under a name of its own.",
    )
    connections_max: int = Field(
        1_000,
        ge=1,
        le=100_000,
        description="Connections at the same time; fewer where the system allows fewer open files. "
        "When all are taken, whoever waits longest without a request makes room.",
    )
    connections_per_address_max: int = Field(
        500,
        ge=1,
        le=100_000,
        description="Connections of one address at the same time. Behind a proxy all come from the "
        "proxy's address: give it as many as there are.",
    )
    workers: int = Field(
        2,
        ge=0,
        le=64,
        description="Workers inside `recollect serve`; 0 leaves the queue to `recollect worker`.",
    )
    extraction: Literal["on", "off"] = Field(
        "on",
        description="`off` stores episodes and makes them findable, and learns nothing from them.",
    )
    judge: Literal["on", "off"] = Field(
        "on",
        description="Whether a small model judges which known facts a new one makes untrue; `off` leaves "
        "that to readers and to the table of relations.",
    )
    reader: Literal["embedded", "model", "agent"] | None = Field(
        None,
        description="Who reads episodes: `embedded`, the rules and models that come with the program; "
        "`model`, the language model at `llm_url`; `agent`, the embedded reader at once and then any "
        "agent that takes them. Unset: `model` where `llm_url` is set, else `embedded`.",
    )
    predicates: Path | None = Field(
        None, description="A file of relations that extends the built-in table of predicates."
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
    context_chars_max: int = Field(
        6_000,
        ge=2_000,
        le=1_000_000,
        description="Longest context block, in characters; about four of them make a token. A "
        "request may say otherwise.",
    )
    context_messages: int | None = Field(
        None,
        ge=1,
        le=20,
        description="How many of a thread's newest messages say what a context block is about. "
        "Unset: 4 on the routes of generation 2, 2 on those of generation 3.",
    )
    memory_window_episodes: int = Field(
        100,
        ge=1,
        le=10_000,
        description="How many of the newest episodes the short-term memory holds at most, where a "
        "memory client chose nothing else.",
    )
    memory_window_chars: int = Field(
        64_000,
        ge=1,
        le=4_000_000,
        description="How many characters those episodes have at most, all in all.",
    )
    memory_roles: Literal["any", "known"] = Field(
        "known",
        description="Which roles memory clients may give a message: `known` are user, assistant, "
        "system, tool and function, or none; `any` takes every name.",
    )
    memory_instances_max: int = Field(
        100,
        ge=1,
        le=1_000_000,
        description="Memories kept open at the same time; more only while all of them are in use.",
    )
    memory_life_s: float = Field(
        600.0, gt=0, le=86_400, description="How long a memory that nobody uses stays open."
    )
    memory_sweep_s: float = Field(
        2.0, gt=0, le=3600, description="Pause between looks for memories that nobody uses."
    )
    stop_grace_s: float = Field(
        20.0, ge=0, le=600, description="How long a stop waits for requests and jobs under way."
    )
    llm_url: str | None = Field(
        None,
        description="Base address of an OpenAI-compatible endpoint, such as "
        "`http://127.0.0.1:11434/v1`. When set, it reads the episodes.",
    )
    llm_model: str | None = Field(
        None, min_length=1, max_length=256, description="Name of the model at that endpoint."
    )
    llm_key: SecretStr | None = Field(
        None, min_length=1, max_length=4096, description="Key of that endpoint, if it wants one."
    )
    llm_timeout_s: float = Field(
        60.0, gt=0, le=600, description="Longest wait for one answer of the language model."
    )
    llm_tokens_per_hour_max: int | None = Field(
        None,
        ge=1,
        description="Tokens that may go in and come out within an hour; unset is no bound.",
    )
    llm_output_tokens_max: int = Field(
        8192, ge=64, le=1_000_000, description="Longest answer of the language model."
    )
    llm_concurrency_max: int = Field(
        4, ge=1, le=256, description="Calls of the language model at the same time."
    )
    llm_format: Literal["json_schema", "json_object"] = Field(
        "json_schema",
        description="How the endpoint is held to the form of the answer: `json_schema` (strict), "
        "or `json_object` where it knows no better.",
    )
    llm_output_tokens_name: Literal["max_completion_tokens", "max_tokens"] = Field(
        "max_completion_tokens", description="What the endpoint calls the longest answer."
    )
    llm_temperature: float | None = Field(
        None, ge=0, le=2, description="Sent when set; some models accept none but their own."
    )
    log_format: Literal["json", "console", "auto"] = Field(
        "auto", description="`json`, `console`, or `auto`: console on a terminal, else json."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="The least severe log line that is written."
    )

    @field_validator("api_key", "llm_key")
    @classmethod
    def _can_be_a_header(cls, value: SecretStr | None) -> SecretStr | None:
        text = value.get_secret_value() if value else "-"
        if not all("!" <= character <= "~" for character in text):
            raise ValueError("must be printable ASCII without spaces, to fit into a header")
        return value

    @field_validator("llm_url")
    @classmethod
    def _is_an_address(cls, value: str | None) -> str | None:
        if value is None:
            return None
        parts = urlsplit(value)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("must begin with http:// or https:// and a host")
        if parts.username is not None or parts.query or parts.fragment:
            # It is shown in messages; a key belongs where it is not.
            raise ValueError("must be a bare address: a key goes into RECOLLECT_LLM_KEY")
        return value

    @model_validator(mode="after")
    def _a_model_is_whole(self) -> Self:
        if (self.llm_url is None) != (self.llm_model is None):
            raise ValueError("llm_url and llm_model: give both, or neither")
        if self.llm_key is not None and self.llm_url is None:
            raise ValueError("llm_key: does nothing without llm_url and llm_model")
        if self.reader == "model" and self.llm_url is None:
            raise ValueError("reader: `model` needs llm_url and llm_model")
        return self

    @property
    def read_by(self) -> Literal["embedded", "model", "agent"]:
        """Who reads episodes, the default worked out."""
        return self.reader or ("embedded" if self.llm_url is None else "model")
