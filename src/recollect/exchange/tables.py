"""What a file of ours holds: which columns of which tables, and what is left out and why.

A test compares this list with the schema, so that no new column can be forgotten.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from recollect.graph.types import Record

# Columns that hold uuids without referring to a row of the file's.
OWN_UUIDS = frozenset({"uuid", "entity_uuid", "task_uuid", "subject", "near", "parent", "family"})


class Table(Record):
    """One kind of record: the columns of a row by how they are written, each a list of words.

    *references* are uuids in the file and ids in the store. *left_out* are columns that the
    importing store decides for itself; *instead* are columns of the file that stand for them. *later*
    are columns that files of earlier releases lack.
    *json* is written as it is kept, byte by byte.
    """

    name: str
    put: str
    text: str = ""
    whole: str = ""
    real: str = ""
    json: str = ""
    blob: str = ""
    references: str = ""
    left_out: str = "id"
    instead: str = ""
    later: str = ""

    def columns(self) -> dict[str, Any]:
        """The type of every column in the file."""
        kinds: dict[str, Any] = {
            self.text: str | None,
            self.whole: int | None,
            self.real: float | None,
            self.json: msgspec.Raw,
            self.blob: bytes | None,
            self.references: str | None,
        }
        return {column: kind for words, kind in kinds.items() for column in words.split()}


_OF_PROJECT = "id project_id"
_OF_GRAPH = "id graph_id"

RECORDS: Mapping[str, Table] = {
    "guidance": Table(
        name="guidance",
        put="import_guidance",
        text="uuid kind scope name",
        json="value",
        whole="created_at updated_at",
        left_out="id project_id graph_id",
    ),
    "user_group": Table(
        name="user_groups",
        put="import_user_group",
        text="uuid name description",
        whole="version created_at updated_at",
        left_out=_OF_PROJECT,
    ),
    "policy_set": Table(
        name="policy_sets",
        put="import_policy_set",
        text="uuid name mode",
        json="spec",
        whole="version for_all_users created_at updated_at",
        left_out=_OF_PROJECT,
    ),
    "policy_set_version": Table(
        name="policy_set_versions",
        put="import_policy_set_version",
        text="mode",
        json="spec",
        whole="version created_at",
        references="policy_set_id",
        left_out="",
    ),
    "user_group_policy_set": Table(
        name="user_group_policy_sets",
        put="import_user_group_policy_set",
        references="group_id policy_set_id",
        left_out="",
    ),
    "collection": Table(
        name="collections",
        put="import_collection",
        text="uuid name description",
        json="metadata",
        whole="created_at updated_at",
        left_out=_OF_PROJECT,
    ),
    "document": Table(
        name="documents",
        put="import_document",
        text="uuid document_id content",
        json="metadata",
        whole="created_at updated_at",
        references="collection_id",
    ),
    "document_vector": Table(
        name="document_vectors",
        put="import_document_vector",
        blob="terms vector",
        references="document_id",
        left_out="",
    ),
    "graph": Table(
        name="graphs",
        put="import_graph",
        text="uuid kind graph_id name description time_zone",
        json="rating",
        whole="last_seq index_version created_at updated_at edits condenses folded fold_from inputs distance",
        left_out="id project_id index_epoch condensed changes",
    ),
    "user": Table(
        name="users",
        put="import_user",
        text="uuid user_id entity_uuid email first_name last_name time_zone",
        json="metadata",
        whole="disable_default_ontology thread_count created_at updated_at",
        left_out="id project_id graph_id",
    ),
    "user_group_member": Table(
        name="user_group_members",
        put="import_user_group_member",
        references="group_id user_id",
        left_out="",
    ),
    "thread": Table(
        name="threads",
        put="import_thread",
        text="uuid thread_id",
        json="metadata rating",
        whole="created_at updated_at ended_at",
        references="user_id",
        left_out="id project_id graph_id",
    ),
    "episode": Table(
        name="episodes",
        put="import_episode",
        text="uuid kind content role speaker source_description document_id task_uuid "
        "producer addressee kept_for failure",
        json="metadata extra",
        whole="seq ignored strict_ontology created_at received_at processed_at",
        later="failure",
        references="thread_id",
        left_out=_OF_GRAPH,
    ),
    "job": Table(
        name="jobs",
        put="import_job",
        text="task_uuid status error",
        whole="attempts lost created_at started_at completed_at",
        references="id",
        left_out="graph_id run",
    ),
    "feature_set_type": Table(
        name="feature_set_types",
        put="import_feature_set_type",
        text="uuid name description",
        json="tags",
        whole="is_org_level created_at",
        left_out=_OF_GRAPH,
    ),
    "feature_category": Table(
        name="feature_categories",
        put="import_feature_category",
        text="uuid set_key name prompt description",
        whole="created_at",
        references="set_type_id",
        left_out=_OF_GRAPH,
    ),
    "feature_tag": Table(
        name="feature_tags",
        put="import_feature_tag",
        text="uuid name description",
        references="category_id",
    ),
    "feature_category_off": Table(
        name="feature_categories_off",
        put="import_feature_category_off",
        text="set_key name",
        left_out="graph_id",
    ),
    "entity": Table(
        name="entities",
        put="import_entity",
        later="side",
        text="uuid name summary kind given side",
        json="labels attributes names",
        whole="is_user is_assistant created_at",
        left_out=_OF_GRAPH,
    ),
    "entity_name": Table(
        name="entity_names",
        put="import_entity_name",
        text="key",
        references="entity_id",
        left_out="graph_id",
    ),
    "user_side": Table(
        name="user_sides",
        put="import_user_side",
        text="side",
        json="names attributes",
        references="entity_id",
        left_out="",
    ),
    "fact": Table(
        name="facts",
        put="import_fact",
        later="side",
        text="uuid name fact predicate gist slot extractor side",
        json="attributes kept_against",
        whole="created_at expired_at valid_at invalid_at negated ends event_at",
        real="rating confidence",
        references="source_id target_id",
        left_out=_OF_GRAPH,
    ),
    "closing": Table(
        name="closings",
        put="import_closing",
        text="judge",
        whole="ended_at expired_at",
        real="sure",
        references="fact_id by_fact_id episode_id",
    ),
    "doubt": Table(
        name="doubts",
        put="import_doubt",
        text="judge",
        real="sure",
        references="fact_id by_fact_id episode_id",
        left_out="",
    ),
    "reading": Table(
        name="readings",
        put="import_reading",
        later="side",
        text="reader side",
        json="found",
        blob="vectors",
        whole="seq read_at",
        references="episode_id",
        left_out="graph_id remains",
    ),
    "edit": Table(
        name="edits",
        put="import_edit",
        text="kind subject near mark side walls",
        json="change",
        blob="vector",
        whole="seq at everywhere",
        later="everywhere side walls",
        left_out=_OF_GRAPH,
    ),
    "mention": Table(
        name="mentions", put="import_mention", references="entity_id episode_id", left_out=""
    ),
    "support": Table(
        name="supports",
        put="import_support",
        text="role",
        whole="span_start span_end",
        references="fact_id episode_id",
        left_out="",
    ),
    "observation": Table(
        name="observations",
        put="import_observation",
        text="uuid kind key name summary label",
        whole="start_at latest_evidence_at end_at created_at",
        references="entity_id",
        left_out=_OF_GRAPH,
    ),
    "observation_fact": Table(
        name="observation_facts",
        put="import_observation_fact",
        references="observation_id fact_id",
        left_out="",
    ),
    "summary": Table(
        name="summaries",
        put="import_summary",
        text="uuid document_id summary written",
        whole="written_count episode_count created_at updated_at covered_at",
        references="thread_id written_fact_id",
        left_out=_OF_GRAPH,
    ),
    "summary_fact": Table(
        name="summary_facts",
        put="import_summary_fact",
        references="summary_id fact_id",
        left_out="",
    ),
    "user_summary": Table(
        name="user_summaries",
        put="import_user_summary",
        text="summary basis",
        whole="episode_count updated_at",
        left_out="graph_id",
    ),
    "index_row": Table(
        name="index_rows",
        put="import_index_row",
        text="item_kind",
        whole="version",
        blob="terms vector",
        references="item_id",
        left_out="graph_id",
    ),
    "session_log": Table(
        name="session_logs",
        put="import_session_log",
        text="uuid session_id",
        json="metadata context",
        whole="feeds last_number created_at updated_at",
        references="user_id",
        left_out=_OF_PROJECT,
    ),
    "session_log_episode": Table(
        name="session_log_episodes",
        put="import_session_log_episode",
        text="type turn_id meta payload",
        whole="number",
        references="log_id",
    ),
    "agent": Table(
        name="agents",
        put="import_agent",
        text="security_domain deployment_id version",
        json="metadata",
        whole="revision",
        left_out="graph_id",
    ),
    "trace": Table(
        name="traces",
        put="import_trace",
        text="trace_id objective task_family parent family status outcome verification task_uuid",
        whole="learn_from closing_sequence ended_at revision",
        references="log_id",
        left_out="graph_id",
    ),
    "trace_event": Table(
        name="trace_events",
        put="import_trace_event",
        text="uuid event_id erased_id",
        whole="number sequence",
        references="log_id",
        left_out="",
    ),
    "session_log_fed": Table(
        name="session_log_fed",
        put="import_session_log_fed",
        references="episode_id log_id",
        whole="number",
        left_out="log_episode_id",
        instead="log_id number",
    ),
}

# Records of a whole project: a file of one graph may not bring them along.
OF_PROJECT = frozenset(
    {
        "user_group",
        "user_group_member",
        "policy_set",
        "policy_set_version",
        "user_group_policy_set",
        "collection",
        "document",
        "document_vector",
    }
)

# Tables that no file holds, and why.
NOT_CARRIED: Mapping[str, str] = {
    "projects": "the first line of a file tells the project",
    "api_keys": "keys open one store; the other one gives out its own",
    "key_policy_sets": "goes with the keys",
    "queue": "follows from the jobs that wait",
    "shares": "what each project had of the workers of one store",
    "tasks": "what was asked of one store; the jobs tell how far it is",
    "kept_answers": "what callers of one store were told, for a day",
    "rereadings": "what a store has asked readers for, and whom it has told what is known",
    "index_snapshots": "a cache of the index rows",
    "chapters": "made again of the facts, by and by",
    "chapter_facts": "goes with the chapters",
    "batches": "how far a client's bulk work is; what it brought is among the episodes",
    "batch_items": "goes with the batches",
    "audit_entries": "a chain that tells what was done to one store",
    "erasures": "receipts of what was erased from one store",
    "session_log_turns": "open turns belong to the process that opened them",
    "session_log_working": "goes with the open turns",
}
