-- Document collections and their documents.

-- name: insert
INSERT INTO collections (uuid, project_id, name, description, metadata, created_at, updated_at)
VALUES (:uuid, :project_id, :name, :description, :metadata, :now, :now);

-- name: by_name
SELECT c.*, (SELECT count(*) FROM documents d WHERE d.collection_id = c.id) AS document_count,
    (SELECT count(*) FROM documents d JOIN document_vectors v ON v.document_id = d.id
     WHERE d.collection_id = c.id AND v.vector IS NOT NULL) AS embedded_count
FROM collections c WHERE c.project_id = :project_id AND c.name = :name;

-- name: all
SELECT c.*, (SELECT count(*) FROM documents d WHERE d.collection_id = c.id) AS document_count,
    (SELECT count(*) FROM documents d JOIN document_vectors v ON v.document_id = d.id
     WHERE d.collection_id = c.id AND v.vector IS NOT NULL) AS embedded_count
FROM collections c WHERE c.project_id = :project_id ORDER BY c.id;

-- name: count
SELECT count(*) AS n FROM collections WHERE project_id = :project_id;

-- name: update
UPDATE collections SET description = :description, metadata = :metadata, updated_at = :now
WHERE id = :id;

-- name: delete
DELETE FROM collections WHERE id = :id;

-- name: document_insert
INSERT INTO documents
    (uuid, collection_id, document_id, content, metadata, created_at, updated_at)
VALUES (:uuid, :collection_id, :document_id, :content, :metadata, :now, :now);

-- name: document_terms_insert
INSERT INTO document_vectors (document_id, terms) VALUES (:id, :terms);

-- name: document_set_vector
UPDATE document_vectors SET vector = :vector WHERE document_id = :id;

-- name: document_by_uuid
SELECT d.*, v.vector IS NOT NULL AS embedded
FROM documents d JOIN document_vectors v ON v.document_id = d.id
WHERE d.uuid = :uuid AND d.collection_id = :collection_id;

-- name: document_by_name
SELECT d.*, v.vector IS NOT NULL AS embedded
FROM documents d JOIN document_vectors v ON v.document_id = d.id
WHERE d.collection_id = :collection_id AND d.document_id = :document_id;

-- name: documents_by_ids
SELECT d.*, v.vector IS NOT NULL AS embedded
FROM documents d JOIN document_vectors v ON v.document_id = d.id
WHERE d.id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids)) AND d.collection_id = :collection_id;

-- name: document_shelf
SELECT d.id, v.terms, v.vector, CASE WHEN :with_metadata = 1 THEN d.metadata END AS metadata
FROM documents d INDEXED BY documents_by_collection
JOIN document_vectors v ON v.document_id = d.id
WHERE d.collection_id = :collection_id AND d.id > :after ORDER BY d.id LIMIT :limit;

-- name: document_beginnings
SELECT id, substr(content, 1, CAST(:chars AS INTEGER)) AS beginning FROM documents
WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids));

-- name: document_vectors_by_ids
SELECT document_id AS id, vector FROM document_vectors
WHERE document_id IN (SELECT CAST(value AS BIGINT) FROM json_each(:ids));

-- name: document_update
UPDATE documents SET document_id = :document_id, metadata = :metadata, updated_at = :now
WHERE id = :id;

-- name: document_delete
DELETE FROM documents WHERE uuid = :uuid AND collection_id = :collection_id;

-- name: metadata_of
SELECT d.metadata, v.vector IS NOT NULL AS embedded
FROM documents d JOIN document_vectors v ON v.document_id = d.id
WHERE d.collection_id = :collection_id ORDER BY d.id;
