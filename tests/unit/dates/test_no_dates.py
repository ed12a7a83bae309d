"""Words and numbers that look like dates and are none."""

import pytest

from recollect.dates import find
from tests.unit.dates.reading import REFERENCE


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Thanks so much, it was lovely to see you!",
        "May I help you? You may not, and it may well rain.",
        "This may be wrong, one may ask.",
        "May said she would come, and April told me a joke.",
        "June is my sister.",
        "My phone number is 555-1234, the order number 88-2019.",
        "They march to the square; we joined the march.",
        "We sat down in the sun and fell asleep.",
        "The sun is out, we sat there.",
        "I fall often, and prices fall too; the fall of Rome.",
        "A spring roll and a hot spring.",
        "Give me a second round, for the second time.",
        "Version 3.11.7, 2.0.1 and v1.2 are out.",
        "Call 555-123-4567 or (555) 123-4567.",
        "It costs $2000, €5.12 or 2,000 dollars.",
        "We have 24/7 support and 5 stars.",
        "It got 4/5 stars, a 9/10 from me.",
        "1/2 cup of sugar and 3/4 teaspoon of salt.",
        "The score was 3-2 and the ratio 16:9.",
        "See room 2019 and page 1984; 2000 people came.",
        "I have 2 dogs and 3 cats.",
        "My locker combination is 31-7-22, the code of the safe is 12-4-36.",
        "I'm 25 years old and have a 5-year-old son.",
        "She is in her 30s.",
        "Chapter 12, section 3.4.",
        "He is on the 5th floor, on the first try.",
        "The server is 192.168.0.1:8080.",
        "Mortgages were at 6.45 percent.",
        "It's a 50/50 chance.",
        "One day I will be rich. Have a nice day! Good morning, good night.",
        "The day I met him; the week was hard; day by day.",
        "Every now and then, back in the day, these days.",
        "See https://example.com/2020/05/17/news and mail a2020@example.com.",
        "Order ABC-12345-A1B2C3 and #2020.",
        "when I was ten",
        "A film in 3D, shown at the 2002 Winter Olympics.",
        "What kind of winter clothes do I need?",
        "In my early 30s I had a 2015 Honda.",
        "Rome wasn't finished.",
        "What is the sale by year?",
        "We've reached the end of the line.",
        "I love Tolstoy's novels and their first chapters.",
        "日本語のテキストです。",
        "Привет, как дела?",
        "🎉🎉🎉",
    ],
)
def test_nothing_is_found_where_no_time_is_named(text: str) -> None:
    assert [when.text for when in find(text, reference=REFERENCE)] == []
