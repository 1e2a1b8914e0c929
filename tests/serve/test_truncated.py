"""Each file of a home, cut at its beginning, at a third and at two: the server starts, lists all else, and speaks.

When the file is there again, all is as before: at once, or for the list of jobs when the server starts again.

Every file is tried with VOXMATRIX_HYPOTHESIS=full, some otherwise.
"""

import json
import shutil
from dataclasses import replace
from pathlib import Path

from hypothesis import settings as profile

from tests.serve.conftest import Running, running
from tests.toys.home import JOB, cut, cuts, files_of, fill_home
from voxmatrix.config import home
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.serve.settings import ServeSettings

LISTS = ("/v1/voices", "/v1/models", "/v1/recordings", "/v1/recordings/Anna/First", "/v1/jobs", "/v1/engines",
         "/healthz", "/readyz", "/v1/machine", "/")  # fmt: skip
#: How many cases are tried, unless it is all of them.
SOME = 7
#: What the log or an answer says of a file that is damaged.
NAMED = {
    "prompts.json": "prompts.json", "jobs.sqlite": "list of jobs", "remotes.toml": "remotes.toml",
    "default": "voices/default",
}  # fmt: skip
#: The voices, and where their files are.
VOICES: dict[str, tuple[str, ...]] = {
    "mine": ("voices/mine",),
    "kokoro/af_heart": ("voices/kokoro",),
    "toy/bell": ("voices/toy", "engines"),
    "remote:other/anna": ("voices/remote", "remotes.toml"),
}


def test_no_truncated_file_hides_another_or_is_hidden(voice: Path, tmp_path: Path) -> None:
    settings = ServeSettings(voice=voice, port=0, device=DeviceRequest(kind="cpu"), threads=1)
    fill_home(voice)
    whole = shutil.copytree(home(), tmp_path / "whole", symlinks=True)
    every = list(cuts(files_of(whole)))
    full = profile().max_examples >= profile.get_profile("full").max_examples
    wrong = []
    for name, part in every if full else every[3 :: len(every) // SOME]:
        shutil.rmtree(home())
        shutil.copytree(whole, home(), symlinks=True)
        cut(home() / name, part)
        with running(replace(settings, voice=None) if name.name == "default" else settings) as server:
            bad = problems(server, name)
            if "jobs" not in name.parts:
                shutil.copyfile(whole / name, home() / name)
                bad += problems_after_repair(server, name)
        if "jobs" in name.parts:
            shutil.copyfile(whole / name, home() / name)
            with running(settings) as server:
                bad += problems_after_repair(server, name)
        wrong += [f"{name} at {part:.2f}: {', '.join(bad)}"] if bad else []
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong)


def problems(server: Running, name: Path) -> list[str]:
    """What is wrong with a server in whose home this file is cut off."""
    if server.services.jobs.absent is not None:
        server.services.jobs.tidy()
    answers = {place: server.get(place) for place in LISTS}
    bad = [
        f"{place}: {one.status_code} {one.text[:200]}"
        for place, one in answers.items()
        if one.status_code != 200 and not (place == "/v1/machine" and "settings is not valid" in one.text)
    ]
    recorded = answers["/v1/recordings"].json().get("lists", [])
    jobs = answers["/v1/jobs"].json().get("data", [])
    if len(recorded) != 1 or [job["id"] for job in jobs] != [JOB]:
        bad.append("something is not listed")
    for listed in VOICES:
        if f'"{listed}"' not in answers["/v1/voices"].text and not name.as_posix().startswith(f"voices/{listed}"):
            bad.append(f"{listed} is not listed")
    if any(str(home()) in one.text for one in answers.values()):
        bad.append("an answer has the path of the home")
    said = json.dumps([facts for event, facts in server.lines if event in ("warning", "error")])
    if "Traceback" in said or "Error:" in said:
        bad.append(f"an error is not explained: {said}")
    if NAMED.get(name.name, "") not in said + "".join(one.text for one in answers.values()):
        bad.append("it is not named")
    if server.speak().status_code != 200:
        bad.append("it does not speak")
    return bad


def problems_after_repair(server: Running, name: Path) -> list[str]:
    """What is still wrong with a server whose file is whole again."""
    answers = {place: server.get(place) for place in LISTS}
    bad = [f"repaired: {place}: {one.status_code}" for place, one in answers.items() if one.status_code != 200]
    found = {one["id"]: one["problem"] for one in answers["/v1/voices"].json()["voices"]}
    bad += [f"repaired: {voice} is not listed" for voice in VOICES.keys() - found.keys()]
    bad += [f"repaired: {voice}: {problem}" for voice, problem in found.items() if problem]
    bad += [f"repaired: {one['problem']}" for one in answers["/v1/recordings"].json()["lists"] if one["problem"]]
    if [job["id"] for job in answers["/v1/jobs"].json()["data"]] != [JOB]:
        bad.append("repaired: the job is not listed")
    for voice, places in VOICES.items():
        if name.as_posix().startswith(places) and not voice.startswith("remote:"):
            bad += [f"repaired: {voice} does not speak"] * (server.speak(voice=voice).status_code != 200)
    return bad
