"""Modules of the page as one file."""

import shutil
import subprocess
from pathlib import Path

import pytest

from voxmatrix.serve.page.modules import imports, joined, loaded_later, naming_all_imports

SOURCES = {
    "js/main.js": """import { count, Word as Said } from "./a/count.js";
import "./a/first.js";
console.log(count(), new Said().text);
import("./later.js").then(async (later) => console.log(await later.counted()));
""",
    "js/a/count.js": """import { one } from "./first.js";

let counted = 0;
export const step = one;
export function count() {
  return (counted += step);
}
export async function later() {
  return (await import("../b/more.js")).more + (await import("./first.js")).one;
}
export class Word {
  text = "word";
}
""",
    "js/a/first.js": 'console.log("first");\nexport const one = 1;\n',
    "js/later.js": """import { count, later } from "./a/count.js";
import { more } from "./b/more.js";
export const counted = async () => [count(), more, await later()];
""",
    "js/b/more.js": """import { later } from "../a/count.js";
import { most } from "./most.js";
export const more = most(later);
""",
    "js/b/most.js": "export const most = (value) => typeof value;\n",
}


def test_imports_are_followed_to_their_end() -> None:
    assert imports("js/main.js", SOURCES) == ["js/a/count.js", "js/a/first.js"]
    assert loaded_later("js/main.js", SOURCES) == ["js/later.js"]
    assert loaded_later("js/a/count.js", SOURCES) == ["js/b/more.js", "js/a/first.js"]
    named = naming_all_imports("js/later.js", SOURCES, "js/main.js")
    assert named == SOURCES["js/later.js"] + 'import "./b/more.js";\nimport "./b/most.js";\n'


def test_the_modules_of_the_first_tab_are_one_file() -> None:
    sent = joined("js/main.js", SOURCES)
    assert set(sent) == {"js/main.js", "js/later.js", "js/b/more.js", "js/b/most.js"}
    assert sent["js/b/most.js"] == SOURCES["js/b/most.js"]
    assert 'import("./b/more.js")' in sent["js/main.js"]  # as it is from there
    assert sent["js/b/more.js"].startswith('import { modules } from "../main.js";\n')


@pytest.mark.node
@pytest.mark.parametrize("joins", [False, True])
def test_they_do_what_they_did_and_hold_one_of_everything(tmp_path: Path, joins: bool) -> None:
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    for name, text in (joined("js/main.js", SOURCES) if joins else SOURCES).items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    node = shutil.which("node") or "node"
    ran = subprocess.run([node, tmp_path / "js/main.js"], capture_output=True, text=True, check=True, timeout=300)
    assert ran.stdout.split("\n")[:-1] == ["first", "1 word", "[ 2, 'function', 'function1' ]"]
