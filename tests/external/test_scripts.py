"""A dialogue goes to an engine as one script, where one model speaks all of its voices; each has its recording."""

import wave
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.serve.conftest import running
from tests.toys.engines import install_engine, write_toy_voice
from voxmatrix.cli import main
from voxmatrix.external.process import EngineProcess
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.style import Role, Style
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.serve.settings import ServeSettings
from voxmatrix.speak import synthesize
from voxmatrix.speak.synthesize import in_words
from voxmatrix.voices.clone import keep_recording
from voxmatrix.voices.resolve import resolve

_TOGETHER = {"reference = {seconds": "speakers_in_one_text = 2\nreference = {count = 2, seconds"}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[Any, list[str]]]]:
    """What the engine is asked to speak, with the words of the recordings. Ann and Bob have one, and Cy has none."""
    install_engine(**_TOGETHER)
    install_engine("other", **_TOGETHER)
    for number, name in enumerate(("ann", "bob")):
        sha256 = keep_recording(np.random.default_rng(number).standard_normal(48_000 * 4).astype(np.float32) / 10)
        write_toy_voice(name, reference={"sha256": sha256, "transcript": f"I am {name}."})
    write_toy_voice("cy")
    write_toy_voice("elsewhere", engine="other")
    found: list[tuple[Any, list[str]]] = []
    speak = EngineProcess.speak

    def recorded(self: EngineProcess, request: Any, recordings: Any, *more: Any) -> Any:
        found.append((request.get("turns") or request["text"], [one.transcript if one else "" for one in recordings]))
        return speak(self, request, recordings, *more)

    monkeypatch.setattr(EngineProcess, "speak", recorded)
    yield found


def speak(folder: Path, text: str, *words: str, voice: str = "ann") -> np.ndarray:
    out = folder / "out.wav"
    given_ = ["speak", "--voice", f"toy/{voice}", "--seed", "1", "--text", text, "--out", str(out), "--force", *words]
    assert main.run(given_) == 0
    with wave.open(str(out)) as sound:
        return np.frombuffer(sound.readframes(10**9), "<i2")


def test_a_dialogue_is_one_script_with_the_recording_of_each_speaker(asked: list[Any], tmp_path: Path) -> None:
    text = "[voice:bob] Hello. Who is there? [voice] It is 3. [voice:bob] Ah."
    first = speak(tmp_path, text)
    turns = (("bob", "Hello. Who is there?"), ("", "It is three."), ("bob", "Ah."))
    assert asked == [(turns, ["I am bob.", "I am ann."])]
    assert np.array_equal(speak(tmp_path, text), first)


def test_lines_of_speakers_are_voices_of_the_cast_or_those_of_the_model(asked: list[Any], tmp_path: Path) -> None:
    (tmp_path / "cast").write_text("Speaker 2|toy/bob\n")
    speak(
        tmp_path,
        "Speaker 1: Hello.\nspeaker 2: Hi there!\nSpeaker 1: Bye.\n",
        "--cast",
        str(tmp_path / "cast"),
        voice="cy",
    )
    turns = (("speaker 1", "Hello."), ("speaker 2", "Hi there!"), ("speaker 1", "Bye."))
    assert asked == [(turns, ["", "I am bob."])]


@pytest.mark.parametrize(
    ("text", "words", "count"),
    [
        ("Hello. Who is there?", [], 2),
        ("[voice:bob] Hello. [pause:1s] [voice] Hi.", [], 2),
        ("[voice:bob] Hello. [rate:0.8] [voice] Hi.", [], 2),
        ("[voice:bob] Hello. [voice:elsewhere] Hi.", [], 2),
        ("[voice:bob] Hello. [voice] Hi. [voice:cy] Bye. [voice:bob] So.", [], 2),  # two speakers in each
    ],
)
def test_what_cannot_be_one_script_is_spoken_one_by_one(
    text: str, words: list[str], count: int, asked: list[Any], tmp_path: Path
) -> None:
    speak(tmp_path, text, *words)
    assert len(asked) == count


def test_with_captions_each_sentence_is_spoken_alone(asked: list[Any], tmp_path: Path) -> None:
    speak(tmp_path, "[voice:bob] Hello. [voice] Hi.", "--captions", str(tmp_path / "out.srt"))
    assert [text for text, _ in asked] == ["Hello.", "Hi."]
    assert (tmp_path / "out.srt").read_text().count("-->") == 2


def test_it_is_served_as_a_script(asked: list[Any]) -> None:
    settings = ServeSettings(voice=Path("toy/cy"), port=0, device=DeviceRequest(kind="cpu"), threads=1)
    with running(settings) as server:
        text = "Speaker 1: Hello.\n[voice:toy/bob] Hi.\n"
        answer = server.speak(voice="toy/cy", input=text, seed=1, response_format="pcm")
        again = server.speak(voice="toy/cy", input=text, seed=1, response_format="pcm")
    assert answer.status_code == 200 and np.array_equal(answer.content, again.content)
    assert asked == 2 * [((("speaker 1", "Hello."), ("toy/bob", "Hi.")), ["", "I am bob."])]


_SENTENCE = st.tuples(
    st.sampled_from(["", "bob", "cy", "elsewhere"]), st.sampled_from(["Hello.", "It goes on and on."])
)


def test_scripts_keep_all_words_in_order_and_are_no_longer_than_they_may_be(
    asked: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(synthesize, "MAX_SCRIPT_CHARACTERS", 60)
    cards: dict[str, VoiceCard] = {name: resolve(name) for name in ("ann", "bob", "cy", "elsewhere")}
    style = Style(cast={name: Role(str(card.path)) for name, card in cards.items() if name != "ann"})

    @given(st.lists(_SENTENCE, max_size=12))
    def check(said: list[tuple[str, str]]) -> None:
        text = " ".join(f"[voice:{name}] {words}" if name else f"[voice] {words}" for name, words in said)
        spoken = list(in_words([text], cards["ann"], style, scripts=True))
        assert " ".join(one.text for one in spoken) == " ".join(words for _, words in said)
        for one in spoken:
            assert not one.turns or " ".join(words for _, words in one.turns) == one.text
            assert not one.turns or (len(one.text) < 60 and {name for name, _ in one.turns} < {"", "bob", "cy"})

    check()
