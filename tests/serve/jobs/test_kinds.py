"""Each kind of job, from its request to its files."""

import io
import json
import re
import shutil
import wave
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from tests.serve.conftest import Running, Serve, copy_voice
from tests.serve.jobs.conftest import LONG, download, submit, upload, wait_for
from voxmatrix.config import home
from voxmatrix.models.style import Output, Style
from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.jobs.kinds import train
from voxmatrix.serve.jobs.kinds.speech import SpeechJobRequest
from voxmatrix.speak.output import speak_to
from voxmatrix.speak.wav import HEADER_BYTES
from voxmatrix.text.lexicon import Lexicon

SAMPLES = Path(__file__).parents[3] / "samples" / "en"
TRAIN = {"quality": "tiny", "phonemes": "text", "device": "cpu", "batch_size": 2, "force": True, "threads": 1}


def recordings(folder: Path, count: int = 12) -> None:
    """Some of the bundled recordings, as the studio stores them."""
    (folder / "wavs").mkdir(parents=True)
    rows = (SAMPLES / "metadata.csv").read_text(encoding="utf-8").splitlines()[:count]
    (folder / "metadata.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    for row in rows:
        name = row.split("|")[0]
        shutil.copy(next((SAMPLES / "wavs").glob(f"{name}.*")), folder / "wavs")


def test_a_text_becomes_a_file(server: Running) -> None:
    job = submit(server, "speech", text="Hello there. And again.", format="wav", speed=1.5, voice="random")
    done = wait_for(server, job)
    assert done["state"] == "done", done
    assert done["progress"] == 1.0
    assert done["error"] is None
    assert done["result"]["sentences"] == 2
    assert done["title"] == "Hello there. And again."
    assert done["request"] == {
        "kind": "speech", "text": "Hello there. And again.", "format": "wav", "speed": 1.5, "voice": "random",
    }  # fmt: skip
    assert done["created"] <= done["started"] <= done["ended"]
    assert [file["name"] for file in done["files"]] == ["speech.wav"]
    with wave.open(io.BytesIO(download(server, job, "speech.wav"))) as sound:
        assert sound.getnframes() / sound.getframerate() == pytest.approx(done["result"]["seconds"], abs=0.1)


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"knobs": {"temperature": 1.0}}, "knobs.temperature"),
        ({"knobs": {"noise": 10.5}}, "knobs.noise"),
        ({"knobs": {"noise": "loud"}}, "knobs.noise"),
        ({"noise": 10.5}, "noise"),
        ({"speed": 10.5}, "speed"),
    ],
)
def test_a_voice_is_not_asked_for_what_it_cannot_do(server: Running, fields: dict[str, Any], param: str) -> None:
    answer = server.post("/v1/jobs", {"kind": "speech", "text": "Hello.", **fields})
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, param), answer.json()


def test_knobs_reach_the_command(server: Running) -> None:
    fields = {"noise": 0.5, "knobs": {"noise_w": 0.25, "noise": 0.0}, "seed": 3, "lexicon": {"there": "over there"}}
    job = submit(server, "speech", text="Hello there.", format="wav", **fields)
    words = server.services.jobs.get(job).work.words
    assert {"--noise=0.5", "--set=noise_w=0.25", "--set=noise=0.0", "--seed=3"} <= set(words)
    done = wait_for(server, job)
    assert done["state"] == "done", done
    assert done["request"]["knobs"] == fields["knobs"]
    lexicon = Lexicon((("there", "over there"),))
    knobs = Style(knobs=fields["knobs"], seed=3, lexicon=lexicon)  # type: ignore[arg-type]
    speak_to(sound := io.BytesIO(), "Hello there.", server.services.catalogue.default, knobs, output=Output(raw=True))
    assert download(server, job, "speech.wav")[HEADER_BYTES:] == sound.getvalue()
    book = submit(server, "book", file=upload(server, "a.txt", b"One."), target="acx", **fields | {"format": "m4b"})
    words = set(server.services.jobs.get(book).work.words)
    assert {"--noise=0.5", "--set=noise_w=0.25", "--set=noise=0.0", "--target=acx"} <= words
    made = wait_for(server, book)
    assert made["state"] == "done"
    assert [file["name"] for file in made["files"] if file["name"].endswith(".mp3")]  # as the shop takes it


