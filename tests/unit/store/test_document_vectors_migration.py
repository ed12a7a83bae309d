"""Documents that were there before they could be searched can be searched afterwards."""

from pathlib import Path

import pytest

from recollect.graph.terms import packed, terms
from recollect.store.sqlite import migrate
from recollect.store.sqlite.connection import connect

BEFORE = "0005_document_vectors"


def test_documents_of_an_older_store_get_their_terms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has a row, without a vector, and it goes with the document."""
    every = migrate.available()
    older = [path for path in every if path.stem < BEFORE]
    connection = connect(tmp_path / "x.db", writer=True)
    try:
        monkeypatch.setattr(migrate, "available", lambda: older)
        migrate.apply(connection)
        connection.executescript(
            """
            INSERT INTO projects (id, uuid, name, created_at) VALUES (1, 'p', 'p', 0);
            INSERT INTO collections (id, uuid, project_id, name, created_at, updated_at)
            VALUES (1, 'c', 1, 'c', 0, 0);
            INSERT INTO documents (id, uuid, collection_id, content, created_at, updated_at)
            VALUES (1, 'd', 1, 'Green apples', 0, 0), (2, 'e', 1, 'Blue plums', 0, 0);
            """
        )
        monkeypatch.setattr(migrate, "available", lambda: every)
        migrate.apply(connection)
        held = connection.execute("SELECT * FROM document_vectors ORDER BY document_id").fetchall()
        assert [tuple(row) for row in held] == [
            (1, packed(terms("Green apples")), None),
            (2, packed(terms("Blue plums")), None),
        ]
        connection.execute("DELETE FROM documents WHERE id = 1")
        left = connection.execute("SELECT document_id FROM document_vectors").fetchall()
        assert [tuple(row) for row in left] == [(2,)]
    finally:
        connection.close()
