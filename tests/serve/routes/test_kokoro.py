"""Words with their times, as Kokoro-FastAPI's clients ask for them (its api/src/structures/schemas.py)."""

import base64
import io
import json
import wave
from pathlib import Path

import pytest

from tests.serve.conftest import Running, Serve, copy_voice
from voxmatrix.config import home
from voxmatrix.errors import BadInputError

TEXT = "Hello there, 911 friends. And — goodbye!"
WORDS = ["Hello", "there,", "911", "friends.", "And —", "goodbye!"]


def captioned(server: Running, **fields: object) -> list[dict[str, object]]:
    body = {"model": "kokoro", "input": TEXT, "voice": "alloy", "response_format": "wav", **fields}
    answer = server.post("/dev/captioned_speech", body)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    return [json.loads(line) for line in answer.text.splitlines()]


def check(words: list[dict[str, object]], seconds: float) -> None:
    assert [one["word"] for one in words] == WORDS
    times = [one[name] for one in words for name in ("start_time", "end_time")]
    assert times == sorted(times) and times[0] >= 0 and times[-1] <= seconds
    assert words[4]["start_time"] > words[3]["end_time"] + 0.19  # the pause between sentences


def test_captioned_speech_is_one_object_or_a_line_for_each_piece(server: Running) -> None:
    (whole,) = captioned(server, stream=False)
    with wave.open(io.BytesIO(base64.b64decode(whole["audio"]))) as file:
        check(whole["timestamps"], file.getnframes() / file.getframerate())
    assert whole["audio_format"] == "audio/wav"

    pieces = captioned(server, stream=True)
    sound = b"".join(base64.b64decode(piece["audio"]) for piece in pieces)
    assert sound[:4] == b"RIFF" and len(pieces) > 1
    check([word for piece in pieces for word in piece["timestamps"]], len(sound) / 2 / 16_000)
    assert len([piece for piece in pieces if piece["timestamps"]]) == 2  # each with its sentence


def test_without_timestamps_there_are_none_and_captions_are_written(server: Running) -> None:
    (plain,) = captioned(server, stream=False, return_timestamps=False)
    assert plain["timestamps"] == [] and "captions" not in plain
    (with_srt,) = captioned(server, stream=False, captions="srt")
    assert "-->" in with_srt["captions"] and "Hello there, 911 friends." in with_srt["captions"]
    refused = server.post("/dev/captioned_speech", {"input": TEXT, "captions": "srt"})
    assert (refused.status_code, refused.json()["error"]["param"]) == (400, "captions")


@pytest.mark.parametrize("format_name", ["mp3", "opus", "pcm"])
def test_words_come_with_any_format(server: Running, format_name: str) -> None:
    pieces = captioned(server, stream=True, response_format=format_name)
    assert [word["word"] for piece in pieces for word in piece["timestamps"]] == WORDS


def test_events_of_speech_have_words_if_they_are_asked_for(server: Running) -> None:
    answer = server.speak(input=TEXT, stream_format="sse", timestamp_granularities=["word"])
    events = [json.loads(line.removeprefix("data: ")) for line in answer.text.splitlines() if line]
    said = [word for event in events if event["type"] == "speech.audio.words" for word in event["words"]]
    assert [word["word"] for word in said] == WORDS and all(word["start"] < word["end"] for word in said)
    plain = server.speak(input=TEXT, stream_format="sse")
    assert "speech.audio.words" not in plain.text
    refused = server.speak(timestamp_granularities=["word"])
    assert (refused.status_code, refused.json()["error"]["param"]) == (400, "timestamp_granularities")


def test_the_volume_is_multiplied(server: Running) -> None:
    loud, quiet = (server.speak(response_format="wav", seed=1, volume_multiplier=volume).content for volume in (1, 0.5))
    assert len(loud) == len(quiet)
    peaks = []
    for sound in (loud, quiet):
        with wave.open(io.BytesIO(sound)) as file:
            samples = memoryview(file.readframes(file.getnframes())).cast("h")
            peaks.append(max(map(abs, samples)))
    assert peaks[1] == pytest.approx(peaks[0] / 2, abs=2)


def test_phonemes_are_those_of_the_voice(server: Running) -> None:
    said = server.post("/dev/phonemize", {"text": "Hello there. Bye.", "language": "a"})
    assert said.json() == {"phonemes": "hello there. bye.", "tokens": []}
    unknown = server.post("/dev/phonemize", {"text": "Hej.", "language": "xx"})
    assert (unknown.status_code, unknown.json()["error"]["param"]) == (400, "language")
    named = server.post("/dev/phonemize", {"text": "Hej.", "voice": "nobody"})
    assert (named.status_code, named.json()["error"]["param"]) == (400, "voice")


