"""`recollect migrate`: bring the store up to date without serving."""

import sqlite3

from recollect.app import maintenance
from recollect.cli.common import DataOption, fail, out, settings
from recollect.errors import RecollectError


def migrate(data: DataOption = None) -> None:
    """Bring the store's schema up to date. `recollect serve` does the same when it starts."""
    folder = settings(data=data).data
    try:
        applied, version = maintenance.migrated(folder)
    except (OSError, sqlite3.Error) as error:
        raise fail(f"cannot open the store in {folder}: {error}") from error
    except RecollectError as error:
        raise fail(error.message) from error
    for name in applied:
        out.print(f"applied {name}")
    out.print(f"schema {version} is up to date")
