"""Small things at the bottom: the clock is aware, settings are frozen and bounded."""

from datetime import UTC, timedelta
from pathlib import Path

import pytest
from pydantic import ValidationError

from recollect import limits
from recollect.clock import system_clock
from recollect.settings import Settings


@pytest.fixture(autouse=True)
def _no_settings_around(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the environment of the test run says, these tests start without it."""
    for field in Settings.model_fields:
        monkeypatch.delenv(f"RECOLLECT_{field.upper()}", raising=False)


def test_the_clock_is_aware_and_in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever zone the machine is in."""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert system_clock().tzinfo is UTC
    assert system_clock().utcoffset() == timedelta(0)


def test_settings_work_without_any_being_given() -> None:
    """Every field has a default, a description and a bound type."""
    settings = Settings()
    assert settings.host == "127.0.0.1"
    for name, field in Settings.model_fields.items():
        assert not field.is_required(), name
        assert field.description, name


def test_settings_cannot_be_changed() -> None:
    """Read once, handed down."""
    with pytest.raises(ValidationError):
        Settings().port = 1  # type: ignore[misc]


def test_settings_come_from_the_environment_and_options_win(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`RECOLLECT_PORT`, then what the command line says."""
    monkeypatch.setenv("RECOLLECT_PORT", "9000")
    monkeypatch.setenv("RECOLLECT_DATA", str(tmp_path))
    assert Settings().port == 9000
    assert Settings().data == tmp_path
    assert Settings(port=9001).port == 9001


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("port", "-1"),
        ("port", "65536"),
        ("workers", "-1"),
        ("readers", "0"),
        ("job_attempts_max", "0"),
        ("job_backoff_first_s", "0"),
        ("log_level", "loud"),
        ("api_key", ""),
        ("api_key", "has a space in it"),
    ],
)
def test_a_setting_out_of_bounds_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    """At start, with the name of the field."""
    monkeypatch.setenv(f"RECOLLECT_{name.upper()}", value)
    with pytest.raises(ValidationError, match=name):
        Settings()


def test_a_secret_does_not_show() -> None:
    """Printing the settings never prints the key."""
    settings = Settings(api_key="a-very-secret-key")
    assert "a-very-secret-key" not in repr(settings)
    assert "a-very-secret-key" not in str(settings.model_dump())


def test_every_limit_is_a_positive_number() -> None:
    """A bound of nothing would be no bound."""
    bounds = {name: value for name, value in vars(limits).items() if name.isupper()}
    assert len(bounds) > 20
    for name, value in bounds.items():
        assert isinstance(value, int | float), name
        assert value > 0, name