def test_a_text_may_name_voices_and_have_pauses(serve: Serve, voice: Path) -> None:
    copy_voice(voice, home() / "voices" / "anna.onnx")
    server = serve()

    def samples(text: str) -> bytes:
        answer = server.speak(input=text, seed=1)
        assert answer.status_code == 200, answer.text
        with wave.open(io.BytesIO(answer.content)) as file:
            assert file.getframerate() == 16_000
            return file.readframes(10**7)

    one, other = samples("Hello."), samples("Who is there?")
    both = samples("Hello. [pause:1s] [voice:Anna] Who is there? [pause:500ms]")
    assert both == one + bytes(2 * 16_000 * 12 // 10) + other + bytes(16_000)  # 1.2 s of silence, and half a second
    assert samples('<speak>Hello.<break time="1s"/><voice name="anna">Who is there?</voice></speak>') == both[:-16_000]
    assert len(samples("[rate:0.5] Hello.")) > len(one)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[voice:nobody] Hello.", "[voice:nobody]: there is no such voice"),
        ("[voice:../../etc/passwd] Hello.", "there is no such voice"),
        ("Hello. [pause:60s] a" * 6, "pauses are longer"),
        ("<speak>Hello.", "not well-formed"),
    ],
)
def test_bad_tags_are_the_clients_fault(text: str, message: str, server: Running) -> None:
    answer = server.speak(input=text)
    assert answer.status_code == 400
    assert message in answer.json()["error"]["message"] and answer.json()["error"]["param"] == "input"


def test_a_dialogue_is_spoken_in_turns(serve: Serve, voice: Path) -> None:
    copy_voice(voice, home() / "voices" / "anna.onnx")
    server = serve()
    turns = [{"voice": "random", "text": "Hello."}, {"voice_id": "anna", "text": "Who is there?"}]
    body = {"turns": turns, "pause_between_turns": 1, "response_format": "wav", "seed": 1}
    spoken = server.post("/dev/dialogue", body)
    tagged = server.speak(input="[voice:random] Hello. [pause:1s] [voice:anna] Who is there?", seed=1)
    assert spoken.content == tagged.content and spoken.headers["content-type"] == "audio/wav"
    for wrong in ([], [{"voice": "a] [voice:b", "text": "x"}], [{"voice": "nobody", "text": "x"}]):
        assert server.post("/dev/dialogue", {"turns": wrong}).status_code == 400


def test_other_names_of_voices(serve: Serve, voice: Path) -> None:
    copy_voice(voice, home() / "voices" / "anna.onnx")
    server = serve(aliases={"Narrator": "anna"})
    voices = {one["id"]: one for one in server.get("/v1/audio/voices").json()["voices"]}
    assert voices["narrator"]["alias_of"] == "anna"
    assert "narrator" in server.get("/v1/audio/voices?legacy=true").json()["voices"]
    assert server.speak(voice="NARRATOR", seed=1).content == server.speak(voice="anna", seed=1).content
    assert server.speak(input="[voice:narrator] Hello.").status_code == 200
    assert server.requests(3)[2]["voice"] == "anna"
    with pytest.raises(BadInputError, match="alias"):
        serve(aliases={"narrator": "nobody"})


def test_a_text_may_be_left_as_it_is_written(server: Running) -> None:
    def words(**options: bool) -> int:
        (answer,) = captioned(server, input="It cost $5.", stream=False, normalization_options=options, seed=1)
        return len(base64.b64decode(answer["audio"]))

    assert words(normalize=False) < words(normalize=True) == words(unit_normalization=True)


def test_pauses_and_pronunciations_are_fields(server: Running) -> None:
    def frames(**fields: object) -> int:
        answer = server.speak(input="Hi Bo. Bye.", seed=1, stream=False, **fields)
        assert answer.status_code == 200, answer.text
        with wave.open(io.BytesIO(answer.content)) as file:
            return file.getnframes()

    usual = frames()
    assert frames(sentence_pause=1.2) == usual + 16_000
    assert frames(lexicon={"bo": "Bodo Bodo Bodo"}) > usual
    (said,) = captioned(server, input="Hi Bo. Bye.", stream=False, lexicon={"Bo": "Bodo Bodo"})
    assert [one["word"] for one in said["timestamps"]] == ["Hi", "Bo.", "Bye."]
    long = server.speak(input="a " * 2000, lexicon={"a": "b " * 100})
    assert (long.status_code, long.json()["error"]["param"]) == (400, "lexicon")
