"""What facts are about, so that those on one topic are found together: a theme, told by any of its
words, or one person or thing, told by its name."""

from collections.abc import Iterable

from recollect.graph import gist

# The words of themes that come up again and again in people's lives: mostly those that mean nothing
# else, as "book" and "application" do.
_WORDS = {
    "running": "run ran running runner jog jogging marathon treadmill parkrun",
    "cycling": "bike bicycle cycling cyclist biking",
    "swimming": "swim swam swimming swimmer",
    "the gym": "gym workout weightlifting deadlift crossfit",
    "yoga": "yoga pilates meditation meditate meditated",
    "hiking": "hike hiking trek trekking",
    "coffee": "coffee espresso latte cappuccino caffeine decaf",
    "tea": "tea matcha chai",
    "alcohol": "alcohol beer wine whisky whiskey cocktail hangover",
    "smoking": "smoking cigarette vape vaping nicotine",
    "food and diet": "diet calorie vegetarian vegan gluten keto",
    "cooking": "cook cooking bake baking recipe",
    "sleep": "sleep slept asleep insomnia nap bedtime",
    "pain": "pain ache hurt sore injury injured injure",
    "headaches": "headache migraine",
    "the boss": "boss supervisor",
    "stress": "stress stressed burnout overwhelmed anxious anxiety",
    "money": "money budget debt savings mortgage loan",
    "reading": "novel audiobook",
    "music": "music concert album guitar piano",
    "films and series": "movie cinema",
    "games": "videogame gaming chess",
    "the garden": "garden gardening tomato seedling",
    "travel": "trip travel flight vacation holiday airport",
    "learning a language": "duolingo vocabulary",
    "the house": "renovation landlord kitchen bathroom",
    "exams and study": "exam homework lecture thesis",
    "job hunting": "recruiter",
}
_THEME_OF = {gist.stem(word): theme for theme, said in _WORDS.items() for word in said.split()}
# Names of things that say nothing about what is talked about.
_GENERAL = frozenset(
    gist.stem(word)
    for word in """
    afternoon answer bit bunch day evening everyone everything fact front help home hour idea issue
    kind life line lot minute moment month morning name night number one part people person place
    plan point problem question reason side someone something stuff thing time today tomorrow tonight
    top type way week weekend work year yesterday
    """.split()  # noqa: SIM905 - a list of one word per line hides the words
)
_NAME_CHARS_MIN = 3


def themes(text: str) -> frozenset[str]:
    """The themes whose words a sentence says."""
    return frozenset(_THEME_OF[word] for word in gist.words(text) if word in _THEME_OF)


def name_words(names: Iterable[str], owner: str) -> tuple[frozenset[str], ...]:
    """For each name of something, the words that a sentence about it says; none for a name that
    says nothing. What belongs to the *owner* is spoken of without the owner's name."""
    others = gist.words(owner)
    found = dict.fromkeys(gist.words(name) - others for name in names)
    return tuple(words for words in found if _tells(words))


def _tells(words: frozenset[str]) -> bool:
    """Whether they name something that can come up again, and no theme does so already."""
    telling = {word for word in words if len(word) >= _NAME_CHARS_MIN and word.isalpha()}
    return bool(telling - _GENERAL) and not any(word in _THEME_OF for word in words)


def names_it(text: str, called: Iterable[frozenset[str]]) -> bool:
    """Whether a sentence says one of the names."""
    said = gist.words(text)
    return any(words <= said for words in called)


def spoken(name: str) -> str:
    """A name as it stands in a sentence: "Biscuit", "the knee", "running shoes"."""
    single = name.islower() and not name.endswith(("s", "ing"))
    return f"the {name}" if single else name
