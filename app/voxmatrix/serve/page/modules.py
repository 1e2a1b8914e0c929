"""The modules of the page: what they import, and those of the first tab as one file.

A request of its own costs each module a part of a trip, since browsers send only six at once. The joined file has a
block for each module, after those that it imports, and exports what they export as `modules`: there, the modules that
are loaded later find it. So there is one of everything that a module holds. They wait until that file has run: none of
its modules may await another file outside of its functions.
"""

import re
from collections.abc import Collection, Iterator
from posixpath import dirname, join, normpath, relpath

#: As all imports of the page are written: one line each.
_IMPORT = re.compile(r'^import (?:(.*) from )?"(\..*)";\n', re.MULTILINE)
_LATER = re.compile(r'\bimport\("(\..*?)"\)')
_EXPORT = re.compile(r"^export (?=(?:async )?(?:const|class|function)\b[* ]+(\w+))", re.MULTILINE)


def imports(module: str, sources: dict[str, str]) -> list[str]:
    """The modules that a module imports, and those that they import, the nearest first. `sources` are texts by name."""
    reached = [module]
    for name in reached:  # grows
        reached += [other for other in dict.fromkeys(_imported(name, sources)) if other not in reached]
    return reached[1:]


def loaded_later(module: str, sources: dict[str, str]) -> list[str]:
    """The modules that a module loads when they are needed."""
    return [_resolved(module, name) for name in _LATER.findall(sources[module])]


def joined(main: str, sources: dict[str, str]) -> dict[str, str]:
    """The modules of a page, with `main` and all that it imports as one. None may import each other in turn."""
    inside = dict.fromkeys(_in_order(main, sources))
    blocks = [_block(name, sources[name], main, inside) for name in inside]
    others = {name: _outside(name, text, main, inside) for name, text in sources.items() if name not in inside}
    return {main: "export const modules = {};\n" + "".join(blocks), **others}


def naming_all_imports(module: str, sources: dict[str, str], main: str) -> str:
    """A module that also imports, at its end, what its imports import: a chain would cost a trip for each."""
    known = {main, *imports(main, sources)}
    added = (relpath(name, dirname(module)) for name in imports(module, sources) if name not in known)
    return sources[module] + "".join(f'import "./{name}";\n' for name in added)


def _in_order(module: str, sources: dict[str, str]) -> Iterator[str]:
    """A module after all that it imports: so they are evaluated by a browser as well."""
    done: dict[str, None] = {}

    def visit(name: str) -> None:
        if name not in done:
            for other in _imported(name, sources):
                visit(other)
            done[name] = None

    visit(module)
    return iter(done)


def _block(name: str, text: str, main: str, inside: Collection[str]) -> str:
    """A module among those that are joined. What it loads later is named as `main` has to name it."""
    own = ", ".join(_EXPORT.findall(text))
    body = _later(name, main, inside, _EXPORT.sub("", _IMPORT.sub(lambda found: _taken(name, found), text)))
    return f'{{ // {name}\n{body.strip()}\nmodules["{name}"] = {{ {own} }};\n}}\n'


def _outside(name: str, text: str, main: str, inside: Collection[str]) -> str:
    """A module that may import some of those that are joined."""

    def taken(found: re.Match[str]) -> str:
        return _taken(name, found) if _resolved(name, found[2]) in inside else found[0]

    changed = _later(name, name, inside, _IMPORT.sub(taken, text))
    return changed if changed == text else f'import {{ modules }} from "{_relative(main, name)}";\n{changed}'


def _later(name: str, shown_in: str, inside: Collection[str], text: str) -> str:
    """What a module loads later, as the file names it that the module is in; or takes, where it is joined."""

    def later(found: re.Match[str]) -> str:
        module = _resolved(name, found[1])
        return f'modules["{module}"]' if module in inside else f'import("{_relative(module, shown_in)}")'

    return _LATER.sub(later, text)


def _taken(name: str, found: re.Match[str]) -> str:
    """An import as a constant."""
    names, module = found[1], _resolved(name, found[2])
    return f'const {names.replace(" as ", ": ")} = modules["{module}"];\n' if names else ""


def _relative(module: str, name: str) -> str:
    path = relpath(module, dirname(name))
    return path if path.startswith(".") else f"./{path}"


def _imported(module: str, sources: dict[str, str]) -> list[str]:
    return [_resolved(module, name) for _, name in _IMPORT.findall(sources[module])]


def _resolved(module: str, imported: str) -> str:
    return normpath(join(dirname(module), imported))
