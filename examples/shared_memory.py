# ruff: noqa: T201 - an example prints
"""Two people who share a memory beside their own: what one tells the team, the other's agent knows.

    .venv/bin/python examples/shared_memory.py [folder]

Everybody has a graph of their own. A graph that belongs to nobody is what they share; whatever an
agent wants both people to know goes there. What is private stays where it was told.
"""

import asyncio
import sys
import tempfile

from recollect import Memory

TEAM = "team-apollo"


async def knows(memory: Memory, user: str, question: str) -> list[str]:
    """What one person's agent can say: from their own memory, and from the team's."""
    own = await memory.search(question, user=user, limit=2)
    shared = await memory.search(question, graph=TEAM, limit=2)
    return [str(fact) for fact in (*own, *shared)]


async def main(folder: str) -> None:
    """Ann tells the team something, and keeps something to herself; Bob asks."""
    async with Memory.open(folder) as memory:
        await memory.user("ann", first_name="Ann")
        await memory.user("bob", first_name="Bob")
        await memory.graph(TEAM)

        await memory.add("The launch of Apollo is on 12 June 2025.", graph=TEAM)
        await memory.add("Carla Mendes leads Apollo.", graph=TEAM)
        await memory.add("I am allergic to peanuts.", user="ann", name="Ann")

        for user, question in (
            ("bob", "Who leads Apollo?"),
            ("bob", "Who is allergic to peanuts?"),
            ("ann", "Who is allergic to peanuts?"),
        ):
            told = await knows(memory, user, question)
            print(f"{user} asks: {question}")
            print(f"  peanuts known: {any('peanuts' in fact for fact in told)}")
            print(f"  leader known:  {any('Carla' in fact for fact in told)}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        asyncio.run(main(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as made:
            asyncio.run(main(made))
