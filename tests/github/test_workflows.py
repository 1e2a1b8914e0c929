"""The workflows, read: pinned, with no more rights than needed, and of the tasks that anybody can run."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tools.images import stamp
from tools.images.rows import rows

ROOT = Path(__file__).parent.parent.parent
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TASKS = "".join((ROOT / path).read_text(encoding="utf-8") for path in ("noxfile.py", "tools/tasks/images.py"))


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def text(request: pytest.FixtureRequest) -> str:
    path: Path = request.param
    return path.read_text(encoding="utf-8")


@pytest.fixture
def jobs(text: str) -> dict[str, dict[str, Any]]:
    loaded: dict[str, dict[str, Any]] = yaml.safe_load(text)["jobs"]
    return loaded


def steps(jobs: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return [step for job in jobs.values() for step in job["steps"]]


def test_there_are_workflows() -> None:
    assert [path.stem for path in FILES] == ["checks", "images"]


def test_actions_are_pinned_by_their_hash_and_say_which_version_that_is(text: str) -> None:
    used = re.findall(r"uses: (.*)", text)
    assert used
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one) for one in used)


def test_the_same_action_has_the_same_hash_everywhere() -> None:
    used = {one for path in FILES for one in re.findall(r"uses: (.*)", path.read_text(encoding="utf-8"))}
    assert len(used) == len({one.partition("@")[0] for one in used})


def test_rights_are_read_only_but_where_a_job_says_otherwise(text: str, jobs: dict[str, dict[str, Any]]) -> None:
    assert yaml.safe_load(text)["permissions"] == {"contents": "read"}
    wider = {name: job["permissions"] for name, job in jobs.items() if "permissions" in job}
    attesting = {"contents": "read", "packages": "write", "id-token": "write", "attestations": "write"}
    starting = {"contents": "read", "actions": "write"}
    assert wider in ({}, {"release": attesting, "promote": attesting, "weekly": starting})


def test_a_job_with_more_rights_or_a_secret_is_for_tags_in_a_protected_environment_and_runs_no_code_of_ours(
    jobs: dict[str, dict[str, Any]],
) -> None:
    trusted = {name: job for name, job in jobs.items() if "permissions" in job or "secrets." in str(job)}
    trusted.pop("weekly", None)
    for job in trusted.values():
        assert job["if"] == "startsWith(github.ref, 'refs/tags/v')"
        assert job["environment"] == "${{ github.event_name == 'push' && 'release' || 'rebuild' }}"
        assert not any(step.get("uses", "").startswith("actions/checkout") for step in job["steps"])
        assert not re.search(r"\./run|python|pip|npm|npx|curl", " ".join(step.get("run", "") for step in job["steps"]))


def test_the_job_that_begins_the_weekly_rebuild_does_nothing_else() -> None:
    images = yaml.safe_load((ROOT / ".github" / "workflows" / "images.yml").read_text(encoding="utf-8"))
    job = images["jobs"]["weekly"]
    assert job["if"] == "github.event_name == 'schedule' && vars.VOXMATRIX_REGISTRY != ''"
    assert [list(step) for step in job["steps"]] == [["run", "env"]]
    assert "secrets." not in str(job) and "uses" not in str(job)
    # At a tag that nobody pushes: on today's base.
    assert images["jobs"]["image"]["env"]["VOXMATRIX_BASE_BY_TAG"].startswith(
        "${{ github.event_name == 'workflow_dispatch' && '1'"
    )


def test_every_job_ends_some_day_and_no_checkout_keeps_its_key(jobs: dict[str, dict[str, Any]]) -> None:
    assert all("timeout-minutes" in job for job in jobs.values())
    checkouts = [step for step in steps(jobs) if step.get("uses", "").startswith("actions/checkout")]
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_no_words_of_strangers_are_run_as_commands(jobs: dict[str, dict[str, Any]]) -> None:
    assert not [step["run"] for step in steps(jobs) if "${{" in step.get("run", "")]


def test_tasks_are_those_of_this_project(jobs: dict[str, dict[str, Any]]) -> None:
    asked = {name for step in steps(jobs) for name in re.findall(r"\./run \"?([a-z]+)(?:-\$ROW)?", step.get("run", ""))}
    assert asked
    assert all(re.search(rf"def {name}\(|\"{name}\"", TASKS) for name in asked)


def test_a_command_that_fails_in_a_pipe_fails_a_step_of_a_release() -> None:
    """GitHub sets pipefail only where the shell is named."""
    images = yaml.safe_load((ROOT / ".github" / "workflows" / "images.yml").read_text(encoding="utf-8"))
    assert images["defaults"] == {"run": {"shell": "bash"}}


def test_what_is_being_published_is_not_cancelled() -> None:
    images = yaml.safe_load((ROOT / ".github" / "workflows" / "images.yml").read_text(encoding="utf-8"))
    assert images["concurrency"]["cancel-in-progress"] == "${{ github.event_name == 'pull_request' }}"
    assert images["jobs"]["release"]["needs"] == ["rows", "image"]
    assert images["jobs"]["promote"]["needs"] == ["rows", "release"]


def test_a_release_publishes_the_very_images_that_were_tested_on_pinned_bases() -> None:
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "images.yml").read_text(encoding="utf-8"))["jobs"]
    saved = [step["with"]["name"] for step in jobs["image"]["steps"] if "images.tar.zst" in str(step.get("with"))]
    loaded = [step["with"]["name"] for step in jobs["release"]["steps"] if "download" in step.get("uses", "")]
    assert saved == loaded == ["image-${{ matrix.row }}-${{ matrix.architecture }}"]
    assert "docker load" in str(jobs["release"]["steps"])
    assert "--release" in str(jobs["rows"]["steps"])


def test_a_release_needs_no_secret_and_one_variable() -> None:
    """The token of the workflow pushes to the registry of the repository's owner; without its name nothing is built."""
    text = (ROOT / ".github" / "workflows" / "images.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"vars\.(\w+)", text)) == {"VOXMATRIX_REGISTRY"}
    assert "a release needs the repository variable VOXMATRIX_REGISTRY" in text
    for name, instead in re.findall(r"secrets\.(VOXMATRIX_\w+)(?: \|\| ([\w.]+))?", text):
        assert instead == {"USER": "github.actor", "TOKEN": "secrets.GITHUB_TOKEN"}[name.rpartition("_")[2]]


def test_what_is_promoted_is_attested_and_a_failing_arm64_job_holds_back_no_other_image() -> None:
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "images.yml").read_text(encoding="utf-8"))["jobs"]

    for job in ("release", "promote"):
        used = {step["uses"].partition("@")[0]: step for step in jobs[job]["steps"] if "uses" in step}
        assert used["actions/attest-build-provenance"]["with"] == {"subject-checksums": "checksums.txt"}
        assert "sigstore/cosign-installer" in used
        assert "cosign sign --yes" in str(jobs[job]["steps"])
    # An image of one architecture has an SBOM of its own; the index of all of them has none.
    assert "cosign attest --yes --type cyclonedx" in str(jobs["release"]["steps"])
    for job in ("image", "release"):
        assert jobs[job]["continue-on-error"] == "${{ matrix.platform == 'linux/arm64' }}"


