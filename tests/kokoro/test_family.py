"""Kokoro's voices are found, named, mixed and refused."""

import re
from pathlib import Path

import numpy as np
import pytest

from tests.kokoro.conftest import write_network
from voxmatrix.cli import main
from voxmatrix.config import home
from voxmatrix.errors import BadInputError
from voxmatrix.kokoro.styles import read_styles
from voxmatrix.voices.resolve import installed, resolve
from voxmatrix.work.cluster.store import open_store
from voxmatrix.work.cluster.voices import fetch, publish, shared_voice


def test_its_voices_are_listed_the_best_first_and_without_those_it_cannot_pronounce(kokoro: Path) -> None:
    listed = [name for name in installed() if name.startswith("kokoro/")]
    assert listed == ["kokoro/af_heart", "kokoro/af_bella", "kokoro/bf_emma", "kokoro/ff_siwis"]


def test_a_card_says_who_speaks(kokoro: Path) -> None:
    card = resolve("kokoro/bf_emma")
    assert (card.language, card.gender, card.rate_hz, card.license) == ("en-gb", "female", 24_000, "Apache-2.0")
    assert card.title == "Emma: British English, female"
    assert [path.name for path in card.files] == ["bf_emma.bin", "kokoro-v1.0.int8.onnx"]


@pytest.mark.parametrize("name", ["af_bella.bin", "voices/kokoro/voices/af_bella.bin", "voices/kokoro"])
def test_a_file_and_a_folder_are_voices(name: str, kokoro: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home())
    assert resolve(name).family == "kokoro"


def test_the_most_exact_network_is_used(kokoro: Path) -> None:
    exact = write_network(kokoro / "kokoro-v1.0.onnx")
    exact.write_bytes(exact.read_bytes() + b"\0" * 100)
    assert resolve("kokoro/af_heart").files[1] == exact


def test_a_mixture_is_a_voice_with_a_digest_of_its_own(kokoro: Path) -> None:
    mixed = resolve("kokoro/af_heart(2)+bf_emma(1)")
    assert mixed.id == "kokoro/af_heart(2)+bf_emma(1)"
    assert mixed.title == "Heart + Emma: American English, female"
    assert mixed.files[0].is_relative_to(home() / "cache")
    assert len({mixed.digest, resolve("kokoro/af_heart").digest, resolve("kokoro/bf_emma").digest}) == 3


@pytest.mark.parametrize("tag", ["f", "F", "fr-fr", "fr_FR"])
def test_a_voice_speaks_another_language_and_is_another_voice(tag: str, kokoro: Path) -> None:
    card, own = resolve(f"kokoro/bf_emma@{tag}"), resolve("kokoro/bf_emma")
    assert (card.id, card.language, card.title) == ("kokoro/bf_emma@f", "fr-fr", "Emma: French, female")
    assert card.digest not in (own.digest, resolve("kokoro/bf_emma@a").digest)
    assert np.array_equal(read_styles(card.path), read_styles(own.path))
    mixed = resolve(f"kokoro/bf_emma+af_heart@{tag}")
    assert (mixed.id, mixed.language, mixed.gender) == ("kokoro/bf_emma+af_heart@f", "fr-fr", "female")


@pytest.mark.parametrize("tag", ["b", "en-gb"])
def test_the_language_of_a_voice_changes_nothing(tag: str, kokoro: Path) -> None:
    assert resolve(f"kokoro/bf_emma@{tag}") == resolve("kokoro/bf_emma")
    assert resolve(f"kokoro/bf_emma+af_heart@{tag}") == resolve("kokoro/bf_emma+af_heart")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("kokoro/af_heart@j", "do not speak Japanese here, only a (en-us), b (en-gb)"),
        ("kokoro/af_heart@zh", "do not speak Mandarin"),
        ("kokoro/af_heart@xx", "do not speak 'xx'"),
        ("kokoro/af_heart@e@f", "do not speak 'e@f'"),
        ("kokoro/af_heart@", "there is no voice kokoro/af_heart@"),
        ("kokoro/@e", "there is no voice kokoro/ for"),
        ("kokoro/../../x@e", "there is no voice kokoro/../../x for"),
    ],
)
def test_a_language_that_is_not_spoken_is_refused(name: str, said: str, kokoro: Path) -> None:
    with pytest.raises(BadInputError, match=re.escape(said)):
        resolve(name)


def test_what_cannot_be_a_voice_is_refused_with_what_can(kokoro: Path) -> None:
    with pytest.raises(BadInputError, match="Japanese"):
        resolve(kokoro / "voices" / "jf_alpha.bin")
    with pytest.raises(BadInputError, match="no voice kokoro/af_nobody") as caught:
        resolve("kokoro/af_nobody+af_heart")
    assert "af_bella" in caught.value.remedy
    odd = (kokoro / "voices" / "af_heart.bin").rename(kokoro / "voices" / "zz.bin")
    with pytest.raises(BadInputError, match="Mandarin"):
        resolve(odd)
    with pytest.raises(BadInputError, match="does not say its language"):
        resolve(odd.rename(odd.with_name("mine.bin")))


def test_without_its_network_there_is_no_voice(kokoro: Path) -> None:
    (kokoro / "kokoro-v1.0.int8.onnx").unlink()
    assert not [name for name in installed() if name.startswith("kokoro/")]
    with pytest.raises(BadInputError, match=r"network of the voice .* is missing"):
        resolve(kokoro / "voices" / "af_heart.bin")


def test_what_only_our_voices_can_is_refused(
    kokoro: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main.run(["export", "voice", "kokoro/af_heart", "--out", "x.onnx"]) == 3
    assert "family kokoro" in capsys.readouterr().err


def test_a_worker_of_a_cluster_has_the_same_voice(
    kokoro: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(str(tmp_path / "store"), "")
    sent = [resolve(name) for name in ("kokoro/bf_emma", "kokoro/bf_emma(2)+af_heart(1)", "kokoro/bf_emma@f")]
    for card in sent:
        publish(store, shared_voice(card), card.files)
    shared = [shared_voice(card) for card in sent]
    monkeypatch.setenv("VOXMATRIX_HOME", str(tmp_path / "worker"))
    for card, voice in zip(sent, shared, strict=True):
        there = resolve(fetch(store, voice))
        assert (there.id, there.digest, there.language) == (card.id, card.digest, card.language)
        assert there.files[1].is_relative_to(tmp_path / "worker")
