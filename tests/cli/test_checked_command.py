"""What must be known before a command computes is found out when its words are understood, and at no other time."""

from pathlib import Path

import pytest
import typer

from voxmatrix.cli import main
from voxmatrix.errors import NoKernelsError


def stop(context: typer.Context) -> None:
    raise NoKernelsError(f"{context.info_name} {context.params['device']}", "use another image")


@pytest.mark.parametrize(
    "words", [["train", "nowhere", "--out", "run"], ["speak", "--text", "Hi"], ["speak", "--batch", "nowhere"]]
)
def test_it_stands_before_what_computes(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert main.run([*words, "--device", "cuda:7"], check=stop) == 5
    assert f"{words[0]} cuda:7" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["train", "--help"], ["devices"], ["export", "audio", "--help"]])
def test_it_does_not_stand_before_what_does_not(words: list[str]) -> None:
    assert main.run(words, check=stop) == 0


def test_words_that_are_not_understood_come_first() -> None:
    assert main.run(["train", "--no-such-flag"], check=stop) == 2


def test_what_is_done_first_is_done_before_the_words_are_read(tmp_path: Path) -> None:
    done: list[int] = []
    assert main.run(["--version"], first=lambda: done.append(1)) == 0
    assert main.run(["no such word"], first=lambda: done.append(2)) == 2
    assert done == [1, 2]


def test_an_error_of_it_has_its_exit_code() -> None:
    def first() -> None:
        raise NoKernelsError("no kernels")

    assert main.run(["--version"], first=first) == 5
