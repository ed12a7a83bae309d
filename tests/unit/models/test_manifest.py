"""The manifest pins every byte, and the notice speaks of every weight."""

import re
from pathlib import Path, PurePosixPath

import pytest

from recollect.models import manifest
from recollect.models.manifest import WEIGHTS, Weight

MODELS = Path(manifest.__file__).parent


@pytest.mark.parametrize("weight", WEIGHTS, ids=lambda weight: weight.name)
def test_every_archive_and_file_is_pinned(weight: Weight) -> None:
    """Checksums are SHA-256, carriers have one exact version, files a size and a place inside."""
    assert re.fullmatch(r"[a-z0-9-]+==[0-9.]+", weight.carrier)
    for sha256 in (weight.archive_sha256, *(file.sha256 for file in weight.files)):
        assert re.fullmatch(r"[0-9a-f]{64}", sha256)
    for file in weight.files:
        assert file.size_bytes > 0
        assert not PurePosixPath(file.path).is_absolute()
        assert ".." not in PurePosixPath(file.path).parts


def test_no_two_files_share_a_place() -> None:
    """Each weight has a folder of its own and each file in it a path of its own."""
    places = [weight.folder(Path()) / file.path for weight in WEIGHTS for file in weight.files]
    assert len(places) == len(set(places))


@pytest.mark.parametrize("weight", WEIGHTS, ids=lambda weight: weight.name)
def test_the_notice_names_every_weight(weight: Weight) -> None:
    """Model, carrier, its version and the licence of each weight are in the notice."""
    sections = (MODELS / "NOTICE.md").read_text(encoding="utf-8").split("\n## ")
    (section,) = [section for section in sections if section.startswith(weight.name)]
    carrier, version = weight.carrier.split("==")
    assert f"Carrier: `{carrier}` {version}" in section
    assert {"MIT": "MIT", "Apache-2.0": "Apache License 2.0"}[weight.licence] in section


def test_the_notice_and_the_licence_texts_agree() -> None:
    """Every text the notice points at is there, and none lies about unmentioned."""
    named = set(re.findall(r"`(licences/[^`]+\.txt)`", (MODELS / "NOTICE.md").read_text("utf-8")))
    shipped = {f"licences/{path.name}" for path in (MODELS / "licences").iterdir()}
    assert named == shipped
