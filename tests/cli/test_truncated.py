"""Each file of a home, cut at its beginning, at a third and at two: what lists it names it, and all else works."""

import shutil
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest
from hypothesis import settings

from tests.piper.conftest import checkpoint_content, make_checkpoint, make_onnx  # noqa: F401 (fixtures)
from tests.toys.family import tones, write_voice  # noqa: F401 (a fixture)
from tests.toys.home import cut, cuts, files_of, fill_home
from voxmatrix.cli import main
from voxmatrix.config import home

SPEAK = ("speak", "--force", "--text", "It begins.", "--out", "out.wav", "--voice")
BOOK = ("book", "book.md", "--voice", "v.tones", "--out", "out.flac", "--force")
PREPARE = ("prepare", "data", "--phonemes", "text", "--workers", "1", "--force")
#: Commands that use a file of the home, and what they say if it is damaged; they speak only if that is nothing.
#: Nothing: it is made anew, or a part of it may be a whole one.
USES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("voices/mine.onnx", (*SPEAK, "mine"), "mine.onnx"),
    ("voices/mine.onnx.json", (*SPEAK, "mine"), "mine.onnx.json"),
    ("voices/kokoro/*.onnx", (*SPEAK, "kokoro/af_heart"), "kokoro-v1.0"),
    ("voices/kokoro/voices/af_heart.bin", (*SPEAK, "kokoro/af_heart"), "af_heart.bin"),
    ("voices/toy/bell.voice", (*SPEAK, "toy/bell"), "bell.voice"),
    ("engines/toy/engine.toml", (*SPEAK, "toy/bell"), "engine"),
    ("voices/remote/other/anna.toml", ("voices", "list"), "anna.toml"),
    ("remotes.toml", ("voices", "list"), "remotes.toml"),
    ("voices/default", ("voices", "list"), "voices/default"),
    ("keys.txt", ("serve", "--keys", "home/keys.txt"), "keys.txt"),
    ("lexicon.txt", (*SPEAK, "v.tones", "--lexicon", "home/lexicon.txt"), "lexicon.txt"),
    ("profiles/*", ("profiles", "list"), "measure again"),
    ("settings.toml", (*SPEAK, "v.tones"), ""),
    ("jobs/book-*/ledger.sqlite", BOOK, "ledger.sqlite"),
    ("jobs/book-*/audio/*/*.wav", BOOK, "spoken again"),
    ("cache/prepared/*", (*SPEAK, "mine"), ""),
    ("cache/*", PREPARE, ""),
)
#: Commands that work whatever is damaged in the home, with what they say of it.
ALWAYS = (("voices", "list"), ("profiles", "list"), ("engines", "list"), ("devices",), (*SPEAK, "v.tones"))
#: How many cases are tried, unless it is all of them.
SOME = 12


@pytest.fixture
def whole(
    make_onnx: Callable[..., Path],  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    tones: None,  # noqa: F811
    forked_programs: None,
) -> Iterator[Path]:
    """A copy of a full home, which commands have used."""
    monkeypatch.setenv("VOXMATRIX_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("VOXMATRIX_THREADS", "1")
    monkeypatch.chdir(tmp_path)
    fill_home(make_onnx("tiny", phoneme_type="text"))
    write_voice(Path("v.tones"))
    Path("book.md").write_text("# One\n\nIt begins. It goes on.\n", encoding="utf-8")
    shutil.copytree(home() / "recordings" / "Anna" / "First", "data")
    for words in (BOOK, PREPARE, (*SPEAK, "mine")):
        assert main.run(words) == 0
    yield shutil.copytree(home(), tmp_path / "whole", symlinks=True)


def test_no_truncated_file_hides_another_or_is_hidden(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run(words: tuple[str, ...]) -> tuple[int, str]:
        code = main.run(words)
        said = "".join(capsys.readouterr())
        assert "Traceback" not in said and code != 1, (words, code, said)
        return code, said

    every = list(cuts(files_of(whole)))
    wrong = []
    full = settings().max_examples >= settings.get_profile("full").max_examples
    for name, part in every if full else every[3 :: len(every) // SOME]:
        shutil.rmtree(home())
        shutil.copytree(whole, home(), symlinks=True)
        cut(home() / name, part)
        try:
            check(name, run)
        except Exception as failed:
            wrong.append(f"{name} at {part:.2f}: {type(failed).__name__}: {failed}"[:900])
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong)


def check(name: Path, run: Callable[[tuple[str, ...]], tuple[int, str]]) -> None:
    """Something of the home is damaged: what uses it says so, and nothing else suffers."""
    for pattern, words, wanted in USES:
        if fnmatch(name.as_posix(), pattern):
            code, said = run(words)
            assert wanted in said and (wanted or code in (0, 2)), (code, said)  # 2: settings, which are named
            assert code in (3, 8, 9) or not wanted or words[0] != "speak", (code, said)
            break
    for words in ALWAYS:
        code, said = run(words)
        assert code == 0 or (code == 2 and name.name in said), (words, code, said)
        if words == ("voices", "list") and code == 0:
            for voice in ("mine", "kokoro/af_heart", "kokoro/af_bella", "toy/bell"):
                assert voice in said or name.name.startswith(voice.rpartition("/")[2]), (voice, said)