def test_a_shop_that_is_not_known_is_refused(server: Running) -> None:
    answer = server.post("/v1/jobs", {"kind": "book", "file": upload(server, "a.txt", b"One."), "target": "acme"})
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "target")
    assert "choose one of: acx" in answer.json()["error"]["message"]


def test_a_book_becomes_an_audiobook(server: Running) -> None:
    book = upload(server, "Three sentences.txt", b"CHAPTER 1\n\nOne is here. Two is here.\n\nThree is here.\n")
    contents = server.post("/v1/books/inspect", {"file": book}).json()
    assert sum(chapter["sentences"] for chapter in contents["chapters"]) >= 3
    job = submit(server, "book", file=book, voice="random", subtitles=True)
    assert server.get(f"/v1/jobs/{job}").json()["title"] == "Three sentences"
    done = wait_for(server, job)
    assert done["state"] == "done", done
    names = {file["name"] for file in done["files"]}
    assert {"book/Three sentences.m4b", "book/Three sentences.manifest.json", "book/Three sentences.srt"} <= names
    part = server.get(f"/v1/jobs/{job}/files/book/Three sentences.m4b", headers={"Range": "bytes=4-7"})
    assert (part.status_code, part.content) == (206, b"ftyp")
    kept = home() / "jobs"
    assert list(kept.glob("book-*"))
    assert server.services.jobs.folder(job).exists()
    assert httpx.delete(f"{server.url}/v1/jobs/{job}").json() == {"id": job, "deleted": True}
    assert not list(kept.glob("book-*"))
    assert not server.services.jobs.folder(job).exists()


def test_an_audiobook_is_made_again_and_only_what_has_changed_is_spoken(server: Running) -> None:
    text = b"CHAPTER 1\n\nOne is here. Two is here.\n\nCHAPTER 2\n\nThree is here.\n"
    first = submit(server, "book", file=upload(server, "Some.txt", text), voice="random", seed=1)
    before = wait_for(server, first)
    assert before["state"] == "done", before
    changes = {"lexicon": {"Two": "Too"}, "titles": {"2": "The end"}, "format": "flac"}
    second = submit(server, "book", job=first, voice="random", seed=1, **changes)
    again = wait_for(server, second)
    assert again["state"] == "done", again
    assert (again["result"]["spoken"], again["result"]["kept"]) == (1, before["result"]["sentences"] - 1)
    names = [file["name"] for file in again["files"]]
    assert any(name.startswith("book/Some/02 The end") for name in names), names
    assert (
        server.post("/v1/books/inspect", {"job": second}).json()["chapters"][1]["beginning"].endswith("Three is here.")
    )
    # The later one needs nothing of the earlier one.
    assert httpx.delete(f"{server.url}/v1/jobs/{first}").status_code == 200
    third = wait_for(server, submit(server, "book", job=second, voice="random", seed=1, **changes))
    assert (third["state"], third["result"]["spoken"]) == ("done", 0), third


def test_only_an_audiobook_that_has_ended_is_made_again(server: Running) -> None:
    speech = submit(server, "speech", text=LONG[:100_000], voice="random")
    answer = server.post("/v1/jobs", {"kind": "book", "job": speech})
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "job")
    waiting = submit(server, "book", file=upload(server, "a.txt", b"One."), voice="random")
    answer = server.post("/v1/jobs", {"kind": "book", "job": waiting})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "wrong_state")
    assert not list((home() / "jobs").glob("book-*"))
    for job in (waiting, speech):
        server.post(f"/v1/jobs/{job}/cancel", {})
    wait_for(server, speech)


