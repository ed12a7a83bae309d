"""The steps of the Dockerfile, carried out where no image can be built:

    unshare --mount python -m tests.deploy.image_steps BASE FOLDER

*BASE* is a root with Python, such as `debootstrap --variant=minbase --include=python3-venv` makes; it stands
for the image that the file begins with. Each stage becomes a folder. The last one is then run as the
container would be: read-only, as its user, with /data and /tmp of its own; its health is asked for, and
something is remembered and found. Needs root. What pip of this machine is configured with is used.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.deploy import dockerfile
from tests.deploy.dockerfile import Stage

ROOT = Path(__file__).resolve().parents[2]
PORT = 8000
KEY = "key-of-the-image"
FROM_HERE = (
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pip.conf",
)


def sh(*words: str, **options: object) -> None:
    print("+", *words, flush=True)
    subprocess.run(words, check=True, **options)  # type: ignore[call-overload]


def local_indexes() -> list[str]:
    """Folders that pip of this machine looks into."""
    said = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    ).stdout
    words = said.replace("'", " ").replace("file://", " ").split()
    folders = {str(Path(*Path(word).parts[:3])) for word in words if word.startswith("/opt/")}
    return sorted(folders)


def pip_variables() -> dict[str, str]:
    """What pip of this machine is told, as variables."""
    kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_"))}
    said = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    ).stdout
    for line in said.splitlines():
        name, _, value = line.partition("=")
        if name.startswith("global."):
            kept.setdefault(f"PIP_{name[7:].upper().replace('-', '_')}", value.strip("'"))
    return kept


class Builder:
    """Stages as folders beside each other."""

    def __init__(self, base: Path, folder: Path) -> None:
        self.base, self.folder = base, folder
        self.context = folder / "context"

    def prepare(self) -> None:
        """What is checked in, as the context of the build."""
        self.context.mkdir(parents=True, exist_ok=True)
        archive = subprocess.run(
            ["git", "-C", str(ROOT), "archive", "HEAD"], check=True, capture_output=True
        ).stdout
        sh("tar", "-x", "-C", str(self.context), input=archive)

    def root(self, stage: Stage) -> Path:
        return self.folder / (stage.name or "final")

    def build(self, stage: Stage) -> None:
        """All steps of a stage, in order; those that an earlier run did are not done again."""
        root, done = self.root(stage), self.folder / f"{stage.name or 'final'}.steps"
        if not done.exists():
            self.begin(root)
            done.write_text("0", encoding="utf-8")
        place, variables = (
            "/",
            {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", **pip_variables()},
        )
        with self.mounted(root):
            for number, (kind, said) in enumerate(stage.steps, start=1):
                if kind == "WORKDIR":
                    place = said
                    (root / said[1:]).mkdir(parents=True, exist_ok=True)
                elif kind == "ENV":
                    variables |= stage.environment()
                if number <= int(done.read_text(encoding="utf-8")):
                    continue
                if kind == "COPY":
                    self.copy(root, place, said)
                elif kind == "RUN":
                    sh("chroot", str(root), "/bin/sh", "-ec", f"cd {place}; {said}", env=variables)
                done.write_text(str(number), encoding="utf-8")

    def begin(self, root: Path) -> None:
        """The base, with what it takes to reach others from here."""
        sh("cp", "-a", str(self.base), str(root))
        for path in FROM_HERE:
            if Path(path).exists():
                (root / path[1:]).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, root / path[1:])
        python = root / "usr/bin/python"
        if not python.exists():
            python.symlink_to("python3")

    @contextmanager
    def mounted(self, root: Path) -> Iterator[None]:
        """With what commands need of the machine."""
        made = [root / "proc", root / "dev", *(root / one[1:] for one in local_indexes())]
        for source, target in zip(["/proc", "/dev", *local_indexes()], made, strict=True):
            target.mkdir(parents=True, exist_ok=True)
            sh("mount", "--bind", source, str(target))
        try:
            yield
        finally:
            for target in reversed(made):
                sh("umount", "--lazy", str(target))

    def copy(self, root: Path, place: str, said: str) -> None:
        words = said.split()
        source_root = self.context
        if words[0].startswith("--from="):
            source_root = self.folder / words.pop(0).removeprefix("--from=")
        *sources, target = words
        at = root / (target if target.startswith("/") else f"{place}/{target}").lstrip("/")
        for source in sources:
            origin = source_root / source.lstrip("/")
            if origin.is_dir():
                at.mkdir(parents=True, exist_ok=True)
                sh("cp", "-a", f"{origin}/.", str(at))
            else:
                goal = at / origin.name if target.endswith(("/", ".")) else at
                goal.parent.mkdir(parents=True, exist_ok=True)
                sh("cp", "-a", str(origin), str(goal))


@contextmanager
def running(root: Path, stage: Stage) -> Iterator["subprocess.Popen[bytes]"]:
    """The last stage as a container: nothing can be written but /data and /tmp."""
    (root / "tmp").mkdir(exist_ok=True)
    sh("mount", "--bind", str(root), str(root))
    sh("mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", str(root / "tmp"))
    sh("mount", "-t", "tmpfs", "-o", "uid=10001,gid=10001,mode=0700", "tmpfs", str(root / "data"))
    sh("mount", "--bind", "/dev", str(root / "dev"))
    sh("mount", "-t", "proc", "proc", str(root / "proc"))
    sh("mount", "-o", "remount,ro,bind", str(root))
    told = stage.environment() | {"RECOLLECT_API_KEY": KEY, "HOME": "/tmp"}  # noqa: S108
    told["PATH"] = told["PATH"].replace("$PATH", "/usr/bin:/bin")
    command = [*dockerfile.words(stage.of("ENTRYPOINT")[0]), *dockerfile.words(stage.of("CMD")[0])]
    user = f"--userspec={stage.of('USER')[0]}"
    program = ["chroot", user, str(root), "/usr/bin/env", "-C", stage.of("WORKDIR")[0], *command]
    process = subprocess.Popen(program, env=told)
    try:
        wait(f"http://127.0.0.1:{PORT}/ready", process)
        health = dockerfile.words(stage.of("HEALTHCHECK")[0])
        sh("chroot", user, str(root), *health, env=told)
        yield process
    finally:
        process.terminate()
        print("ended with", process.wait(60))


def wait(url: str, process: "subprocess.Popen[bytes]") -> None:
    for _ in range(600):
        if process.poll() is not None:
            raise SystemExit(f"it ended with {process.returncode}")
        try:
            if httpx.get(url, trust_env=False).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.5)
    raise SystemExit(f"{url} never answered well")


def use() -> None:
    """Tell it something, and ask for it when it was read."""
    where = f"http://127.0.0.1:{PORT}/api/v2"
    headers = {"Authorization": f"Api-Key {KEY}"}
    with httpx.Client(base_url=where, headers=headers, timeout=60, trust_env=False) as http:
        http.post("/users", json={"user_id": "ann", "first_name": "Ann"}).raise_for_status()
        http.post("/threads", json={"thread_id": "t", "user_id": "ann"}).raise_for_status()
        message = {"role": "user", "name": "Ann", "content": "I live in Lisbon."}
        http.post("/threads/t/messages", json={"messages": [message]}).raise_for_status()
        for _ in range(600):
            found = http.post("/graph/edge/user/ann", json={}).raise_for_status().json()
            if any(edge["name"] == "LIVES_IN" for edge in found):
                print("learned:", [edge["fact"] for edge in found])
                break
            time.sleep(0.5)
        else:
            raise SystemExit("nothing was learned")
    guide = httpx.get(f"http://127.0.0.1:{PORT}/guide/", trust_env=False, follow_redirects=True)
    print("guide:", guide.status_code, len(guide.content))


def main(base: str, folder: str) -> None:
    builder = Builder(Path(base), Path(folder))
    builder.prepare()
    stages = dockerfile.read(ROOT / "Dockerfile")
    for stage in stages:
        builder.build(stage)
    with running(builder.root(stages[-1]), stages[-1]):
        use()


if __name__ == "__main__":
    main(*sys.argv[1:])
