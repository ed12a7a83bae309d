"""The drawing of the house shows the house as it is."""

from scripts import draw_house


def test_the_drawing_is_up_to_date() -> None:
    """A package, a layer or an import that the picture does not show fails here."""
    committed = draw_house.PICTURE.read_text(encoding="utf-8")
    assert committed == draw_house.draw(), "run `make drawing`"
