"""A long recording is cut by a job; its clips are heard, corrected, and trained with."""

import io
from pathlib import Path
from typing import Any

import httpx
import pytest
import soundfile

from tests.serve.conftest import Running, Serve, error_of, eventually
from tests.serve.jobs.conftest import submit, upload, wait_for
from tests.serve.segmented import TEXTS, long_recording, use_recogniser

PREPARE = {"quality": "tiny", "phonemes": "text", "force": True}


@pytest.fixture(autouse=True)
def recogniser(monkeypatch: pytest.MonkeyPatch) -> None:
    use_recogniser(monkeypatch)


def cut(server: Running, **fields: Any) -> str:
    """A job that has cut the recording: its id."""
    job = submit(server, "segment", files=[upload(server, "A story.wav", long_recording())], **fields)
    done = wait_for(server, job)
    assert done["state"] == "done", done
    return job


def segments(server: Running, job: str) -> dict[str, Any]:
    return dict(server.get(f"/v1/jobs/{job}/segments").json())


def decide(server: Running, job: str, number: int, text: str, kept: bool) -> httpx.Response:
    return httpx.put(f"{server.url}/v1/jobs/{job}/segments/{number}", json={"text": text, "kept": kept}, timeout=60)


def clips(found: dict[str, Any], reason: str) -> list[dict[str, Any]]:
    return [one for one in found["segments"] if one["file"] and one["reason"] == reason]


def test_a_recording_is_cut_corrected_and_prepared(server: Running) -> None:
    job = cut(server, language="en-US", min_snr=15.0)
    done = server.get(f"/v1/jobs/{job}").json()
    found = segments(server, job)
    assert (done["title"], done["result"]["clips"], found["clips"]) == ("A story", 4, 4)
    assert found["recordings"] == ["A story.wav"]
    assert {"silence", "no-speech", "doubtful"} <= set(found["left_out"]) <= set(found["reasons"])
    first, second = clips(found, "doubtful")
    assert (first["text"], second["text"]) == (TEXTS[1], TEXTS[3])
    heard = httpx.get(f"{server.url}/v1/jobs/{job}/segments/{first['number']}.wav")
    assert heard.headers["content-type"] == "audio/wav"
    samples, rate_hz = soundfile.read(io.BytesIO(heard.content))
    assert len(samples) / rate_hz == pytest.approx(first["end"] - first["start"], abs=0.01)

    before = wait_for(server, submit(server, "prepare", job=job, **PREPARE))
    answer = decide(server, job, first["number"], "Glue the  sheet|to the wall.", True).json()
    assert (answer["segment"]["text"], answer["clips"]) == ("Glue the sheet,to the wall.", 5)
    assert decide(server, job, second["number"], second["text"], False).json()["segment"]["reason"] == "dropped"
    kept = clips(found, "")[0]
    assert decide(server, job, kept["number"], kept["text"], False).json()["clips"] == 4
    assert decide(server, job, kept["number"], "The birch canoe.", True).json()["clips"] == 5
    after = wait_for(server, submit(server, "prepare", job=job, **PREPARE))
    assert (before["result"]["clips"], after["result"]["clips"]) == (4, 5)
    assert after["title"] == "A story"
    texts = {one["text"] for one in clips(segments(server, job), "")}
    assert {"Glue the sheet,to the wall.", "The birch canoe."} <= texts and TEXTS[3] not in texts
    # Whatever happens to the clips, a job has those that it began with.
    assert httpx.delete(f"{server.url}/v1/jobs/{job}").status_code == 200
    again = server.services.jobs.folder(after["id"]) / "data"
    lines = (again / "metadata.csv").read_text(encoding="utf-8").splitlines()
    assert {line.partition("|")[2] for line in lines} == texts
    assert len(list((again / "wavs").iterdir())) == 5


def test_clips_have_the_words_of_the_text(server: Running) -> None:
    text = upload(server, "story.md", ("# A story\n\n" + " ".join(TEXTS[:5])).encode())
    job = cut(server, texts=[text])
    found = segments(server, job)
    assert [one["text"] for one in clips(found, "")] == TEXTS[:5]
    assert [one["text"] for one in clips(found, "not-in-text")] == [TEXTS[5]]


def test_what_cannot_be_done_is_refused(server: Running, tmp_path: Path) -> None:
    sound = upload(server, "a.wav", long_recording())
    answer = server.post("/v1/jobs", {"kind": "segment", "files": [sound], "texts": [sound, sound]})
    assert (answer.status_code, error_of(answer)["param"]) == (400, "texts")
    for files in ([], ["0" * 32], [f"../{sound}"]):
        assert server.post("/v1/jobs", {"kind": "segment", "files": files}).status_code in (400, 404)
    speech = submit(server, "speech", text="Hello.")
    assert server.get(f"/v1/jobs/{speech}/segments").status_code == 400
    assert server.post("/v1/jobs", {"kind": "prepare", "job": speech}).status_code == 400
    assert server.get(f"/v1/jobs/{'0' * 32}/segments").status_code == 404

    job = cut(server)
    silent = next(one["number"] for one in segments(server, job)["segments"] if not one["file"])
    for number in (silent, 10_000):
        assert decide(server, job, number, "Hello.", True).status_code == 404
        assert server.get(f"/v1/jobs/{job}/segments/{number}.wav").status_code == 404
    (clip, *_) = clips(segments(server, job), "")
    answer = decide(server, job, clip["number"], " … ", True)
    assert (answer.status_code, error_of(answer)["message"]) == (400, "the text of the clip is empty")
    for one in clips(segments(server, job), ""):
        assert decide(server, job, one["number"], "", False).status_code == 200
    answer = server.post("/v1/jobs", {"kind": "prepare", "job": job})
    assert (answer.status_code, error_of(answer)["message"]) == (400, "all clips of that job are left out")


def test_without_clips_it_says_why(server: Running) -> None:
    text = upload(server, "other.txt", b"It was a dark and stormy night and nobody had heard of anything like it.")
    files = [upload(server, "A story.wav", long_recording())]
    failed = wait_for(server, submit(server, "segment", files=files, texts=[text]))
    assert (failed["state"], failed["error"]["exit_code"]) == ("failed", 3)
    assert "not-in-text" in failed["error"]["message"]
    assert len(clips(segments(server, failed["id"]), "not-in-text")) == 6  # they may be heard and kept all the same
    early = submit(server, "segment", files=[upload(server, "a.txt", b"Hello, this is a text.")])
    assert "is a text" in wait_for(server, early)["error"]["message"]
    answer = server.get(f"/v1/jobs/{early}/segments")
    assert (answer.status_code, error_of(answer)["code"]) == (409, "wrong_state")


def test_a_cancelled_job_continues_where_it_was(serve: Serve, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    heard.touch()
    monkeypatch.setenv("VOXMATRIX_TEST_HEARD", str(heard))
    server = serve()
    job = submit(server, "segment", files=[upload(server, "A story.wav", long_recording())])
    eventually(lambda: heard.stat().st_size >= 2)
    assert error_of(server.get(f"/v1/jobs/{job}/segments"))["message"] == "that job is running, and has made no clips"
    server.post(f"/v1/jobs/{job}/cancel", {})
    assert wait_for(server, job)["state"] == "cancelled"
    heard.with_suffix(".go").touch()
    server.post(f"/v1/jobs/{job}/resume", {})
    assert wait_for(server, job)["state"] == "done"
    assert heard.stat().st_size <= 7  # of six clips, at most the one that was being heard is heard again
    assert segments(server, job)["clips"] == 4
