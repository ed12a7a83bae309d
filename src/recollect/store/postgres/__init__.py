"""The store on PostgreSQL."""

from recollect.store.postgres.store import PostgresStore as PostgresStore
