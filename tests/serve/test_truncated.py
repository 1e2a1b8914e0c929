"""Each file of a home, cut at its beginning and in the middle: the server starts, lists everything else, and speaks.

Every file is tried with VOXMATRIX_HYPOTHESIS=full, some otherwise.
"""

import json
import shutil
from pathlib import Path

from tests.examples import examples
from tests.serve.conftest import copy_voice, running
from tests.serve.jobs.test_store import make_job
from tests.serve.routes.test_recordings import TEXTS, wav
from voxmatrix.config import home
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.serve.jobs.store import JobStore
from voxmatrix.serve.recordings.prompt_list import PromptList
from voxmatrix.serve.settings import ServeSettings

JOB = "a" * 32
LISTS = ("/v1/voices", "/v1/models", "/v1/recordings", "/v1/recordings/Anna/First", "/v1/jobs", "/v1/engines",
         "/healthz", "/readyz", "/v1/machine", "/")  # fmt: skip


def fill(voice: Path) -> list[Path]:
    """A home with something of everything that lists read, and its files."""
    copy_voice(voice, home() / "voices" / "mine" / "mine.onnx")
    (home() / "voices" / "default").write_text("mine\n", encoding="utf-8")
    remote = '[other]\nurl = "http://127.0.0.1:9/v1"\n'
    (home() / "remotes.toml").write_text(remote, encoding="utf-8")
    (home() / "settings.toml").write_text('device = "cpu"\n', encoding="utf-8")
    with JobStore(home() / "jobs" / "server" / "jobs.sqlite") as store:
        store.add(make_job(JOB, state="done"))
    folder = home() / "recordings" / "Anna" / "First"
    prompts = PromptList(profile="Anna", name="First", folder=folder, language="en-US", prompts=tuple(TEXTS[:3]))
    prompts.write()
    prompts.sound_path(1).write_bytes(wav(1))
    prompts.text_path(1).write_text(TEXTS[0] + "\n", encoding="utf-8")
    return sorted(path for path in home().rglob("*") if path.is_file())


def test_no_truncated_file_hides_another_or_is_hidden(voice: Path, tmp_path: Path) -> None:
    settings = ServeSettings(voice=voice, port=0, device=DeviceRequest(kind="cpu"), threads=1)
    files = fill(voice)
    whole = shutil.copytree(home(), tmp_path / "whole")
    names = [path.relative_to(home()) for path in files]
    cases = [(name, part) for name in names for part in (0.0, 1 / 3, 2 / 3)]
    wrong = []
    for name, part in cases[:: max(1, len(cases) // examples(len(cases)))]:
        shutil.rmtree(home())
        shutil.copytree(whole, home())
        path = home() / name
        path.write_bytes(path.read_bytes()[: round(path.stat().st_size * part)])
        with running(settings) as server:
            answers = {place: server.get(place) for place in LISTS}
            bad = [f"{place}: {one.status_code}" for place, one in answers.items() if one.status_code != 200]
            recorded = answers["/v1/recordings"].json().get("lists", [])
            jobs = answers["/v1/jobs"].json().get("data", [])
            said = json.dumps([facts for event, facts in server.lines if event in ("warning", "error")])
            if len(recorded) != 1 or [job["id"] for job in jobs] != [JOB]:
                bad.append("something is not listed")
            if "Traceback" in said or "Error:" in said:
                bad.append("an error is not explained")
            if server.speak().status_code != 200:
                bad.append("it does not speak")
        wrong += [f"{name} at {part:.2f}: {', '.join(bad)}"] if bad else []
    assert not wrong, "\n".join(wrong)
