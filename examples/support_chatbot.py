# ruff: noqa: T201 - an example prints
"""A support bot that remembers its customer: past talks, bills, and what is said right now.

    .venv/bin/python examples/support_chatbot.py [folder]

The memory runs inside this program, in the folder or in a temporary one. The model is scripted, so
that the example runs anywhere: it answers from what the memory tells it and from nothing else. Put
a call to a real model in its place.
"""

import asyncio
import sys
import tempfile

from recollect import Memory

CUSTOMER = "lena"
SYSTEM = "You help customers of Sketchwell. This is what you know:\n"

# What was said on another day, in another thread.
EARLIER = [
    ("assistant", "Robin", "Welcome to Sketchwell, Lena. What can I do for you?"),
    ("user", "Lena", "I use the watercolour brush on my tablet. My tablet is a Slate 7."),
    ("user", "Lena", "I live in Hamburg."),
]
# What another system knows; it need not be prose.
BILLS = [
    {"date": "2024-07-01", "amount": 12.5, "status": "paid", "customer": "Lena Brandt"},
    {"date": "2024-08-01", "amount": 12.5, "status": "failed", "reason": "card expired",
     "customer": "Lena Brandt"},
]  # fmt: skip


def scripted_model(system: str, question: str) -> str:
    """Looks for the line that has most words of the question in it, as a model would by thought."""
    lines = [line.strip("- ") for line in system.removeprefix(SYSTEM).splitlines()]
    facts = [line for line in lines if line.startswith("Lena Brandt")]
    known = max(facts, key=lambda line: len(stems(question) & stems(line)), default="nothing yet")
    return f"I remember: {known.split(' (')[0]}"


def stems(text: str) -> set[str]:
    """The beginnings of the longer words of a text, so that `live` meets `lives`."""
    return {word[:3] for word in text.lower().split() if len(word.strip("?.,")) > 2}


async def answer(memory: Memory, thread: str, question: str) -> str:
    """One turn: keep what was asked, ask the memory, ask the model, keep its answer."""
    await memory.add(question, thread=thread, role="user", name="Lena")
    block = await memory.context(question, thread=thread)
    said = scripted_model(SYSTEM + block, question)
    # An assistant's own words are history of the thread; they need not be learned at once.
    await memory.add(said, thread=thread, role="assistant", name="Robin", wait=False)
    return said


async def main(folder: str) -> None:
    """Tell the memory what is known, then let the customer come back."""
    async with Memory.open(folder) as memory:
        await memory.user(CUSTOMER, first_name="Lena", last_name="Brandt")
        await memory.thread("first-talk", user=CUSTOMER)
        for role, name, text in EARLIER:
            await memory.add(
                text, thread="first-talk", role=role, name=name, created_at="2024-05-02"
            )
        for bill in BILLS:
            await memory.add(bill, user=CUSTOMER)

        await memory.thread("today", user=CUSTOMER)
        for question in ("What do I use on my tablet?", "Where do I live?"):
            print(f"Lena:  {question}")
            print(f"Robin: {await answer(memory, 'today', question)}")

        print("what the bills say:")
        for fact in await memory.search("card expired failed bill", user=CUSTOMER, limit=2):
            print(f"  {fact}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        asyncio.run(main(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as made:
            asyncio.run(main(made))
