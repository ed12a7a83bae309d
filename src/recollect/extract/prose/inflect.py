"""English verb forms: the third person, the -ing form."""

from recollect.extract.prose.listed import listed

_THIRD = {"be": "is", "have": "has", "do": "does", "go": "goes"}
_GERUND = {"be": "being", "die": "dying", "lie": "lying", "tie": "tying", "see": "seeing"}
_DOUBLED = listed(
    "run swim sit get put cut hit let set stop plan shop jog bat bet beg chat clap dig drop fit grab"
    " hug knit nap nod pet pin plot quit rub ship shut skip slip snap spin split strip tap tip trap"
    " travel trip win wrap begin prefer refer commit submit admit swap drum hum log blog vlog"
)
_VOWELS = "aeiou"


def third(lemma: str) -> str:
    """What he or she does: "work" -> "works"."""
    if lemma in _THIRD:
        return _THIRD[lemma]
    if lemma.endswith(("s", "x", "z", "ch", "sh", "o")):
        return lemma + "es"
    if lemma.endswith("y") and lemma[-2:-1] not in _VOWELS:
        return lemma[:-1] + "ies"
    return lemma + "s"


def gerund(lemma: str) -> str:
    """The activity: "run" -> "running"."""
    if lemma in _GERUND:
        return _GERUND[lemma]
    if lemma in _DOUBLED:
        return lemma + lemma[-1] + "ing"
    if lemma.endswith("ie"):
        return lemma[:-2] + "ying"
    if lemma.endswith("e") and not lemma.endswith(("ee", "oe", "ye")):
        return lemma[:-1] + "ing"
    return lemma + "ing"


def possessive(name: str) -> str:
    """Belonging to: "Jane" -> "Jane's", "James" -> "James'"."""
    return name + "'" if name.endswith("s") else name + "'s"
