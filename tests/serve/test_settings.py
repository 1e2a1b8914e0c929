"""What is set for a server holds for every door; for Wyoming's: wyoming/test_server.py."""

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serve.conftest import Running, running
from tests.toys.family import added, voice_of
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.style import Output, Style
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.serve.jobs.kinds.speech import SpeechJobRequest
from voxmatrix.serve.settings import ServeSettings
from voxmatrix.speak.output import speak_to
from voxmatrix.speak.wav import HEADER_BYTES
from voxmatrix.text.lexicon import Lexicon
from voxmatrix.text.lexicon_file import read_lexicon

SERVERS = Lexicon.of(
    {"": {"Bo": "Bodo Bodo", "Anna": "Annika"}, "en": {"canoe": "kanoo kanoo"}, "xx": {"Eve": "Evelina"}}
)
TEXT = "It is Bo, Anna and Eve in a canoe."
SAID = "It is Bodo Bodo, Annika and Eve in a kanoo kanoo."


@pytest.fixture(scope="module")
def voice(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VoiceCard]:
    with added():
        yield voice_of(tmp_path_factory.mktemp("voices") / "bells.tones", noise=0.0)


@pytest.fixture(scope="module")
def server(voice: VoiceCard) -> Iterator[Running]:
    given = ServeSettings(
        voice=voice.path, port=0, device=DeviceRequest(kind="cpu"), threads=1, sentence_pause=0.0,
        lexicon=SERVERS,
    )  # fmt: skip
    with running(given) as started:
        yield started


def spoken(text: str, voice: VoiceCard) -> bytes:
    speak_to(out := io.BytesIO(), text, voice, Style(seed=1, pause_seconds=0.0), output=Output(raw=True))
    return out.getvalue()


def test_a_lexicon_is_used_by_every_door_in_the_language_of_the_voice(voice: VoiceCard, server: Running) -> None:
    assert voice.language.startswith("en")
    wanted = spoken(SAID, voice)
    assert wanted != spoken(TEXT, voice)
    assert server.speak(input=TEXT, seed=1).content[HEADER_BYTES:] == wanted
    assert server.post("/synthesize", {"text": TEXT}).content[HEADER_BYTES:] == wanted


def test_the_words_of_a_request_are_stronger(voice: VoiceCard, server: Running) -> None:
    said = server.speak(input=TEXT, seed=1, lexicon={"bo": "Boris", "Canoe": "boat"})
    assert said.content[HEADER_BYTES:] == spoken(SAID.replace("Bodo Bodo", "Boris"), voice)


def test_a_job_gets_it_as_a_file(server: Running, tmp_path: Path) -> None:
    request = SpeechJobRequest(kind="speech", text=TEXT, lexicon={"Bo": "Boris"})
    assert f"--lexicon={tmp_path / 'lexicon.txt'}" in request.work(server.services.jobs.sources, tmp_path).words
    assert read_lexicon(tmp_path / "lexicon.txt") == SERVERS.under(Lexicon((("Bo", "Boris"),)))
