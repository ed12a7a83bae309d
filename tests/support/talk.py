"""A small conversation and two documents, for tests that read with the real models."""

from datetime import UTC, datetime, timedelta

from recollect.graph.types import Access, NewEpisode
from recollect.ingest import intake
from recollect.store.protocol import Store
from tests.contract.store.world import new_thread, new_user

AT = datetime(2024, 3, 1, 9, 0, tzinfo=UTC)
TURNS = (
    ("user", "Hi! My sister Emma lives in Oslo and works as a nurse."),
    ("assistant", "Nice to meet you, Jane. How old is Emma?"),
    ("user", "She is 34. Her husband is called Lars."),
    ("user", "I work at Northwind and I like hiking, pottery and chess."),
    ("assistant", "What do you do at Northwind?"),
    ("user", "I am a data engineer there since January 2022."),
    ("user", "My favourite restaurant is Da Enzo, we went there last Friday."),
    ("user", "I don't like coffee."),
    ("assistant", "Tea, then?"),
    ("user", "Yes, I love green tea."),
    ("user", "I left Northwind last week."),
    ("user", "I work at Globex now."),
    ("user", "Emma moved to Bergen."),
    ("user", "We adopted a dog named Biscuit yesterday."),
    ("user", "Biscuit is allergic to chicken."),
    ("assistant", "Poor Biscuit!"),
    ("user", "My boss is Carla Mendes. She lives in Lisbon."),
    ("user", "I will fly to Lisbon next month."),
    ("user", "I no longer play chess."),
    ("user", "No, I meant that Carla lives in Porto."),
)
DOCUMENTS = (
    '{"name": "Globex", "city": "Springfield", "employees": 250}',
    '{"name": "Globex", "city": "Shelbyville", "employees": 300}',
)


async def talk(store: Store, access: Access, user_id: str, first_name: str = "Jane") -> None:
    """Create a user who sends all of it; nothing is read yet."""
    await new_user(store, access, user_id, first_name=first_name, last_name="Smith")
    await new_thread(store, access, f"thread-{user_id}", user_id)
    messages = [
        NewEpisode(
            kind="message",
            content=content,
            role=role,
            speaker=f"{first_name} Smith" if role == "user" else None,
            created_at=AT + timedelta(days=7 * number),
        )
        for number, (role, content) in enumerate(TURNS)
    ]
    await store.write(intake.add_messages, access, f"thread-{user_id}", messages)
    documents = [
        NewEpisode(kind="json", content=content, created_at=AT + timedelta(days=300 + number))
        for number, content in enumerate(DOCUMENTS)
    ]
    await store.write(intake.add_episodes, access, user_id, None, documents)
