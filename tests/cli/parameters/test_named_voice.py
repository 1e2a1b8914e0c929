"""Which voice speaks where none is named."""

from pathlib import Path

import pytest

from voxmatrix.cli.parameters.named_voice import beginning, voice_for_language


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOXMATRIX_HOME", str(tmp_path))


def test_a_voice_of_the_language_speaks_where_none_is_named_and_a_line_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert voice_for_language("", "es").id == "es_ES-dora-student"
    said = capsys.readouterr().err
    assert "the text is in the language es: es_ES-dora-student speaks" in said and "--voice" in said


@pytest.mark.parametrize("language", ["en", ""])
def test_the_default_voice_speaks_its_language_and_what_is_not_known(
    language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert voice_for_language("", language).id == "en_US-heart-student"
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("name", "language", "remedy"),
    [
        ("en_US-heart-student", "fr", "choose --voice fr_FR-siwis-student"),
        ("fr_FR-siwis-student", "de", "voxmatrix voices search --language de"),
        ("", "de", "voxmatrix voices search --language de"),
    ],
)
def test_a_voice_that_is_named_or_the_only_one_speaks_with_a_warning(
    name: str, language: str, remedy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert voice_for_language(name, language, "the book").id == (name or "en_US-heart-student")
    said = capsys.readouterr().err
    assert f"the book is in the language {language}" in said and remedy in said


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_text_or_the_beginning_of_a_file_tells_its_language(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "text.txt"
    path.write_text("¿Cómo está? " * 1000, encoding=encoding)
    assert beginning("Hola", None) == "Hola"
    assert beginning(None, path).lstrip("\ufeff").startswith("¿Cómo está? ¿Cómo")
    assert len(beginning(None, path)) < 5000
    assert beginning(None, None) == beginning(None, Path("/dev/null")) == ""
