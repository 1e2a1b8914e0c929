"""Which voice speaks the language of a text."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.piper.conftest import *  # noqa: F403  # make_onnx
from tests.serve.page.conftest import add_voice
from voxmatrix.voices.languages import base_language, installed_voice_for, speaks
from voxmatrix.voices.resolve import resolve


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VOXMATRIX_HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("tag", "language"), [("es-419", "es"), ("pt_BR", "pt"), ("EN-us", "en"), ("no", "nb"), ("cmn", "zh"), ("", "")]
)
def test_a_tag_is_of_a_language(tag: str, language: str) -> None:
    assert base_language(tag) == language


@pytest.mark.usefixtures("home")
def test_an_included_voice_speaks_its_language() -> None:
    found = installed_voice_for("fr-CA")
    assert found is not None and found.id == "fr_FR-siwis-student"
    assert speaks(found, "fr") and not speaks(found, "es")
    assert installed_voice_for("sv") is None


def test_an_included_voice_comes_before_ones_own_which_may_be_of_ten_seconds(
    home: Path, make_onnx: Callable[..., Path]
) -> None:
    for name, code in (("aaa", "es"), ("bbb", "sv"), ("ccc", "de")):
        path = add_voice(home, name, make_onnx("tiny", 1, "text"))
        config = json.loads(Path(f"{path}.json").read_text(encoding="utf-8"))
        Path(f"{path}.json").write_text(json.dumps({**config, "espeak": {"voice": code}}), encoding="utf-8")
    (home / "voices" / "ccc.onnx.json").write_text("{", encoding="utf-8")
    names = {language: getattr(installed_voice_for(language), "id", None) for language in ("es", "sv", "de")}
    assert names == {"es": "es_ES-dora-student", "sv": "bbb", "de": None}


@pytest.mark.usefixtures("home")
def test_a_voice_that_does_not_say_what_it_speaks_may_speak_all() -> None:
    from dataclasses import replace

    assert speaks(replace(resolve(), languages=("",)), "sv")
