-- What documents of a collection are found by. The vector comes with a search.

CREATE TABLE document_vectors (
    document_id INTEGER PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
    terms BLOB NOT NULL,
    vector BLOB
);
CREATE INDEX documents_by_collection ON documents (collection_id);

INSERT INTO document_vectors (document_id, terms) SELECT id, packed_terms(content) FROM documents;
