"""Undocumented means unfinished: the reference pages say what the code says."""

import pytest

from tests.docs.reference import PAGES, ROOT


@pytest.mark.parametrize("name", PAGES)
def test_reference_page_is_up_to_date(name):
    """A setting, command, route or error that is not in the committed page fails here."""
    written = (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8")
    assert written == PAGES[name](), "run `make docs`"