def test_recordings_are_checked_trained_with_exported_and_spoken(server: Running) -> None:
    recordings(home() / "recordings" / "ann" / "first list")
    source = {"profile": "ann", "list": "first list"}
    checked = wait_for(
        server, submit(server, "prepare", recordings=source, quality="tiny", phonemes="text", force=True)
    )
    assert checked["result"]["clips"] == 12, checked
    job = submit(server, "train", recordings=source, max_steps=3, **TRAIN)
    done = wait_for(server, job)
    assert done["state"] == "done", done
    assert done["title"] == "ann / first list"
    assert done["result"]["steps"] == 3
    assert set(done["result"]["losses"]) >= {"mel", "kl"}
    names = {file["name"] for file in done["files"]}
    assert {"run/best.ckpt", "run/last.ckpt", "run/metrics.csv", "run/samples/step-000000003.wav"} <= names
    stream = server.get(f"/v1/jobs/{job}/events").text
    events = [dict(line.split(": ", 1) for line in event.split("\n")) for event in stream.strip().split("\n\n")]
    metrics = [json.loads(event["data"]) for event in events if event["event"] == "metrics"]
    assert [entry["step"] for entry in metrics if "losses" in entry][-1] == 3
    assert [entry["step"] for entry in metrics if "validation_mel" in entry] == [3]

    refused = wait_for(server, submit(server, "export", job=job, name="ann"))
    assert refused["state"] == "failed" and "has not learned to speak yet" in refused["error"]["message"]
    exported = wait_for(server, submit(server, "export", job=job, name="ann", force=True))
    assert "its sounds are all alike" in exported["result"]["doubt"]
    assert exported["state"] == "done", exported
    assert [file["name"] for file in exported["files"]] == ["ann.onnx", "ann.onnx.json", "log.txt"]
    assert server.speak(voice="ann").status_code == 200
    more = {"kind": "train", "recordings": source, "start_from": {"job": job}, **TRAIN}
    words = server.services.jobs.get(server.post("/v1/jobs", more).json()["id"]).work.words
    start = next(Path(word.removeprefix("--from=")) for word in words if word.startswith("--from="))
    assert start.read_bytes() == download(server, job, "run/best.ckpt")
    again = server.post("/v1/jobs", {"kind": "export", "job": job, "name": "ann"})
    assert (again.status_code, again.json()["error"]["code"]) == (409, "voice_exists")


def test_a_small_voice_is_taught_from_recordings_and_spoken_with(server: Running) -> None:
    recordings(home() / "recordings" / "bea" / "list", 16)
    source = {"recordings": {"profile": "bea", "list": "list"}, "language": "en-US", "force": True}
    job = submit(server, "distil", name="bea", minutes=0.1, **source)
    done = wait_for(server, job)
    assert done["state"] == "done", done
    assert (done["title"], done["progress"]) == ("bea", 1.0)
    assert done["result"]["gates"]
    assert [file["name"] for file in done["files"]][:2] == ["bea.onnx", "bea.onnx.json"]
    assert server.speak(voice="bea").status_code == 200
    again = server.post("/v1/jobs", {"kind": "distil", "name": "bea", **source})
    assert (again.status_code, again.json()["error"]["code"]) == (409, "voice_exists")
    kept = home() / "voices" / "bea.distil"  # it does not sound right yet
    assert kept.is_dir()
    (kept / "previews").mkdir(exist_ok=True)
    (kept / "previews" / "1-step-00500.wav").write_bytes(b"RIFF")
    assert "1-step-00500.wav" in [file["name"] for file in server.get(f"/v1/jobs/{job}").json()["files"]]
    both = server.get("/v1/jobs?kind=distil&kind=benchmark").json()["data"]
    assert {one["kind"] for one in both} == {"distil"}


def test_what_a_small_voice_had_learned_is_removed_with_its_last_job(server: Running) -> None:
    recordings(home() / "recordings" / "cleo" / "list", 2)
    job = submit(server, "distil", name="cleo", recordings={"profile": "cleo", "list": "list"}, language="en-US")
    failed = wait_for(server, job)
    assert (failed["state"], failed["error"]["exit_code"]) == ("failed", 3), failed
    second = submit(server, "distil", name="cleo", recordings={"profile": "cleo", "list": "list"}, language="en-US")
    wait_for(server, second)
    kept = home() / "voices" / "cleo.distil"
    kept.mkdir(parents=True)
    taken = server.post("/v1/jobs", {"kind": "distil", "name": "cleo", "recordings": {"profile": "cleo"}})
    assert (taken.status_code, taken.json()["error"]["code"]) == (409, "voice_exists")
    httpx.delete(f"{server.url}/v1/jobs/{job}")
    assert kept.exists()  # the second job goes on there
    httpx.delete(f"{server.url}/v1/jobs/{second}")
    assert not kept.exists()


def test_uploaded_recordings_are_unpacked(server: Running, tmp_path: Path) -> None:
    recordings(tmp_path / "mine", 3)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path in (tmp_path / "mine").rglob("*"):
            archive.write(path, path.relative_to(tmp_path))
    zipped = upload(server, "mine.zip", packed.getvalue())
    done = wait_for(server, submit(server, "prepare", file=zipped, quality="tiny", phonemes="text", force=True))
    assert (done["state"], done["title"], done["result"]["clips"]) == ("done", "mine", 3), done


