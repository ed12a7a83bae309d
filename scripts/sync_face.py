"""Writes the synchronous face of the library from the asynchronous one.

`python scripts/sync_face.py` writes src/recollect/library/sync_memory.py; with `--check` it says
by its exit code whether the file is what would be written. Every public method is taken over
with its signature, its overloads and its docstring; what it does is: wait for the method behind.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

LIBRARY = Path(__file__).parents[1] / "src" / "recollect" / "library"
SOURCES = ("handles.py", "memory.py")
TARGET = LIBRARY / "sync_memory.py"
FACES = {
    "GraphMemory": "SyncGraphMemory",
    "ThreadMemory": "SyncThreadMemory",
    "Memory": "SyncMemory",
}
OPENED = "Memory"
HEAD = '''"""The memory inside a program, for code that does not await: generated, edit `memory.py`.

    with SyncMemory.open("my-memory") as memory:
        memory.add("I moved to Lisbon in May.", user="ann")
        for fact in memory.search("Where does Ann live?", user="ann"):
            print(fact)

`python scripts/sync_face.py` writes this file. A thread runs the asynchronous memory until it is
closed, and each call here waits for it; it may be used from several threads at once.
"""

'''
OPENING = """
        portal = Portal()
        try:
            behind = portal.call(_opened(Memory.open({arguments})))
        except BaseException:
            portal.close()
            raise
        return cls(portal, behind)
"""
CLOSING = """
        try:
            self._wait(self._behind.close())
        except Conflict:
            return
        finally:
            self._portal.close()
"""
TAIL = """

async def _opened(memory: Memory) -> Memory:
    return await memory
"""


def main() -> int:
    """Write the file, or compare it."""
    text = formatted(generated())
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if TARGET.is_file() and TARGET.read_text(encoding="utf-8") == text:
        return 0
    sys.stderr.write(f"{TARGET.name} is out of date: run `python scripts/sync_face.py`\n")
    return 1


def generated() -> str:
    """The whole file, not yet formatted."""
    trees = [ast.parse((LIBRARY / name).read_text(encoding="utf-8")) for name in SOURCES]
    classes = [node for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)]
    body = "\n\n".join(_face(node) for node in classes if node.name in FACES)
    return HEAD + _imports(trees, body) + "\n\n" + body + TAIL


def formatted(text: str) -> str:
    """As the formatter of this project writes it."""
    for command in (["check", "--fix-only", "--select", "I,F401"], ["format"]):
        done = subprocess.run(  # noqa: S603
            [Path(sys.executable).parent / "ruff", *command, "--stdin-filename", TARGET, "-"],
            input=text,
            capture_output=True,
            text=True,
            check=True,
        )
        text = done.stdout
    return text


def _imports(trees: list[ast.Module], body: str) -> str:
    """What the sources import, as far as the signatures need it."""
    wanted = [
        "from collections.abc import Coroutine",
        "from recollect.errors import Conflict",
        "from recollect.library.handles import GraphMemory, ThreadMemory",
        "from recollect.library.memory import Memory",
        "from recollect.library.portal import Face, OpenFace, Portal",
    ]
    for node in (node for tree in trees for node in tree.body):
        if isinstance(node, ast.ImportFrom):
            used = [alias for alias in node.names if alias.name in body]
            if used:
                wanted.append(ast.unparse(ast.ImportFrom(node.module, used, node.level)))
    return "\n".join(dict.fromkeys(wanted))


def _face(node: ast.ClassDef) -> str:
    base = "OpenFace" if node.name == OPENED else "Face"
    lines = [f"class {FACES[node.name]}({base}[{node.name}]):", _doc(node) + "\n"]
    lines += list(_members(node))
    return "\n".join(lines)


def _members(node: ast.ClassDef) -> Iterator[str]:
    for member in node.body:
        if not isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if member.name == "open":
            yield _method(member, OPENING.format(arguments=_arguments(member)))
        elif node.name == OPENED and member.name == "close":
            yield _method(member, CLOSING)
        elif not member.name.startswith("_"):
            yield _method(member, _waiting(member))


def _method(member: ast.FunctionDef | ast.AsyncFunctionDef, body: str) -> str:
    decorators = [ast.unparse(one) for one in member.decorator_list]
    signature = f"def {member.name}({ast.unparse(member.args)}) -> {_returned(member)}:"
    lines = [f"    @{name}" for name in decorators] + [f"    {signature}"]
    if "overload" in decorators:
        return "\n".join([*lines, "        ...\n"])
    return "\n".join([*lines, _doc(member, "    "), body.rstrip("\n").lstrip("\n") + "\n"])


def _waiting(member: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    if isinstance(member, ast.FunctionDef):
        return f"        return self._behind.{member.name}"
    waited = f"self._wait(self._behind.{member.name}({_arguments(member)}))"
    face = _returned(member)
    if face in FACES.values():
        return f"        return {face}(self._portal, {waited})"
    if face == "Results":  # a union of lists, which is not inferred through a call
        work = f"self._behind.{member.name}({_arguments(member)})"
        return (
            f"        work: Coroutine[Any, Any, {face}] = {work}\n        return self._wait(work)"
        )
    return f"        return {waited}"


def _returned(member: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    name = ast.unparse(member.returns) if member.returns else "None"
    return FACES.get(name, name)


def _arguments(member: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """The arguments of a method, handed on under their names."""
    given = member.args
    words = [argument.arg for argument in given.args[1:]]
    words += [f"{argument.arg}={argument.arg}" for argument in given.kwonlyargs]
    return ", ".join([*words, f"**{given.kwarg.arg}"] if given.kwarg else words)


def _doc(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, indent: str = "") -> str:
    text = ast.get_docstring(node, clean=False) or ""
    return f'{indent}    """{text}"""'


if __name__ == "__main__":
    raise SystemExit(main())
