"""Messages name settings, and whoever shows them says how."""

import re
from pathlib import Path
from typing import Any

import typer.main

from voxmatrix.cli.main import cli
from voxmatrix.errors import UsageError
from voxmatrix.wording import choice, did_you_mean, plain, quoted, with_messages

PACKAGE = Path(__file__).parents[1] / "app" / "voxmatrix"


def test_a_setting_is_plain_unless_it_is_said_otherwise() -> None:
    assert plain("`noise_w` is 3: set `device=cpu`, and see `voxmatrix voices list`") == (
        "noise_w is 3: set device = cpu, and see `voxmatrix voices list`"
    )
    assert str(UsageError("`speed` is 0", "set `speed=1`")) == "speed is 0\nset speed = 1"


def test_a_quoted_text_names_no_setting() -> None:
    assert plain(quoted("turn `speed` up")) == repr("turn 'speed' up")


def test_a_name_that_is_nearly_right_is_recognised() -> None:
    names = ["en_US-heart-student", "es_ES-dora-student", "kokoro/af_heart", "kokoro/af_bella"]
    assert did_you_mean("heart", names) == "did you mean kokoro/af_heart or en_US-heart-student?"
    assert did_you_mean("Dora", names) == "did you mean es_ES-dora-student?"
    assert did_you_mean("kokoro/af_haert", names) == "did you mean kokoro/af_heart?"
    assert did_you_mean("bela", names) == "did you mean kokoro/af_bella?"
    assert did_you_mean("my narrator", names, {"kokoro/af_bella": "My Narrator"}) == "did you mean kokoro/af_bella?"
    assert did_you_mean("gone", names) == did_you_mean("", names) == ""


def test_of_many_names_those_are_listed_that_may_be_meant() -> None:
    voices = [
        f"kokoro/{kind}_{name}" for kind in ("af", "am", "bf", "bm") for name in ("bella", "heart", "adam", "emma")
    ]
    assert choice("x", voices[:10]) == ", ".join(voices[:10])
    assert choice("kokoro/af_hart", voices).startswith("kokoro/af_heart, ")
    for wanted in ("kokoro/af_hart", "x", ""):
        assert choice(wanted, voices).endswith(" …") and choice(wanted, voices).count("kokoro/") <= 10


def test_messages_in_json_are_found_wherever_they_are() -> None:
    content = {"a": [{"problem": "x", "b": "x"}], "reason": "x", "left_out": ["x", "x"], "problem": None}
    found = {"a": [{"problem": "y", "b": "x"}], "reason": "y", "left_out": ["y", "y"], "problem": None}
    assert with_messages(content, lambda text: "y") == found


def test_every_setting_that_a_message_names_is_an_option() -> None:
    named = {
        (setting, path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if '"""' not in line and not line.lstrip().startswith("#")
        for text in re.findall(r'"[^"]*"', line)
        for setting in re.findall(r"`([a-z][a-z0-9_]*)(?:=[^`]*)?`", text)
    }
    known = {flag.lstrip("-").replace("-", "_") for flag in _flags(typer.main.get_command(cli))}
    assert len(named) > 50
    assert {(setting, place) for setting, place in named if setting not in known} == set()


def _flags(command: Any) -> set[str]:
    own = {flag for option in command.params for flag in option.opts}
    return own.union(*(_flags(inner) for inner in getattr(command, "commands", {}).values()))