def test_a_benchmark_reports_what_bench_prints(server: Running) -> None:
    done = wait_for(server, submit(server, "benchmark", what="matmul", device="cpu", runs=1))
    assert done["state"] == "done", done
    assert done["result"]["rows"][0]


def test_the_plan_takes_settings_and_says_why(server: Running) -> None:
    plan = server.post("/v1/plan", {"quality": "tiny", "batch_size": 5, "workers": "none", "device": "cpu"}).json()
    settings = plan["settings"]
    assert (settings["batch_size"]["value"], settings["batch_size"]["reason"]) == (5, "set by batch_size")
    assert settings["workers"]["value"] == 0
    assert settings["precision"]["source"] == "automatic"


def test_the_plan_says_what_to_expect_of_a_training_with_these_recordings(server: Running) -> None:
    asked = {"quality": "tiny", "batch_size": 8, "accumulation": 1, "device": "cpu", "clips": 100, "seconds": 400}
    expected = server.post("/v1/plan", asked).json()["training"]
    assert (expected["learning_rate"], expected["steps_per_epoch"]) == (1e-3, 13)
    assert 0 < expected["seconds_per_epoch"] < 3600
    assert expected["source"].startswith("estimated for ")


@pytest.mark.parametrize(
    ("torch", "accepted"), [("2.6.0+cu124", False), ("2.9.1", False), ("2.10.0", True), ("2.13.0+cpu", True)]
)
def test_an_uploaded_checkpoint_is_refused_where_torch_opens_it_in_an_unsafe_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, torch: str, accepted: bool
) -> None:
    monkeypatch.setattr("importlib.metadata.version", lambda name: torch)
    sources: Any = SimpleNamespace(uploads=SimpleNamespace(take=lambda file, folder: folder / file))
    start = train.StartFrom(file="0" * 32)
    if accepted:
        assert train._checkpoint(start, sources, tmp_path) == tmp_path / "start" / ("0" * 32)
        return
    with pytest.raises(ApiError, match=rf"torch {re.escape(torch)} .* 2\.10\.0 or newer") as caught:
        train._checkpoint(start, sources, tmp_path)
    assert (caught.value.status_code, caught.value.param, caught.value.code) == (403, "start_from", "unsafe_torch")


def test_a_job_speaks_as_the_server_does_and_with_voices_for_quotations(
    serve: Serve, voice: Path, tmp_path: Path
) -> None:
    copy_voice(voice, home() / "voices" / "anna.onnx")
    server = serve(sentence_pause=2.0, volume=0.5, dialogue_voice="anna")
    sources = server.services.jobs.sources
    plain = SpeechJobRequest(kind="speech", text="One.").work(sources, tmp_path).words
    assert {"--sentence-pause=2.0", "--volume=0.5", "--dialogue-voice=dialogue_voice"} <= set(plain)
    assert (tmp_path / "cast.txt").read_text() == f"dialogue_voice|{home() / 'voices' / 'anna.onnx'}\n"
    more = {"sentence_pause": 0.0, "volume": 1.0, "emphasis_voice": "random", "normalize": False}
    own = SpeechJobRequest(kind="speech", text="One.", **more).work(sources, tmp_path).words
    assert {"--sentence-pause=0.0", "--volume=1.0", "--emphasis-voice=emphasis_voice", "--no-normalize"} <= set(own)
    named = SpeechJobRequest(kind="speech", text="Bo: One.", cast={"Bo": "anna"}).work(sources, tmp_path).words
    assert f"--cast={tmp_path / 'cast.txt'}" in named
    assert (tmp_path / "cast.txt").read_text().startswith(f"Bo|{home() / 'voices' / 'anna.onnx'}\n")
    job = submit(server, "speech", text="He said “one” once.", format="wav", voice="random")
    assert wait_for(server, job)["state"] == "done"


def test_a_job_says_what_of_its_speech_cannot_be_right(serve: Serve, voice: Path) -> None:
    path = copy_voice(voice, home() / "voices" / "endless.onnx")
    facts = json.loads(Path(f"{path}.json").read_text())
    facts["inference"]["length_scale"] = 60.0
    Path(f"{path}.json").write_text(json.dumps(facts))
    server = serve()
    done = wait_for(server, submit(server, "speech", text="Two.", format="wav", voice="endless"))
    assert done["state"] == "done" and "too long for its text" in done["result"]["warnings"][0]
