"""The prompt lists that come with voxmatrix."""

import pytest

from voxmatrix.serve.recordings.prompt_list import bundled_lists


@pytest.mark.parametrize("name", ["en", "sv"])
def test_a_bundled_list_is_ready_to_be_read(name: str) -> None:
    prompts = bundled_lists()[name].prompts
    assert len(prompts) >= 60
    assert len(set(prompts)) == len(prompts)
    for prompt in prompts:
        assert prompt == prompt.strip() and prompt[-1] in ".?!"
        assert 25 <= len(prompt) <= 90
        assert not any(map(str.isdigit, prompt))  # a number can be read in several ways


@pytest.mark.parametrize(
    ("name", "letters"), [("en", "abcdefghijklmnopqrstuvwxyz"), ("sv", "abcdefghijklmnoprstuvyåäö")]
)
def test_every_letter_occurs(name: str, letters: str) -> None:
    assert set(letters) <= set("".join(bundled_lists()[name].prompts).lower())


@pytest.mark.espeak
@pytest.mark.parametrize(
    ("name", "sounds"),
    [
        ("en", "θ ð ʃ ʒ tʃ dʒ ŋ ɹ w j h æ ʌ ʊ uː ɔː ɔɪ aʊ aɪ eɪ oʊ"),
        ("sv", "x ɕ ʂ ŋ ʉ uː yː øː oː ɛː iː ɑː j v h r"),
    ],
)
def test_every_sound_occurs_several_times(name: str, sounds: str) -> None:
    from voxmatrix.text.phonemes.phonemizer import phonemizer

    found = bundled_lists()[name]
    opened = phonemizer("espeak", found.language)
    spoken = "".join("".join(each) for each in opened.phonemes(list(found.prompts)))
    opened.close()
    assert {sound for sound in sounds.split() if spoken.count(sound) < 3} == set()