def test_updates_of_what_the_workflows_and_the_tests_use_are_proposed() -> None:
    updates = yaml.safe_load((ROOT / ".github" / "dependabot.yml").read_text(encoding="utf-8"))["updates"]
    assert {update["package-ecosystem"] for update in updates} == {"github-actions", "npm"}
    assert all((ROOT / update["directory"].lstrip("/")).is_dir() for update in updates)


def test_new_bases_and_versions_of_torch_are_proposed_for_every_row() -> None:
    config = json.loads((ROOT / "renovate.json").read_text(encoding="utf-8"))
    text = (ROOT / "docker" / "images.toml").read_text(encoding="utf-8")
    found = {
        (match["depName"], match["currentValue"])
        for manager in config["customManagers"]
        for pattern in manager["matchStrings"]
        for match in re.finditer(pattern.replace("(?<", "(?P<"), text)
    }
    for row in rows().values():
        if row.channel == "nightly":
            continue
        assert {tuple(row.base.split(":")), ("torch", row.torch), ("torchaudio", row.torchaudio)} <= found


def test_a_pull_request_builds_the_images_that_it_changes() -> None:
    events = yaml.safe_load((ROOT / ".github" / "workflows" / "images.yml").read_text(encoding="utf-8"))[True]
    paths = {path.removesuffix("/**") for path in events["pull_request"]["paths"]}
    unseen = [part for part in stamp.PARTS if not paths & {part, *map(str, Path(part).parents)}]
    assert not unseen and {"Dockerfile*", "pyproject.toml"} <= paths
