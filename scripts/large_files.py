"""Refuse files over 1 MB: what is large is downloaded or generated, not committed.

python scripts/large_files.py FILE ...
"""

import sys
from pathlib import Path

BYTES_MAX = 1_000_000


def main(names: list[str]) -> int:
    """The exit code: 1 when one is too large."""
    large = [name for name in names if Path(name).is_file() and not _fits(Path(name))]
    for name in large:
        sys.stderr.write(f"{name} is larger than {BYTES_MAX:,} bytes\n")
    return bool(large)


def _fits(path: Path) -> bool:
    return path.stat().st_size <= BYTES_MAX


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
