"""No modules import each other in a circle, however late: imports in functions and those of types count too."""

import ast
from collections.abc import Iterator
from pathlib import Path

APP = Path(__file__).parents[1] / "app"


def imports() -> dict[str, set[str]]:
    """What every module imports of the others. Packages stand for their `__init__`."""
    paths = {".".join(path.relative_to(APP).with_suffix("").parts): path for path in APP.rglob("*.py")}
    paths = {name.removesuffix(".__init__"): path for name, path in paths.items()}
    return {name: set(_imported(path)) & paths.keys() - {name} for name, path in paths.items()}


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str() as module, names=names):
                yield module
                yield from (f"{module}.{alias.name}" for alias in names)


def reached(start: str, graph: dict[str, set[str]]) -> set[str]:
    """What a module imports itself or through others."""
    found: set[str] = set()
    waiting = list(graph[start])
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += graph[name]
    return found


def circles(graph: dict[str, set[str]]) -> set[frozenset[str]]:
    """The modules that reach each other."""
    from_each = {name: reached(name, graph) for name in graph}
    return {
        frozenset(other for other in names if name in from_each[other])
        for name, names in from_each.items()
        if name in names
    }


def test_circles_are_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": {"e"}, "e": {"d"}, "f": {"a"}}
    assert circles(graph) == {frozenset("bc"), frozenset("de")}


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = imports()
    assert "voxmatrix.errors" in graph["voxmatrix.files"]
    assert circles(graph) == set()
