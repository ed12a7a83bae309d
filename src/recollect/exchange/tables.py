"""What our files contain: which columns of which tables, and what is left out and why.

A test compares this list with the schema, so that no new column is forgotten.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from recollect.graph.types import Record

# Columns that hold uuids but do not refer to a row of the file.
OWN_UUIDS = frozenset({"uuid", "entity_uuid", "task_uuid", "subject", "near", "parent", "family"})


class ExportedTable(Record):
    """One kind of record: the columns of a row by how they are written, each a list of words.

    *references* are uuids in the file and ids in the store. *left_out* are columns that the importing
    store sets itself; *instead* are columns of the file that replace them. *later* are columns that files
    of earlier releases lack. *json* is written verbatim.
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

RECORDS: Mapping[str, ExportedTable] = {
    "guidance": ExportedTable(
        name="guidance",
        put="guidance",
        text="uuid kind scope name",
        json="value",
        whole="created_at updated_at",
        left_out="id project_id graph_id",
    ),
    "user_group": ExportedTable(
        name="user_groups",
        put="user_group",
        text="uuid name description",
        whole="version created_at updated_at",
        left_out=_OF_PROJECT,
    ),
    "policy_set": ExportedTable(
        name="policy_sets",
        put="policy_set",
        text="uuid name mode",
        json="spec",
        whole="version for_all_users created_at updated_at",
        left_out=_OF_PROJECT,
    ),
    "policy_set_version": ExportedTable(
        name="policy_set_versions",
        put="policy_set_version",
        text="mode",
        json="spec",
        whole="version created_at",
        references="policy_set_id",
        left_out="",
    ),
    "user_group_policy_set": ExportedTable(
        name="user_group_policy_sets",
        put="user_group_policy_set",
        references="group_id policy_set_id",
        left_out="",
    ),
    "collection": ExportedTable(
        name="collections",
        put="collection",
        text="uuid name description",
        json="metadata",
        whole="created_at updated_at",
        left_out=_OF_PROJECT,
    ),
    "document": ExportedTable(
        name="documents",
        put="document",
        text="uuid document_id content",
        json="metadata",
        whole="created_at updated_at",
        references="collection_id",
    ),
    "document_vector": ExportedTable(
        name="document_vectors",
        put="document_vector",
        blob="terms vector",
        references="document_id",
        left_out="",
    ),
    "graph": ExportedTable(
        name="graphs",
        put="graph",
        text="uuid kind graph_id name description time_zone",
        json="rating",
        whole="last_seq index_version created_at updated_at edits condenses folded fold_from inputs distance",
        left_out="id project_id index_epoch condensed changes",
    ),
    "user": ExportedTable(
        name="users",
        put="user",
        text="uuid user_id entity_uuid email first_name last_name time_zone",
        json="metadata",
        whole="disable_default_ontology thread_count created_at updated_at",
        left_out="id project_id graph_id",
    ),
    "user_group_member": ExportedTable(
        name="user_group_members",
        put="user_group_member",
        references="group_id user_id",
        left_out="",
    ),
    "thread": ExportedTable(
        name="threads",
        put="thread",
        text="uuid thread_id",
        json="metadata rating",
        whole="created_at updated_at ended_at",
        references="user_id",
        left_out="id project_id graph_id",
    ),
    "episode": ExportedTable(
        name="episodes",
        put="episode",
        text="uuid kind content role speaker source_description document_id task_uuid "
        "producer addressee kept_for failure",
        json="metadata extra",
        whole="seq ignored strict_ontology created_at received_at processed_at",
        later="failure",
        references="thread_id",
        left_out=_OF_GRAPH,
    ),
    "job": ExportedTable(
        name="jobs",
        put="job",
        text="task_uuid status error",
        whole="attempts lost created_at started_at completed_at",
        references="id",
        left_out="graph_id run",
    ),
    "feature_set_type": ExportedTable(
        name="feature_set_types",
        put="feature_set_type",
        text="uuid name description",
        json="tags",
        whole="is_org_level created_at",
        left_out=_OF_GRAPH,
    ),
    "feature_category": ExportedTable(
        name="feature_categories",
        put="feature_category",
        text="uuid set_key name prompt description",
        whole="created_at",
        references="set_type_id",
        left_out=_OF_GRAPH,
    ),
    "feature_tag": ExportedTable(
        name="feature_tags",
        put="feature_tag",
        text="uuid name description",
        references="category_id",
    ),
    "feature_category_off": ExportedTable(
        name="feature_categories_off",
        put="feature_category_off",
        text="set_key name",
        left_out="graph_id",
    ),
    "entity": ExportedTable(
        name="entities",
        put="entity",
        later="side",
        text="uuid name summary kind given side",
        json="labels attributes names",
        whole="is_user is_assistant created_at",
        left_out=_OF_GRAPH,
    ),
    "entity_name": ExportedTable(
        name="entity_names",
        put="entity_name",
        text="key",
        references="entity_id",
        left_out="graph_id",
    ),
    "user_side": ExportedTable(
        name="user_sides",
        put="user_side",
        text="side",
        json="names attributes",
        references="entity_id",
        left_out="",
    ),
    "fact": ExportedTable(
        name="facts",
        put="fact",
        later="side",
        text="uuid name fact predicate gist slot extractor side",
        json="attributes kept_against",
        whole="created_at expired_at valid_at invalid_at negated ends event_at",
        real="rating confidence",
        references="source_id target_id",
        left_out=_OF_GRAPH,
    ),
    "closing": ExportedTable(
        name="closings",
        put="closing",
        text="judge",
        whole="ended_at expired_at",
        real="sure",
        references="fact_id by_fact_id episode_id",
    ),
    "doubt": ExportedTable(
        name="doubts",
        put="doubt",
        text="judge",
        real="sure",
        references="fact_id by_fact_id episode_id",
        left_out="",
    ),
    "reading": ExportedTable(
        name="readings",
        put="reading",
        later="side",
        text="reader side",
        json="found",
        blob="vectors",
        whole="seq read_at",
        references="episode_id",
        left_out="graph_id remains",
    ),
    "edit": ExportedTable(
        name="edits",
        put="edit",
        text="kind subject near mark side walls",
        json="change",
        blob="vector",
        whole="seq at everywhere",
        later="everywhere side walls",
        left_out=_OF_GRAPH,
    ),
    "mention": ExportedTable(
        name="mentions", put="mention", references="entity_id episode_id", left_out=""
    ),
    "support": ExportedTable(
        name="supports",
        put="support",
        text="role",
        whole="span_start span_end",
        references="fact_id episode_id",
        left_out="",
    ),
    "observation": ExportedTable(
        name="observations",
        put="observation",
        text="uuid kind key name summary label",
        whole="start_at latest_evidence_at end_at created_at",
        references="entity_id",
        left_out=_OF_GRAPH,
    ),
    "observation_fact": ExportedTable(
        name="observation_facts",
        put="observation_fact",
        references="observation_id fact_id",
        left_out="",
    ),
    "summary": ExportedTable(
        name="summaries",
        put="summary",
        text="uuid document_id summary written",
        whole="written_count episode_count created_at updated_at covered_at",
        references="thread_id written_fact_id",
        left_out=_OF_GRAPH,
    ),
    "summary_fact": ExportedTable(
        name="summary_facts",
        put="summary_fact",
        references="summary_id fact_id",
        left_out="",
    ),
    "user_summary": ExportedTable(
        name="user_summaries",
        put="user_summary",
        text="summary basis",
        whole="episode_count updated_at",
        left_out="graph_id",
    ),
    "index_row": ExportedTable(
        name="index_rows",
        put="index_row",
        text="item_kind",
        whole="version",
        blob="terms vector",
        references="item_id",
        left_out="graph_id",
    ),
    "session_log": ExportedTable(
        name="session_logs",
        put="session_log",
        text="uuid session_id",
        json="metadata context",
        whole="feeds last_number created_at updated_at",
        references="user_id",
        left_out=_OF_PROJECT,
    ),
    "session_log_episode": ExportedTable(
        name="session_log_episodes",
        put="session_log_episode",
        text="type turn_id meta payload",
        whole="number",
        references="log_id",
    ),
    "agent": ExportedTable(
        name="agents",
        put="agent",
        text="security_domain deployment_id version",
        json="metadata",
        whole="revision",
        left_out="graph_id",
    ),
    "trace": ExportedTable(
        name="traces",
        put="trace",
        text="trace_id objective task_family parent family status outcome verification task_uuid",
        whole="learn_from closing_sequence ended_at revision",
        references="log_id",
        left_out="graph_id",
    ),
    "trace_event": ExportedTable(
        name="trace_events",
        put="trace_event",
        text="uuid event_id erased_id",
        whole="number sequence",
        references="log_id",
        left_out="",
    ),
    "session_log_fed": ExportedTable(
        name="session_log_fed",
        put="session_log_fed",
        references="episode_id log_id",
        whole="number",
        left_out="log_episode_id",
        instead="log_id number",
    ),
    "api_key": ExportedTable(
        name="api_keys",
        put="api_key",
        text="uuid name prefix role mode",
        blob="hash",
        whole="created_at revoked_at is_admin logs_reads mcp_write",
        left_out=_OF_PROJECT,
    ),
    "key_policy_set": ExportedTable(
        name="key_policy_sets",
        put="key_policy_set",
        references="key_id policy_set_id",
        left_out="",
    ),
    "erasure": ExportedTable(
        name="erasures",
        put="erasure",
        text="uuid kind subject mode",
        json="removed kept",
        whole="at scrubbed",
        left_out=_OF_PROJECT,
    ),
    # The detail is not JSON here: the hash covers its exact bytes.
    "audit_entry": ExportedTable(
        name="audit_entries",
        put="audit_entry",
        text="actor action outcome target detail",
        blob="salt target_digest hash",
        whole="number at status",
        left_out="project_id",
    ),
}

