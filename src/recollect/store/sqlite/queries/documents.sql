-- Document collections of generation 2 clients.

-- name: collection_insert
INSERT INTO collections (uuid, project_id, name, description, metadata, created_at, updated_at)
VALUES (:uuid, :project_id, :name, :description, :metadata, :now, :now);

-- name: collection_by_name
SELECT c.*, (SELECT count(*) FROM documents d WHERE d.collection_id = c.id) AS document_count
FROM collections c WHERE c.project_id = :project_id AND c.name = :name;

-- name: collections_all
SELECT c.*, (SELECT count(*) FROM documents d WHERE d.collection_id = c.id) AS document_count
FROM collections c WHERE c.project_id = :project_id ORDER BY c.id;

-- name: collections_count
SELECT count(*) AS n FROM collections WHERE project_id = :project_id;

-- name: collection_update
UPDATE collections SET description = :description, metadata = :metadata, updated_at = :now
WHERE id = :id;

-- name: collection_delete
DELETE FROM collections WHERE id = :id;

-- name: document_insert
INSERT INTO documents
    (uuid, collection_id, document_id, content, metadata, created_at, updated_at)
VALUES (:uuid, :collection_id, :document_id, :content, :metadata, :now, :now);

-- name: document_by_uuid
SELECT * FROM documents WHERE uuid = :uuid AND collection_id = :collection_id;

-- name: document_by_name
SELECT * FROM documents WHERE collection_id = :collection_id AND document_id = :document_id;

-- name: document_update
UPDATE documents SET document_id = :document_id, metadata = :metadata, updated_at = :now
WHERE id = :id;

-- name: document_delete
DELETE FROM documents WHERE uuid = :uuid AND collection_id = :collection_id;
