"""`recollect config`: the value of each setting, and where it comes from."""

import typer
from pydantic import SecretStr

from recollect.app import stores
from recollect.cli.common import DataOption, JsonOption, err, settings, show
from recollect.settings import file, sources, variable

app = typer.Typer(help="Show every setting and where it comes from.", no_args_is_help=True)
_HIDDEN = "********"


@app.command("show")
def show_(data: DataOption = None, as_json: JsonOption = False) -> None:
    """Show the value of every setting and where it comes from; secrets are hidden.

    Command line options override environment variables, and these override the file:
    `recollect.toml` in this folder, or the one that RECOLLECT_CONFIG names.
    """
    chosen = settings(data=data)
    rows = []
    for name, source in sources([] if data is None else ["data"]).items():
        value = getattr(chosen, name)
        rows.append(
            {
                "setting": name,
                "value": stores.place(chosen) if name == "store" and value else _shown(value),
                "source": source,
                "variable": variable(name),
            }
        )
    show(rows, ("setting", "value", "source"), as_json=as_json)
    if not as_json:
        err.print(f"file: {file() or 'none'}")


def _shown(value: object) -> str:
    if isinstance(value, SecretStr):
        return _HIDDEN
    return "" if value is None else str(value)
