"""The transaction passed to a unit of work: the time, new ids, and all queries."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cached_property
from typing import TypeVar

from recollect.clock import Clock
from recollect.ids import Ids
from recollect.store.queries.agents import AgentQueries
from recollect.store.queries.answers import AnswerQueries
from recollect.store.queries.audit import AuditQueries
from recollect.store.queries.batches import BatchQueries
from recollect.store.queries.chapters import ChapterQueries
from recollect.store.queries.closings import ClosingQueries
from recollect.store.queries.collections import CollectionQueries
from recollect.store.queries.copies import CopyQueries
from recollect.store.queries.digests import DigestQueries
from recollect.store.queries.doubts import DoubtQueries
from recollect.store.queries.edits import EditQueries
from recollect.store.queries.entities import EntityQueries
from recollect.store.queries.episodes import EpisodeQueries
from recollect.store.queries.erasures import ErasureQueries
from recollect.store.queries.exchange import ExchangeQueries
from recollect.store.queries.expiries import ExpiryQueries
from recollect.store.queries.facts import FactQueries
from recollect.store.queries.features import FeatureQueries
from recollect.store.queries.graphs import GraphQueries
from recollect.store.queries.guidance import GuidanceQueries
from recollect.store.queries.index import IndexQueries
from recollect.store.queries.injections import InjectionQueries
from recollect.store.queries.items import ItemQueries
from recollect.store.queries.jobs import JobQueries
from recollect.store.queries.keys import KeyQueries
from recollect.store.queries.known import KnownQueries
from recollect.store.queries.links import LinkQueries
from recollect.store.queries.observations import ObservationQueries
from recollect.store.queries.policies import PolicyQueries
from recollect.store.queries.projects import ProjectQueries
from recollect.store.queries.queue import QueueQueries
from recollect.store.queries.readings import ReadingQueries
from recollect.store.queries.rereadings import RereadingQueries
from recollect.store.queries.session_logs import SessionLogQueries
from recollect.store.queries.soundness import SoundnessQueries
from recollect.store.queries.summaries import SummaryQueries
from recollect.store.queries.tasks import TaskQueries
from recollect.store.queries.threads import ThreadQueries
from recollect.store.queries.traces import TraceQueries
from recollect.store.queries.usage import UsageQueries
from recollect.store.queries.user_groups import UserGroupQueries
from recollect.store.queries.users import UserQueries
from recollect.store.queries.webhooks import WebhookQueries
from recollect.store.statements import Statements

T = TypeVar("T")
AtEnd = Callable[["Transaction", int, Sequence[T]], object]


class Transaction:
    """One unit of work. Ids and the current time come from here, so tests can choose them."""

    def __init__(self, statements: Statements, clock: Clock, ids: Ids) -> None:
        self._statements = statements
        self._clock = clock
        self.new_id = ids

    @cached_property
    def now(self) -> datetime:
        """The time at which this unit first asked for it, aware UTC."""
        return self._clock()

    @property
    def changes(self) -> int:
        """The number of rows written so far."""
        return self._statements.changes

    def hold(self, graph_id: int) -> None:
        """Lock a graph until the end of the transaction: what is read of it from here on stays true.

        A unit that runs concurrently with others (`store.work.beside_others`) calls this first. It does
        nothing in a store that runs one write at a time.
        """

    def hold_queue(self) -> None:
        """Lock the queue until the end of the transaction: nobody else can choose from it."""

    def at_end(self, project_id: int, then: AtEnd[T], item: T) -> None:
        """Defer work that all units of a project contend for to the end of the transaction.

        Items that several units of one commit leave for the same *then* are passed to it together, in order.
        """
        then(self, project_id, [item])

    def as_of(self, moment: datetime) -> "Transaction":
        """The same transaction at another time, to repeat a unit as of when it first ran."""
        return Transaction(self._statements, lambda: moment, self.new_id)

    @cached_property
    def agents(self) -> AgentQueries:
        return AgentQueries(self._statements)

    @cached_property
    def answers(self) -> AnswerQueries:
        return AnswerQueries(self._statements)

    @cached_property
    def audit(self) -> AuditQueries:
        return AuditQueries(self._statements)

    @cached_property
    def batches(self) -> BatchQueries:
        return BatchQueries(self._statements)

    @cached_property
    def chapters(self) -> ChapterQueries:
        return ChapterQueries(self._statements)

    @cached_property
    def closings(self) -> ClosingQueries:
        return ClosingQueries(self._statements)

    @cached_property
    def collections(self) -> CollectionQueries:
        return CollectionQueries(self._statements)

    @cached_property
    def copies(self) -> CopyQueries:
        return CopyQueries(self._statements)

    @cached_property
    def digests(self) -> DigestQueries:
        return DigestQueries(self._statements)

    @cached_property
    def doubts(self) -> DoubtQueries:
        return DoubtQueries(self._statements)

    @cached_property
    def edits(self) -> EditQueries:
        return EditQueries(self._statements)

    @cached_property
    def entities(self) -> EntityQueries:
        return EntityQueries(self._statements)

    @cached_property
    def episodes(self) -> EpisodeQueries:
        return EpisodeQueries(self._statements)

    @cached_property
    def erasures(self) -> ErasureQueries:
        return ErasureQueries(self._statements)

    @cached_property
    def exchange(self) -> ExchangeQueries:
        return ExchangeQueries(self._statements)

    @cached_property
    def expiries(self) -> ExpiryQueries:
        return ExpiryQueries(self._statements)

    @cached_property
    def facts(self) -> FactQueries:
        return FactQueries(self._statements)

    @cached_property
    def features(self) -> FeatureQueries:
        return FeatureQueries(self._statements)

    @cached_property
    def graphs(self) -> GraphQueries:
        return GraphQueries(self._statements)

    @cached_property
    def guidance(self) -> GuidanceQueries:
        return GuidanceQueries(self._statements)

    @cached_property
    def index(self) -> IndexQueries:
        return IndexQueries(self._statements)

    @cached_property
    def injections(self) -> InjectionQueries:
        return InjectionQueries(self._statements)

    @cached_property
    def items(self) -> ItemQueries:
        return ItemQueries(self._statements)

    @cached_property
    def jobs(self) -> JobQueries:
        return JobQueries(self._statements)

    @cached_property
    def keys(self) -> KeyQueries:
        return KeyQueries(self._statements)

    @cached_property
    def known(self) -> KnownQueries:
        return KnownQueries(self._statements)

    @cached_property
    def links(self) -> LinkQueries:
        return LinkQueries(self._statements)

    @cached_property
    def observations(self) -> ObservationQueries:
        return ObservationQueries(self._statements)

    @cached_property
    def policies(self) -> PolicyQueries:
        return PolicyQueries(self._statements)

    @cached_property
    def projects(self) -> ProjectQueries:
        return ProjectQueries(self._statements)

    @cached_property
    def queue(self) -> QueueQueries:
        return QueueQueries(self._statements)

    @cached_property
    def readings(self) -> ReadingQueries:
        return ReadingQueries(self._statements)

    @cached_property
    def rereadings(self) -> RereadingQueries:
        return RereadingQueries(self._statements)

    @cached_property
    def session_logs(self) -> SessionLogQueries:
        return SessionLogQueries(self._statements)

    @cached_property
    def soundness(self) -> SoundnessQueries:
        return SoundnessQueries(self._statements)

    @cached_property
    def summaries(self) -> SummaryQueries:
        return SummaryQueries(self._statements)

    @cached_property
    def tasks(self) -> TaskQueries:
        return TaskQueries(self._statements)

    @cached_property
    def threads(self) -> ThreadQueries:
        return ThreadQueries(self._statements)

    @cached_property
    def traces(self) -> TraceQueries:
        return TraceQueries(self._statements)

    @cached_property
    def usage(self) -> UsageQueries:
        return UsageQueries(self._statements)

    @cached_property
    def user_groups(self) -> UserGroupQueries:
        return UserGroupQueries(self._statements)

    @cached_property
    def users(self) -> UserQueries:
        return UserQueries(self._statements)

    @cached_property
    def webhooks(self) -> WebhookQueries:
        return WebhookQueries(self._statements)
