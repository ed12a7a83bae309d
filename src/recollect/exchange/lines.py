"""The line format of our files: one JSON record per line, between a header and an end record."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import IO, Any, cast

import msgspec

from recollect.errors import InvalidInput
from recollect.exchange.tables import RECORDS, ExportedTable
from recollect.graph.checks import has_nul
from recollect.limits import EXCHANGE_LINE_BYTES_MAX

VERSION = 3
_VERSIONS = (2, 3)  # 2 has no checksum
_TAG = "record"


class CopiedProject(msgspec.Struct, frozen=True, kw_only=True):
    """What a copy carries over of a project besides its memory: identity, creation time, and worker share."""

    uuid: str
    created_at: int
    weight: float


class Header(msgspec.Struct, frozen=True, kw_only=True, tag="recollect", tag_field=_TAG):
    """The first line. *holds* is a whole project, or one graph.

    *copied* appears only in a store-to-store copy, which includes keys and logs.
    """

    version: int
    holds: str
    project: str
    description: str | None = None
    default_time_zone: str | None = None
    exported_at: str
    copied: CopiedProject | None = None


class GraphMark(msgspec.Struct, frozen=True, kw_only=True, tag="graph_end", tag_field=_TAG):
    """The end of one graph, with the digest of everything derived in it."""

    digest: str


class End(msgspec.Struct, frozen=True, kw_only=True, tag="end", tag_field=_TAG):
    """The last line; a file without it is truncated. It has the number of records and their checksum."""

    records: int
    sha256: str | None = None


def _fields(table: ExportedTable) -> list[Any]:
    """The columns of a record with their types; columns of later releases may be missing."""
    later = table.later.split()
    return [
        (name, kind, None) if name in later else (name, kind)
        for name, kind in table.columns().items()
    ]


_Structs = Mapping[str, type[msgspec.Struct]]
_rows: _Structs = {
    record: msgspec.defstruct(
        record,
        _fields(table),
        tag=record,
        tag_field=_TAG,
        forbid_unknown_fields=True,
        kw_only=True,
    )
    for record, table in RECORDS.items()
}
_kinds: Any = (Header, GraphMark, End, *_rows.values())
_encode = msgspec.json.Encoder().encode
_header = msgspec.json.Decoder(Header)
_null = msgspec.Raw(b"null")


def _any_line() -> Any:
    union: Any = _kinds[0]
    for kind in _kinds[1:]:
        union |= kind
    return union


_decoder = msgspec.json.Decoder(_any_line())


def written(record: Any) -> bytes:
    """The line of a record that is not a row."""
    return _encode(record) + b"\n"


def written_row(record: str, row: Mapping[str, Any]) -> bytes:
    """The line of a row of the store."""
    told: dict[str, Any] = {_TAG: record}
    for column, kind in RECORDS[record].columns().items():
        value = row[column]
        if kind is msgspec.Raw:
            # In valid JSON, a line feed can only occur between tokens.
            value = _null if value is None else msgspec.Raw(value.replace("\n", " ").encode())
        told[column] = value
    return _encode(told) + b"\n"


def values(record: str, line: msgspec.Struct) -> dict[str, Any]:
    """The columns of a row read from a line, as the store keeps them."""
    told = msgspec.structs.asdict(line)
    for column in RECORDS[record].json.split():
        told[column] = _json_text(told[column])
    return told


def _json_text(raw: msgspec.Raw) -> str | None:
    text = bytes(raw).decode()
    return None if text == "null" else text


def kind_of(line: msgspec.Struct) -> str:
    """The tag of a line."""
    return cast(str, line.__struct_config__.tag)


def read(file: IO[bytes]) -> Iterator[tuple[int, msgspec.Struct]]:
    """The lines of a file with their numbers, one in memory at a time.

    A wrong checksum is refused at the end of the file.
    """
    total, version = Checksum(), VERSION
    for number, text in enumerate(_texts(file), start=1):
        if number == 1:
            header = _read_header(text)
            version = header.version
            yield number, header
            continue
        line = _read_line(number, text)
        if not isinstance(line, End):
            total.add(text)
        elif line.sha256 != total.value and (version, line.sha256) != (2, None):
            raise InvalidInput(f"line {number}: the file was changed after it was exported")
        yield number, line


class Checksum:
    """The checksum of the lines of a file, regardless of line endings."""

    def __init__(self) -> None:
        self._total = hashlib.sha256()

    def add(self, line: bytes) -> None:
        """Add one line."""
        self._total.update(line.rstrip(b"\r\n") + b"\n")

    @property
    def value(self) -> str:
        """The checksum of all lines added."""
        return self._total.hexdigest()


def _texts(file: IO[bytes]) -> Iterator[bytes]:
    while text := file.readline(EXCHANGE_LINE_BYTES_MAX + 1):
        if len(text) > EXCHANGE_LINE_BYTES_MAX:
            raise InvalidInput(f"a line has more than {EXCHANGE_LINE_BYTES_MAX} bytes")
        yield text


def _read_header(text: bytes) -> Header:
    try:
        header = _header.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput(
            "line 1: not a file of `recollect export`; for files of other products, name the "
            "product: recollect import zep FILE"
        ) from error
    if header.version not in _VERSIONS:
        raise InvalidInput(
            f"line 1: the file is of version {header.version}, this program reads {VERSION}"
        )
    return header


def _read_line(number: int, text: bytes) -> msgspec.Struct:
    if has_nul(text):
        raise InvalidInput(f"line {number}: must not contain a NUL character")
    try:
        return cast(msgspec.Struct, _decoder.decode(text))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput(f"line {number}: {error}") from error
