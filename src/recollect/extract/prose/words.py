"""The English that the rules need: closed lists of common words, and inflection."""

from recollect.graph.gist import listed as listed
from recollect.graph.name_mentions import MONTHS_DAYS as MONTHS_DAYS

FIRST = frozenset({"i", "me", "my", "mine", "myself"})
FIRST_PLURAL = frozenset({"we", "us", "our", "ours", "ourselves"})
SECOND = frozenset({"you", "your", "yours", "yourself", "yourselves"})
MALE = frozenset({"he", "him", "his", "himself"})
FEMALE = frozenset({"she", "her", "hers", "herself"})
PLURAL = frozenset({"they", "them", "their", "theirs", "themselves"})
NEUTRAL = frozenset({"it", "its", "itself"})
POINTING = frozenset({"this", "that", "these", "those"})
POSSESSIVE = frozenset(
    {"my", "our", "your", "his", "her", "their", "its", "mine", "ours", "yours", "hers", "theirs"}
)

# What people are to each other, with their gender. An entity with such a role is named after its owner.
KIN: dict[str, str] = {
    word: gender
    for gender, words in {
        "f": (
            "mother mom mum mommy mama sister daughter wife girlfriend aunt niece grandmother"
            " grandma granddaughter fiancée stepmother stepmom stepsister stepdaughter"
            " sister-in-law mother-in-law daughter-in-law ex-wife ex-girlfriend godmother nana"
            " granny"
        ),
        "m": (
            "father dad daddy papa brother son husband boyfriend uncle nephew grandfather grandpa"
            " grandson stepfather stepdad stepbrother stepson brother-in-law father-in-law"
            " son-in-law ex-husband ex-boyfriend godfather granddad"
        ),
        "": (
            "cousin sibling parent child kid baby twin spouse partner fiance fiancé friend"
            " roommate flatmate housemate neighbor neighbour boss manager coworker co-worker"
            " colleague teammate mentor therapist doctor dentist teacher coach tutor landlord"
            " tenant student client grandparent grandchild grandkid godchild toddler supervisor"
            " employee assistant trainer classmate buddy pal ex bestie lawyer accountant professor"
            " advisor counselor"
        ),
    }.items()
    for word in sorted(words.split())
}
ONLY_ONE = listed("mother father wife husband spouse girlfriend boyfriend fiancé fiance fiancée")
SAME_KIN = {
    **dict.fromkeys(("mom", "mum", "mommy", "mama"), "mother"),
    **dict.fromkeys(("dad", "daddy", "papa"), "father"),
    **dict.fromkeys(("grandma", "granny", "nana"), "grandmother"),
    **dict.fromkeys(("grandpa", "granddad"), "grandfather"),
    "kid": "child",
    "neighbour": "neighbor",
    "co-worker": "coworker",
    "bestie": "best friend",
}
PETS = listed(
    "dog cat puppy pup kitten bird parrot hamster rabbit bunny horse pony pet fish turtle snake"
    " lizard pig goat hen rooster guinea tortoise ferret gecko"
)
PEOPLE = listed(
    "man woman girl boy person guy lady people folks gentleman teen teenager adult family group"
    " team crew crowd audience couple customer guest member fan neighbor artist writer actor author"
    " musician singer doctor nurse lawyer engineer teacher"
) | frozenset(KIN)
ORGANIZATIONS = listed(
    "company firm university college school bank agency startup hospital clinic organization"
    " organisation nonprofit charity ministry department corporation church club band association"
    " foundation institute academy union office"
)
PLACES = listed(
    "city town village country house home apartment flat restaurant cafe bar park beach lake mountain"
    " river forest museum gym library airport hotel street island garden studio store shop mall"
    " theater theatre stadium trail campground farm place room kitchen yard neighborhood"
    " neighbourhood bakery market pool center centre state county"
)
HOMES = listed("home house flat apartment place")
EVENTS = listed(
    "concert wedding party conference meeting race marathon trip vacation holiday festival"
    " workshop class course show exhibition exhibit tournament game match event interview birthday"
    " ceremony parade retreat reunion appointment hike competition convention fair fundraiser"
    " graduation funeral picnic barbecue bbq dinner lunch brunch breakfast tour cruise gig recital"
    " surgery accident pregnancy breakup divorce celebration performance seminar webinar"
)
DOCUMENTS = listed(
    "book novel article paper report essay poem script blog magazine newspaper letter email e-mail"
    " song album movie film documentary series podcast screenplay story thesis journal"
)
JOBS = listed(
    "engineer teacher nurse doctor lawyer chef cook developer programmer designer manager director"
    " accountant analyst architect artist writer author journalist editor professor scientist"
    " researcher consultant pharmacist dentist surgeon veterinarian vet plumber electrician"
    " carpenter mechanic driver pilot photographer musician singer actor actress dancer barista"
    " waiter waitress bartender baker butcher farmer firefighter policeman officer soldier sailor"
    " secretary receptionist assistant librarian psychologist psychiatrist therapist counselor"
    " translator interpreter paramedic cashier clerk salesman salesperson realtor broker banker"
    " economist biologist chemist physicist mathematician historian entrepreneur founder ceo cto"
    " cfo coo president intern trainee freelancer contractor coach trainer instructor tutor judge"
    " attorney paralegal midwife optician stylist hairdresser barber gardener landscaper janitor"
    " administrator technician specialist coordinator producer filmmaker screenwriter composer"
    " recruiter supervisor lecturer principal tailor model athlete footballer banker copywriter"
    " marketer strategist planner investor landlord nanny babysitter caregiver social-worker"
)
IDENTITY = listed(
    "vegetarian vegan pescatarian married single divorced engaged pregnant diabetic intolerant"
    " widowed retired unemployed employed transgender trans gay lesbian bisexual queer straight"
    " christian muslim jewish buddhist hindu catholic atheist agnostic deaf blind autistic asthmatic"
    " celiac allergic bilingual left-handed right-handed introverted extroverted homeless disabled"
    " colorblind dyslexic american british canadian french german italian spanish swedish irish"
    " chinese japanese indian mexican brazilian polish dutch russian australian"
)

