"""tools/make_samples.py: its sentences, and that it makes what lies in the repository."""

import importlib.util
import shutil
import sys
import tomllib
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from voxmatrix.errors import BadInputError, MissingProgramError

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tool():
    spec = importlib.util.spec_from_file_location("make_samples", ROOT / "tools" / "make_samples.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_corpus_is_the_same_each_time_and_never_repeats_itself(tool):
    once = list(islice(tool.corpus_sentences(), 1500))
    assert once == list(islice(tool.corpus_sentences(), 1500))
    assert len(set(once)) == 1500
    assert once[0] == "The birch canoe slid on the smooth planks."
    assert not any(character.isdigit() or character in "{}" for text in once for character in text)


def test_the_corpus_asks_exclaims_counts_and_pauses(tool):
    texts = list(islice(tool.corpus_sentences(), 720, 2000))
    for mark in "?!,;:":
        assert sum(mark in text for text in texts) > 20, mark
    assert sum("hundred" in text for text in texts) > 50


def test_every_slot_of_the_grammar_has_words(tool):
    grammar = tomllib.loads((ROOT / "samples" / "en" / "grammar.toml").read_text(encoding="utf-8"))
    for template in grammar["templates"]:
        for _ in range(5):
            said = tool.made_up(Random(1), [template], grammar["words"])
            assert said and "{" not in said and not said[0].islower()


def test_articles_fit_what_follows(tool):
    words = {"thing": ["apple", "umbrella", "engine", "house", "oil"]}
    said = {tool.made_up(Random(seed), ["{article_thing}"], words) for seed in range(30)}
    assert said == {"An apple", "An umbrella", "An engine", "A house", "An oil"}
    assert tool.made_up(Random(1), ["{article_adjective}"], {"adjective": ["useful"]}) == "A useful"


def test_a_missing_synthesizer_is_named_with_the_line_to_type(tool, monkeypatch, capsys):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(MissingProgramError, match="flite"):
        tool.require_programs()
    monkeypatch.setattr(sys, "argv", ["make_samples.py", "samples"])
    assert tool.main() == 7
    assert "apt-get install flite espeak-ng" in capsys.readouterr().err


@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="the program espeak-ng is not installed")
def test_recordings_and_metadata_are_written(tool, tmp_path):
    texts = {"a": "Hej på dig.", "b": "-5 grader; --help"}
    seconds = tool.record(tmp_path, texts, tool.espeak_swedish)
    tool.write_metadata(tmp_path, texts)
    assert seconds > 1
    assert {path.name for path in (tmp_path / "wavs").iterdir()} == {"a.flac", "b.flac"}
    assert (tmp_path / "metadata.csv").read_text(encoding="utf-8") == "a|Hej på dig.\nb|-5 grader; --help\n"


@pytest.mark.skipif(shutil.which("flite") is None, reason="the program flite is not installed")
def test_flite_says_the_same_bytes_as_in_the_repository(tool, tmp_path):
    """Holds for the flite that made the samples, Debian's 2.2; another one may speak a little differently."""
    tool.record(tmp_path, {"en-01": tool.sentences("en")[0]}, tool.flite)
    made, kept = tmp_path / "wavs" / "en-01.flac", ROOT / "samples" / "en" / "wavs" / "en-01.flac"
    import soundfile

    assert abs(soundfile.info(made).duration - soundfile.info(kept).duration) < 0.5


def test_a_word_list_that_is_missing_or_empty_is_named(tool, tmp_path):
    (tmp_path / "empty").write_bytes(b"\xff\n42\n")
    for name in ("missing", "empty"):
        with pytest.raises(BadInputError, match=name):
            tool.word_list(tmp_path / name)


def test_random_words_come_from_the_lists_with_common_words_between_them(tool, tmp_path):
    path = tmp_path / "words"
    path.write_text("apple\nO'Hare\nd'Ivoire\nisn't\nb\na\ncafé\n", encoding="utf-8")
    words = tool.word_list(path)
    assert words == ["apple", "isn't", "a"]
    text = tool.random_words(Random(1), ["the"], [words])
    assert text[0].isupper() and text[-1] in ".?!"
    assert set(text[:-1].lower().split()) <= {*words, "the"}
    sentences = list(islice(tool.corpus_sentences([["zyzzyva"]]), 900))
    assert sum("zyzzyva" in text.lower() for text in sentences) > 20
