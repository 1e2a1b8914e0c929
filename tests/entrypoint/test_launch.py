"""Words of ours run in this process; in an image, other words are programs."""

import subprocess
import sys

import pytest

from entrypoint import launch

IN_IMAGE = {launch.IN_IMAGE: "cpu"}


def test_a_foreign_word_in_an_image_is_a_program() -> None:
    assert launch.foreign_program(["sh", "-c", "true"], IN_IMAGE)


@pytest.mark.parametrize("words", [[], ["--help"], ["train", "x"], ["no-such-program-anywhere"]])
def test_our_words_flags_and_nonsense_are_ours_to_answer(words: list[str]) -> None:
    assert launch.foreign_program(words, IN_IMAGE) is None


def test_outside_an_image_a_foreign_word_is_a_mistake() -> None:
    assert launch.foreign_program(["sh"], {}) is None


def test_the_module_is_the_program() -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "entrypoint", "--version"], capture_output=True, text=True, check=False, timeout=60
    )

    assert answer.returncode == 0
    assert answer.stdout.startswith("voxmatrix ")