# Nouns of attributes whose value is stated with "is": "my goal is", "my number is".
ATTRIBUTES = listed(
    "number email e-mail address birthday aim wish goal dream job hobby role title plan age id budget password"
    " diagnosis major passion pick choice reason size height weight username handle nickname surname"
    " occupation profession position salary nationality religion language pet-peeve motto priority"
    " destination hometown city country school employer company department team allergy condition"
    " specialty talent weakness strength fear inspiration account code pin zip postcode status deadline"
    " appointment flight hobbies interest interests focus preference sign pronouns degree"
)

# Adjectives that say what the speaker thinks of a thing, not which thing it is.
EVALUATIVE = listed(
    "great amazing awesome nice good bad beautiful lovely cool wonderful fantastic incredible new own"
    " whole other same few many more most several such certain various different last next first"
    " terrible horrible awful best better worst favourite favorite special perfect little big huge"
    " real super fun funny cute sweet interesting exciting inspiring gorgeous stunning delicious"
    " tasty important old young long short small large able only right wrong main true crazy weird"
    " recent current latest entire fresh happy sad proud lucky brave kind tough hard easy powerful"
    " meaningful rewarding unique similar particular epic solid"
)
FEELINGS = listed(
    "fine good ok okay great well glad happy sorry sure excited sad tired bored angry afraid thrilled"
    " grateful thankful proud lucky fortunate ready busy available curious amazed impressed touched"
    " honored certain positive hopeful optimistic upset mad furious worried nervous anxious stressed"
    " overwhelmed confused surprised shocked stoked pumped psyched inspired blown down keen eager"
    " interested right wrong welcome able kidding joking swamped alright better awesome amazing nice"
    " sweet kind cool strong brave pleased delighted relieved blessed determined motivated"
)
TITLES = listed(
    "mr mrs ms miss dr prof professor doctor sir madam rev coach nurse officer captain sergeant judge"
    " frau herr madame monsieur"
)
EMPTY = listed(
    "much enough doubt mix must ride reminder blessing hurry best thing lot time way day fun stuff bit something anything everything nothing someone anyone"
    " everyone everybody somebody anybody nobody one ones kind sort type part piece bunch"
    " number point idea reason fact case moment today tomorrow yesterday tonight night morning"
    " evening afternoon week weekend month year years days hour minute second while ton tons loads"
    " lots plenty blast chance word words luck care sense hand place mind question answer problem"
    " issue matter difference effort future past end beginning rest side level all some any most both"
    " few many other others another none each half break hell god gosh wow hi hey thanks ya same here"
    " there now then meantime meanwhile pleasure honor joy love support need turn step steps process journey life"
)
STRONG_FEELINGS = listed(
    "furious livid outraged fuming devastated heartbroken terrified miserable depressed exhausted"
    " ecstatic overjoyed ashamed disgusted frustrated"
)
UNITS = listed(
    "mg milligram milligrams g gram grams kg kilo kilos kilogram kilograms ml milliliter milliliters"
    " l liter liters litre litres oz ounce ounces lb pound pounds tablet tablets pill pills capsule"
    " capsules dose doses drop drops teaspoon teaspoons tablespoon tablespoons serving servings"
)
PICTURES = listed("pic picture photo image video link screenshot recipe snap shot selfie")
LIGHT = listed(
    "lot lots bit kind sort type couple bunch piece pair number ton tons load loads plenty series set"
    " group range variety cup glass bottle slice dozen hundreds thousands some all most many few one"
    " both each any part half collection"
)

