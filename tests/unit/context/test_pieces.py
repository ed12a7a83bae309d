"""A context taken apart and put together again."""

import pytest

from recollect.context.blocks import ToldLine
from recollect.context.pieces import apart


def _line(text: str) -> ToldLine:
    return ToldLine(kind="fact", uuid=text, text=text)


@pytest.mark.parametrize(
    ("text", "lines", "pieces"),
    [
        pytest.param("", [], [], id="nothing"),
        pytest.param("# head", [], ["# head"], id="words of the block alone"),
        pytest.param(
            "a\n- x\n- y\nz", ["- y", "- x"], ["a\n", "- x", "\n", "- y", "\nz"], id="both"
        ),
        pytest.param("- x y\n- x", ["- x", "- x y"], ["- x y", "\n", "- x"], id="alike beginnings"),
        pytest.param("- x, - x", ["- x"], ["- x", ", ", "- x"], id="told twice"),
        pytest.param("- (x|y)*", ["- (x|y)*"], ["- (x|y)*"], id="no pattern"),
    ],
)
def test_pieces_are_the_lines_and_what_is_between(
    text: str, lines: list[str], pieces: list[str]
) -> None:
    found = apart(text, [_line(one) for one in lines])
    assert [one.text for one in found] == pieces
    assert {one.text for one in found if one.line} == set(lines)
    assert "".join(one.text for one in found) == text
