"""Instances that record what is done to them, for a manager with a clock that tests control."""

import asyncio

from prometheus_client import CollectorRegistry

from recollect.episodic_memory.manager import InstanceManager, MemoryMetrics, MetricsFactory


class Broken(Exception):
    """Raised by a factory or a close that a test tells to fail."""


class Noted:
    """An instance that counts its holders, and complains if it is closed wrongly."""

    def __init__(self, key: str, *, close_fails: bool = False) -> None:
        self.key = key
        self.users = 0
        self.closed = 0
        self.wrong: list[str] = []
        self._close_fails = close_fails

    async def close(self) -> None:
        """Must be called once, and not while someone uses the instance."""
        if self.users:
            self.wrong.append("closed in use")
        if self.closed:
            self.wrong.append("closed twice")
        self.closed += 1
        if self._close_fails:
            raise Broken("close")


class Bench:
    """A manager with everything it created, a clock that is moved by hand, and planned failures."""

    def __init__(self, *, capacity: int = 3, life_s: float = 10.0, wait_s: float = 0.05) -> None:
        self.registry = CollectorRegistry()
        self.seconds = 0.0
        self.made: list[Noted] = []
        self.fail_create = False
        self.fail_close = False
        self.gate: asyncio.Event | None = None  # creating an instance waits for it
        self.manager: InstanceManager[Noted] = InstanceManager(
            self.create,
            capacity=capacity,
            life_s=life_s,
            wait_s=wait_s,
            metrics=MemoryMetrics(MetricsFactory(self.registry)),
            now=lambda: self.seconds,
        )

    async def create(self, key: str) -> Noted:
        """The factory."""
        if self.gate is not None:
            await self.gate.wait()
        if self.fail_create:
            raise Broken(f"create {key}")
        instance = Noted(key, close_fails=self.fail_close)
        self.made.append(instance)
        return instance

    @property
    def open(self) -> list[Noted]:
        """The instances that are not closed."""
        return [one for one in self.made if not one.closed]

    def gauge(self, name: str) -> float:
        """The value of a gauge."""
        value = self.registry.get_sample_value(f"recollect_memory_{name}")
        assert value is not None
        return value

    def complaints(self) -> list[str]:
        """Everything that was done wrongly to any instance."""
        return [wrong for one in self.made for wrong in one.wrong]


class Holder:
    """A task that holds an instance until it is told to leave."""

    def __init__(self, manager: InstanceManager[Noted], key: str) -> None:
        self.key = key
        self.instance: Noted | None = None
        self.error: BaseException | None = None
        self._leave = asyncio.Event()
        self.task = asyncio.create_task(self._run(manager))

    async def _run(self, manager: InstanceManager[Noted]) -> None:
        try:
            async with manager.hold(self.key) as instance:
                self.instance = instance
                instance.users += 1
                try:
                    if instance.closed:
                        instance.wrong.append("handed out closed")
                    await self._leave.wait()
                finally:
                    instance.users -= 1
        except Exception as error:  # noqa: BLE001 - the test looks at it
            self.error = error

    async def leave(self) -> None:
        """Release the instance, or stop waiting for it."""
        self._leave.set()
        await settle()
        if not self.task.done():
            self.task.cancel()
            await settle()


async def settle() -> None:
    """Let every task run as far as it can: until nothing is ready, twice in a row."""
    ready = asyncio.get_running_loop()._ready  # type: ignore[attr-defined]
    quiet = 0
    while quiet < 2:
        await asyncio.sleep(0)
        quiet = 0 if ready else quiet + 1