REPORTING = listed(
    "say tell mention report claim state announce explain add note admit confirm reveal reply write"
    " inform suggest declare argue insist"
)
EPISTEMIC = listed("think believe guess suppose feel know mean realize remember see hear")
UNCERTAIN = listed("hope wish doubt wonder imagine ask pretend fear expect bet assume dream")
HYPOTHETICAL = frozenset({"could", "might", "may", "would", "should", "shall", "'d"})

WISHES = listed("want wish hope like love dream aspire long aim crave")
PLANS = listed("plan intend decide arrange prepare schedule")
DECISIONS = PLANS | listed("agree promise choose commit resolve vow pledge")
STARTS = listed("start begin resume")
STOPS = listed("stop quit cease")
GOES_ON = listed("keep continue")
TASTES = listed("like love enjoy hate dislike prefer adore detest miss")


_THIRD = {"be": "is", "have": "has", "do": "does", "go": "goes"}
_GERUND = {"be": "being", "die": "dying", "lie": "lying", "tie": "tying", "see": "seeing"}
_DOUBLED = listed(
    "run swim sit get put cut hit let set stop plan shop jog bat bet beg chat clap dig drop fit grab"
    " hug knit nap nod pet pin plot quit rub ship shut skip slip snap spin split strip tap tip trap"
    " travel trip win wrap begin prefer refer commit submit admit swap drum hum log blog vlog"
)
_VOWELS = "aeiou"


def third(lemma: str) -> str:
    """The third person singular: "work" -> "works"."""
    if lemma in _THIRD:
        return _THIRD[lemma]
    if lemma.endswith(("s", "x", "z", "ch", "sh", "o")):
        return lemma + "es"
    if lemma.endswith("y") and lemma[-2:-1] not in _VOWELS:
        return lemma[:-1] + "ies"
    return lemma + "s"


def gerund(lemma: str) -> str:
    """The -ing form: "run" -> "running"."""
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
    """The possessive: "Jane" -> "Jane's", "James" -> "James'"."""
    return name + "'" if name.endswith("s") else name + "'s"
