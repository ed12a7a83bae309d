"""What is installed is whole: the wheel carries everything the program reads at run time."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

from tests.docs.reference import ROOT
from tests.support.server import Server


def build(folder: Path) -> Path:
    """The wheel of this checkout."""
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", *options, "--wheel-dir", str(folder), str(ROOT)],
        check=True,
        timeout=120,
    )
    return next(folder.glob("recollectdb-*.whl"))


def test_the_wheel_holds_every_file_of_the_package(tmp_path: Path) -> None:
    """SQL, migrations, notices and licences are in it, not only Python."""
    source = ROOT / "src"
    wanted = {
        path.relative_to(source).as_posix()
        for path in (source / "recollect").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(build(tmp_path)) as wheel:
        held = set(wheel.namelist())
    assert wanted <= held


def test_a_server_runs_from_the_wheel_alone(tmp_path: Path) -> None:
    """Unpacked somewhere else and put first on the path, it starts, stores and answers."""
    unpacked = tmp_path / "unpacked"
    with zipfile.ZipFile(build(tmp_path)) as wheel:
        wheel.extractall(unpacked)
    environment = {"PYTHONPATH": str(unpacked)}
    where = subprocess.run(
        [sys.executable, "-c", "import recollect; print(recollect.__file__)"],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout
    assert where.startswith(str(unpacked))
    with (
        Server(tmp_path / "data", environment=environment, under=("env",)) as server,
        server.http() as http,
    ):
        http.post("/users", json={"user_id": "jane"}).raise_for_status()
        assert http.get("/users/jane").json()["user_id"] == "jane"