# Records of a whole project: a file of one graph must not contain them.
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

# Records that only a store-to-store copy contains: keys belong to the store they were made for,
# and the logs record what was done to it. A file for others has none of them.
OF_COPY = frozenset({"api_key", "key_policy_set", "erasure", "audit_entry"})

# Tables that no file holds, and why.
NOT_CARRIED: Mapping[str, str] = {
    "projects": "the first line of a file tells the project",
    "queue": "follows from the jobs that wait",
    "shares": "what each project had of the workers of one store; a copy's first line tells its weight",
    "tasks": "what was asked of one store; the jobs tell how far it is",
    "usage": "what was used of a day in one store",
    "kept_answers": "what callers of one store were told, for a day",
    "webhooks": "what one store calls, with a secret that nobody else may have",
    "webhook_deliveries": "goes with the webhooks",
    "expiries": "when one store forgets what, and what it has forgotten",
    "injections": "what callers of one store were told, for some weeks",
    "injection_lines": "goes with the injections",
    "rereadings": "what a store has asked readers for, and whom it has told what is known",
    "index_snapshots": "a cache of the index rows",
    "chapters": "made again of the facts, by and by",
    "chapter_facts": "goes with the chapters",
    "batches": "how far a client's bulk work is; what it brought is among the episodes",
    "batch_items": "goes with the batches",
    "session_log_turns": "open turns belong to the process that opened them",
    "session_log_working": "goes with the open turns",
}
