"""The examples that clients know, as inputs, and the facts, times and closings they lead to."""

import json
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from tests.golden.chain import Input, Story
from tests.golden.expectations import ANY, Absent, Holds
from tests.unit.extract.ontologies import FOOD


@dataclass(frozen=True)
class Golden:
    """A story with what has to come of it, and what must not."""

    name: str
    story: Story
    expected: tuple[Holds, ...]
    unwanted: tuple[Absent, ...] = ()


def at(text: str) -> datetime:
    """A moment in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _json(value: object, moment: datetime) -> Input:
    return Input(json.dumps(value), moment, kind="json")


# Emily and PaintWiz: a furious customer, a case, and an account that cannot be charged.

EMILY_ID = "Emily0e62"
EMILY = "Emily Painter"
ACCOUNT = f"account {EMILY_ID}"
CASE = "Bug: Magic Pen Tool Drawing Goats Instead of Boats"
BILLED = at("2024-11-14T02:03:58")
REACTIVATED = at("2024-12-01T09:00:00")

_CHAT = (
    ("10:00", "assistant", "Hello Emily, welcome to PaintWiz support. How can I assist you today?"),
    ("10:02", "user", "I'm absolutely furious! Your AI art generation is completely broken!"),
    (
        "10:03",
        "assistant",
        "I'm sorry to hear that you're experiencing issues, Emily. Can you please provide more "
        "details about what's going wrong?",
    ),
    (
        "10:05",
        "user",
        "Every time I try to draw mountains, your stupid app keeps turning them into fountains! "
        "And what's worse, all the people in my drawings have six fingers! It's ridiculous!",
    ),
    (
        "10:06",
        "assistant",
        "I sincerely apologize for the frustration this is causing you, Emily. That certainly "
        "sounds like a significant glitch in our system. I understand how disruptive this can be "
        "to your artistic process. Can you tell me which specific tool or feature you're using "
        "when this occurs?",
    ),
    (
        "10:08",
        "user",
        "I'm using the landscape generator and the character creator. Both are completely messed "
        "up. How could you let this happen?",
    ),
)
_SPEAKERS = {"assistant": "SupportBot", "user": "Emily"}

_TRANSACTIONS = (
    {"date": "2024-07-30", "status": "Success"},
    {"date": "2024-08-30", "status": "Failed", "failure_reason": "Card expired"},
    {"date": "2024-09-15", "status": "Failed", "failure_reason": "Card expired"},
)
_SUPPORT = (
    (
        "14:20",
        "user",
        "Whenever I use the magic pen tool to draw boats, it ends up drawing goats instead.",
    ),
    (
        "14:22",
        "support_agent",
        "Hi Emily, that sounds like a bug! Thanks for reporting it. Could you let me know exactly "
        "how you're using the tool when this happens?",
    ),
    (
        "14:25",
        "user",
        "Sure, I select the magic pen, draw a boat shape, and it just replaces the shape with "
        "goats.",
    ),
    (
        "14:27",
        "support_agent",
        "Got it! We'll escalate this to our engineering team. In the meantime, you can manually "
        "select the boat shape from the options rather than drawing it with the pen.",
    ),
    ("14:30", "user", "Okay, thanks. I hope it gets fixed soon!"),
)


def _account(status: dict[str, str]) -> object:
    return {
        "user_id": EMILY_ID,
        "account": {"account_id": EMILY_ID, "account_status": status},
    }


def _transaction(details: dict[str, str]) -> object:
    fixed = {"amount": 99.99, "account_id": EMILY_ID, "card_last_four": "1234"}
    return {**details, **fixed}


_SUSPENDED = _account({"status": "suspended", "reason": "payment failure"})
_EMILY_DATA = (
    *(
        Input(text, at(f"2024-03-15T{time}"), role=role, speaker=_SPEAKERS[role], thread="paintwiz")
        for time, role, text in _CHAT
    ),
    *(
        _json(part, BILLED + timedelta(seconds=number))
        for number, transaction in enumerate(_TRANSACTIONS)
        for part in (_transaction(transaction), _SUSPENDED)
    ),
    _json(
        {
            "subject": CASE,
            "messages": [
                {"role": role, "content": text, "timestamp": f"2024-03-16T{time}:00Z"}
                for time, role, text in _SUPPORT
            ],
            "status": "escalated",
        },
        BILLED + timedelta(seconds=10),
    ),
)


def _emily(*more: Input) -> Story:
    return Story(
        inputs=(*_EMILY_DATA, *more),
        user_id=EMILY_ID,
        first_name="Emily",
        last_name="Painter",
        email="Emily@painters.com",
    )


def _paid(date: str, *says: str) -> Holds:
    name = f"transaction of 99.99 on {date} for {ACCOUNT}"
    return Holds(says=("99.99", date, *says), source=name, relation="HAS_STATUS", since=at(date))


EMILY_GOLDEN = Golden(
    name="Emily and PaintWiz",
    story=_emily(),
    expected=(
        Holds(says=("Emily", "furious"), source=EMILY, since=at("2024-03-15T10:02")),
        Holds(says=("SupportBot", "PaintWiz"), source="SupportBot", target="PaintWiz"),
        Holds(
            says=("PaintWiz", "AI art generation", "broken"),
            source="PaintWiz",
            target="AI art generation",
            since=at("2024-03-15T10:02"),
        ),
        Holds(
            says=("Emily", "draw mountains", "PaintWiz", "fountains"),
            source=EMILY,
            target="PaintWiz",
            since=at("2024-03-15T10:05"),
        ),
        Holds(
            says=("Emily", "manually select", "boat shape", "options"),
            source=EMILY,
            target="boat shape",
            since=at("2024-03-16T14:27"),
        ),
        Holds(says=("Emily", "people", "drawings", "six fingers"), since=at("2024-03-15T10:05")),
        Holds(
            says=("Emily", "us(es|ing)", "landscape generator"),
            source=EMILY,
            target="landscape generator",
            since=at("2024-03-15T10:08"),
        ),
        Holds(
            says=("Emily", "us(es|ing)", "character creator"),
            source=EMILY,
            target="character creator",
            since=at("2024-03-15T10:08"),
        ),
        _paid("2024-07-30", "Success"),
        _paid("2024-08-30", "Failed", "Card expired"),
        _paid("2024-09-15", "Failed", "Card expired"),
        *(
            Holds(
                says=("99.99", date),
                source=ACCOUNT,
                target=f"transaction of 99.99 on {date} for {ACCOUNT}",
                relation="HAS_TRANSACTION",
                since=at(date),
            )
            for date in ("2024-07-30", "2024-08-30", "2024-09-15")
        ),
        Holds(says=("Emily", EMILY_ID), source=EMILY, target=ACCOUNT, relation="HAS_ACCOUNT"),
        Holds(
            says=(EMILY_ID, "status", "suspended"),
            source=ACCOUNT,
            relation="HAS_STATUS",
            since=BILLED,
            episodes=3,
        ),
        Holds(says=("reason", "status", "payment failure"), source=ACCOUNT, since=BILLED),
        Holds(says=(CASE, "status", "escalated"), source=CASE),
        Holds(says=(r"^(?!.*takes part)", "draw", "goats"), since=at("2024-03-16T14:20")),
        Holds(
            says=("Emily", "select", "magic pen"),
            source=EMILY,
            target="magic pen tool",
            since=at("2024-03-16T14:25"),
        ),
        Holds(says=(CASE,), source=EMILY, target=CASE, since=at("2024-03-16T14:20")),
        Holds(says=(CASE,), source="support agent", target=CASE),
    ),
    unwanted=(
        Absent(says=("assist you",)),
        Absent(says=("provide", "details")),
        Absent(says=("let this happen",)),
        Absent(says=("let .* know",)),
        Absent(says=("gets fixed",)),
        Absent(says=("tell",)),
        Absent(says=("support agent", "furious")),
        Absent(says=("SupportBot's", "app|generation")),
        Absent(says=(r"\b(I|my|me|you|your|we|our)\b",)),
    ),
)

REACTIVATION_GOLDEN = Golden(
    name="Emily's account is opened again",
    story=_emily(_json(_account({"status": "active", "reason": "card renewed"}), REACTIVATED)),
    expected=(
        Holds(
            says=("status", "suspended"),
            source=ACCOUNT,
            relation="HAS_STATUS",
            since=BILLED,
            until=REACTIVATED,
            episodes=4,
        ),
        Holds(
            says=("reason", "payment failure"),
            source=ACCOUNT,
            relation="HAS_STATUS_REASON",
            until=REACTIVATED,
        ),
        Holds(says=("status", "active"), source=ACCOUNT, relation="HAS_STATUS", since=REACTIVATED),
        Holds(
            says=("reason", "card renewed"),
            source=ACCOUNT,
            relation="HAS_STATUS_REASON",
            since=REACTIVATED,
        ),
        _paid("2024-09-15", "Failed"),
        Holds(says=(CASE, "escalated"), source=CASE),
        Holds(says=("Emily", "landscape generator"), source=EMILY),
    ),
)

# Kendra's shoes: what breaks is liked no longer.

LOVED = at("2024-08-01T10:00")
BROKE = at("2024-08-20T18:30")


def _kendra(*said: tuple[datetime, str]) -> Story:
    return Story(
        inputs=tuple(
            Input(text, moment, role="user", speaker="Kendra", thread="shoes")
            for moment, text in said
        ),
        user_id="kendra",
        first_name="Kendra",
    )


_KENDRA = (
    Holds(
        says=("Kendra", "lov|like", "Adidas shoes"),
        source="Kendra",
        target="Adidas shoes",
        since=LOVED,
        until=BROKE,
    ),
    Holds(says=("Kendra", "Adidas shoes", "broke"), since=BROKE),
    Holds(
        says=("Kendra", "lik|prefer", "Puma shoes"),
        source="Kendra",
        target="Puma shoes",
        since=BROKE,
    ),
)

KENDRA_GOLDEN = Golden(
    name="Kendra's shoes, as she tells it",
    story=_kendra(
        (LOVED, "I love Adidas shoes!"),
        (BROKE, "I'm so angry, my Adidas shoes broke! I prefer Puma shoes now."),
    ),
    expected=_KENDRA,
    unwanted=(Absent(says=("Puma shoes", "broke")),),
)

KENDRA_TEXT_GOLDEN = Golden(
    name="Kendra's shoes, as others tell it",
    story=Story(
        inputs=(
            Input("Kendra loves Adidas shoes.", LOVED, kind="text"),
            Input(
                "Kendra is angry that her Adidas shoes broke. She likes Puma shoes now.",
                BROKE,
                kind="text",
            ),
        ),
    ),
    expected=_KENDRA,
)

# John Doe's restaurants, with the types of the guide.

JOHN = "John Doe"
_LUNCH = (
    ("user", "Take me to a lunch place"),
    ("assistant", "How about Panera Bread, Chipotle, or Green Leaf Cafe, which are nearby?"),
    ("user", "Do any of those have vegetarian options? I\u2019m vegetarian"),
    ("assistant", "Yes, Green Leaf Cafe has vegetarian options"),
    ("user", "Let\u2019s go to Green Leaf Cafe"),
    ("assistant", "Navigating to Green Leaf Cafe"),
)
_BOOK = (
    ("user", "Play the 7 habits of highly effective people"),
    ("assistant", "Playing the 7 habits of highly effective people"),
)
_DESSERT = (
    ("user", "Take me to dessert"),
    ("assistant", "How about getting some ice cream?"),
    (
        "user",
        "I can't have ice cream, I'm lactose intolerant, but I'm craving a chocolate chip cookie",
    ),
    ("assistant", "Sure, there's Insomnia Cookies nearby."),
    ("user", "Perfect, let's go to Insomnia Cookies"),
    ("assistant", "Navigating to Insomnia Cookies."),
)
_HABITS = "7 habits of highly effective people"
_NOON = at("2025-04-01T12:00")


def _talk(thread: str, start: datetime, said: tuple[tuple[str, str], ...]) -> tuple[Input, ...]:
    return tuple(
        Input(
            text,
            start + timedelta(minutes=number),
            role=role,
            speaker=JOHN if role == "user" else "Assistant",
            thread=thread,
            ignored=role == "assistant",
        )
        for number, (role, text) in enumerate(said)
    )


def _john(*inputs: Input) -> Story:
    return Story(
        inputs=inputs,
        user_id="user-john",
        first_name="John",
        last_name="Doe",
        email="john.doe@example.com",
        ontology=FOOD,
    )


_NO_ORDERS = (
    Absent(says=("Panera",)),
    Absent(says=("Chipotle",)),
    Absent(says=("lunch place",)),
    Absent(says=("Navigating",)),
)

JOHN_GOLDEN = Golden(
    name="John Doe's lunch and audiobook",
    story=_john(
        *_talk("session-1", _NOON, _LUNCH),
        *_talk("session-2", _NOON + timedelta(hours=2), _BOOK),
    ),
    expected=(
        Holds(
            says=("John Doe", "Green Leaf Cafe"),
            source=JOHN,
            target="Green Leaf Cafe",
            relation="RESTAURANT_VISIT",
            since=_NOON + timedelta(minutes=4),
            attributes={"restaurant_name": "Green Leaf Cafe"},
        ),
        Holds(
            says=("John Doe", "vegetarian"),
            source=JOHN,
            relation="DIETARY_PREFERENCE",
            since=_NOON + timedelta(minutes=2),
            attributes={"preference_type": "vegetarian", "allergy": False},
        ),
        Holds(
            says=("John Doe", "play|listen", _HABITS),
            source=JOHN,
            target=_HABITS,
            relation="AUDIOBOOK_LISTEN",
            since=_NOON + timedelta(hours=2),
            attributes={"audiobook_title": _HABITS},
        ),
    ),
    unwanted=_NO_ORDERS,
)

DESSERT_GOLDEN = Golden(
    name="John Doe's lunch and dessert",
    story=_john(
        *_talk("session-1", _NOON, _LUNCH),
        *_talk("session-2", _NOON + timedelta(hours=2), _DESSERT),
    ),
    expected=(
        Holds(
            says=("John Doe", "vegetarian"),
            source=JOHN,
            relation="DIETARY_PREFERENCE",
            attributes={"preference_type": "vegetarian"},
        ),
        Holds(
            says=("John Doe", "lactose intolerant"),
            source=JOHN,
            relation="DIETARY_PREFERENCE",
            since=_NOON + timedelta(hours=2, minutes=2),
        ),
        Holds(
            says=("John Doe", "Insomnia Cookies"),
            source=JOHN,
            target="Insomnia Cookies",
            relation="RESTAURANT_VISIT",
            since=_NOON + timedelta(hours=2, minutes=4),
            attributes={"restaurant_name": "Insomnia Cookies"},
        ),
        Holds(
            says=("John Doe", "Green Leaf Cafe"),
            source=JOHN,
            target="Green Leaf Cafe",
            relation="RESTAURANT_VISIT",
        ),
        Holds(says=("John Doe", "crav", "chocolate chip cookie"), source=JOHN),
    ),
    unwanted=(*_NO_ORDERS, Absent(says=("take", "dessert"))),
)

# Eric Clapton, from a message, a text and a record.

CLAPTON = "Eric Clapton"
_MORNING = at("2024-06-10T09:00")
BIRTHDAY = at("2025-03-30T08:00")
_FAN = (
    Input("Paul (user): I went to Eric Clapton concert last night", _MORNING),
    Input("The user is an avid fan of Eric Clapton", _MORNING + timedelta(hours=1), kind="text"),
    _json({"name": CLAPTON, "age": 78, "genre": "Rock"}, _MORNING + timedelta(hours=2)),
)

CLAPTON_GOLDEN = Golden(
    name="Eric Clapton",
    story=Story(inputs=_FAN, user_id="user123", first_name="Paul"),
    expected=(
        Holds(
            says=("Paul", "went to|attended|visited", "Eric Clapton concert"),
            source="Paul",
            day=date(2024, 6, 9),
            until=ANY,
        ),
        Holds(
            says=("Paul", "fan of Eric Clapton"),
            source="Paul",
            target=CLAPTON,
            since=_MORNING + timedelta(hours=1),
        ),
        Holds(
            says=("Eric Clapton", "age", "78"), source=CLAPTON, since=_MORNING + timedelta(hours=2)
        ),
        Holds(says=("Eric Clapton", "genre", "Rock"), source=CLAPTON, target="Rock"),
    ),
    unwanted=(Absent(says=("Paul", "78")), Absent(says=("Paul", "Rock"))),
)

OLDER_CLAPTON_GOLDEN = Golden(
    name="Eric Clapton is a year older",
    story=Story(
        inputs=(*_FAN, _json({"genre": "Rock", "age": 79, "name": CLAPTON}, BIRTHDAY)),
        user_id="user123",
        first_name="Paul",
    ),
    expected=(
        Holds(
            says=("age", "78"), source=CLAPTON, since=_MORNING + timedelta(hours=2), until=BIRTHDAY
        ),
        Holds(says=("age", "79"), source=CLAPTON, since=BIRTHDAY),
        Holds(says=("genre", "Rock"), source=CLAPTON, target="Rock", episodes=2),
        Holds(says=("fan of Eric Clapton",), source="Paul"),
    ),
)

# Jane Smith at Acme, in her own words, in a note and in a record; and her team.

JANE = "Jane Smith"
HIRED = at("2024-05-06T09:00")
_JANE = (
    Input(
        "Hi, my name is Jane Smith and I work at Acme Corp.",
        HIRED,
        role="user",
        speaker="Jane",
        thread="acme",
    ),
    Input(
        "Hello Jane! Nice to meet you. How can I help you with Acme Corp today?",
        HIRED + timedelta(minutes=1),
        role="assistant",
        speaker="AI Assistant",
        thread="acme",
    ),
    Input(
        "Jane Smith is a senior software engineer who has been with Acme Corp for 5 years.",
        HIRED + timedelta(hours=1),
        kind="text",
    ),
    _json(
        {
            "employee": {
                "name": JANE,
                "position": "Senior Software Engineer",
                "department": "Engineering",
                "projects": ["Project Alpha", "Project Beta"],
            }
        },
        HIRED + timedelta(hours=2),
    ),
)


def _jane(*more: Input) -> Story:
    return Story(
        inputs=(*_JANE, *more),
        user_id="jane-smith",
        first_name="Jane",
        last_name="Smith",
        email="jane.smith@example.com",
    )


JANE_GOLDEN = Golden(
    name="Jane Smith at Acme",
    story=_jane(),
    expected=(
        Holds(
            says=("Jane Smith", "works? at|with", "Acme Corp"),
            source=JANE,
            target="Acme Corp",
            relation="WORKS_AT",
            since=ANY,
        ),
        Holds(
            says=("Jane Smith", "Acme Corp"),
            source=JANE,
            target="Acme Corp",
            day=date(2019, 5, 6),
        ),
        Holds(says=("Jane Smith", "senior software engineer"), source=JANE),
        Holds(says=("Jane Smith", "department", "Engineering"), source=JANE, target="Engineering"),
        Holds(says=("Jane Smith", "Project Alpha"), source=JANE, target="Project Alpha"),
        Holds(says=("Jane Smith", "Project Beta"), source=JANE, target="Project Beta"),
    ),
    unwanted=(Absent(says=("help",)), Absent(says=("nice to meet",)), Absent(says=("Assistant",))),
)

MOVED = at("2025-01-13T09:00")

JANE_LEAVES_GOLDEN = Golden(
    name="Jane Smith leaves Acme",
    story=_jane(
        Input(
            "I left Acme Corp and now I work at Globex.",
            MOVED,
            role="user",
            speaker="Jane",
            thread="acme",
        )
    ),
    expected=(
        Holds(
            says=("Jane Smith", "works? at", "Acme Corp"),
            source=JANE,
            target="Acme Corp",
            until=MOVED,
        ),
        Holds(
            says=("Jane Smith", "works? at", "Globex"),
            source=JANE,
            target="Globex",
            relation="WORKS_AT",
            since=MOVED,
        ),
        Holds(says=("Jane Smith", "Project Beta"), source=JANE),
    ),
)

TEAM_GOLDEN = Golden(
    name="The engineering team",
    story=Story(
        inputs=(
            Input(
                "The engineering team is working on Project Alpha and Project Beta.",
                HIRED,
                kind="text",
            ),
        ),
    ),
    expected=(
        Holds(
            says=("engineering team", "work", "Project Alpha"), target="Project Alpha", since=HIRED
        ),
        Holds(
            says=("engineering team", "work", "Project Beta"), target="Project Beta", since=HIRED
        ),
    ),
)

# What a record says meets what was said in a conversation.

_SAID = at("2024-01-10T09:00")
_RECORDED = at("2024-02-10T09:00")
_SHIPPED = at("2024-02-12T09:00")


def _order(status: str) -> object:
    return {
        "order_id": "A-1001",
        "customer_id": EMILY_ID,
        "date": "2024-02-09",
        "status": status,
        "items": [{"sku": "brush-7", "qty": 2}],
    }


RECORDS_GOLDEN = Golden(
    name="Records and talk",
    story=Story(
        inputs=(
            Input("I live in Berlin.", _SAID, role="user", speaker="Emily", thread="talk"),
            _json({"email": "emily@painters.com", "city": "Rome", "plan": "pro"}, _RECORDED),
            _json(_order("pending"), _RECORDED),
            _json({"plan": "basic", "user_id": EMILY_ID}, _SHIPPED),
            _json(_order("shipped"), _SHIPPED),
        ),
        user_id=EMILY_ID,
        first_name="Emily",
        last_name="Painter",
        email="Emily@painters.com",
    ),
    expected=(
        Holds(
            says=("lives in Berlin",), source=EMILY, target="Berlin", since=_SAID, until=_RECORDED
        ),
        Holds(says=("lives in Rome",), source=EMILY, target="Rome", since=_RECORDED),
        Holds(says=("plan", "pro"), source=EMILY, since=_RECORDED, until=_SHIPPED),
        Holds(says=("plan", "basic"), source=EMILY, since=_SHIPPED),
        Holds(says=("status pending",), source="order A-1001", since=at("2024-02-09"), until=ANY),
        Holds(says=("status shipped",), source="order A-1001", since=at("2024-02-09")),
        Holds(says=("order A-1001",), source=EMILY, target="order A-1001", episodes=2),
        Holds(says=("qty", "brush-7", "2"), source="order A-1001", episodes=2),
    ),
)

# A new life: messages without a date of their own, moments apart, and names read in two ways.

MOVING = at("2024-05-20T10:00:10.100000")
_LATER = timedelta(microseconds=400)


def _said_by_ada(*said: tuple[datetime, str]) -> Story:
    return Story(
        inputs=tuple(
            Input(text, moment, role="user", speaker="Ada", thread="life") for moment, text in said
        ),
        user_id="ada",
        first_name="Ada",
        last_name="Berg",
    )


NOW_GOLDEN = Golden(
    name="What is so now, a moment later",
    story=_said_by_ada(
        (MOVING, "I live in Bristol. I work at Zirkon Labs."),
        (MOVING + _LATER, "I now live in Leeds. I left Zirkon Labs. I now work at Omnivia."),
    ),
    expected=(
        Holds(says=("lives in Bristol",), target="Bristol", until=MOVING + _LATER),
        Holds(says=("lives in Leeds",), target="Leeds", since=MOVING + _LATER),
        Holds(says=("works at Zirkon Labs",), target="Zirkon Labs", until=MOVING + _LATER),
        Holds(says=("works at Omnivia",), target="Omnivia", since=MOVING + _LATER),
    ),
)

TITLE_GOLDEN = Golden(
    name="A job that ends with its title",
    story=_said_by_ada(
        (MOVING, "Next Monday I start as head of analytics at Brightwave."),
        (MOVING + timedelta(days=21), "I left Brightwave last Friday."),
    ),
    expected=(
        Holds(
            says=("head of analytics",),
            target="Brightwave",
            since=at("2024-05-27"),
            until=at("2024-06-07"),
        ),
        Holds(says=("left Brightwave",), target="Brightwave", since=at("2024-06-07")),
    ),
)

HOME_GOLDEN = Golden(
    name="A new home and a dog",
    story=_said_by_ada(
        (MOVING, "I live in Bristol. My dog Biscuit is a beagle."),
        (MOVING + timedelta(days=7), "We've moved! Our new flat is in Hackney, London."),
        (MOVING + timedelta(days=8), "Poor Biscuit ate chocolate and had to see the vet."),
        (MOVING + timedelta(days=9), "Our beagle Biscuit loves cheese."),
    ),
    expected=(
        Holds(says=("Bristol",), relation="LIVES_IN", until=MOVING + timedelta(days=7)),
        Holds(says=("new flat", "Hackney"), relation="LIVES_IN", target="Hackney"),
        Holds(says=("is Ada Berg's dog",), target="Biscuit"),
        Holds(says=("chocolate",), source="Biscuit"),
        Holds(says=("cheese",), source="Biscuit"),
    ),
)

GOLDENS = (
    EMILY_GOLDEN,
    REACTIVATION_GOLDEN,
    KENDRA_GOLDEN,
    KENDRA_TEXT_GOLDEN,
    JOHN_GOLDEN,
    DESSERT_GOLDEN,
    CLAPTON_GOLDEN,
    OLDER_CLAPTON_GOLDEN,
    JANE_GOLDEN,
    JANE_LEAVES_GOLDEN,
    TEAM_GOLDEN,
    RECORDS_GOLDEN,
    NOW_GOLDEN,
    TITLE_GOLDEN,
    HOME_GOLDEN,
)
