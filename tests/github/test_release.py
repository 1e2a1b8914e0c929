"""A release, as far as it goes without a registry: the very commands of the workflow, with stand-ins for programs."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.github.dry_run import DryRun
from tools.images import bakefile, rows

JOBS: dict[str, Any] = yaml.safe_load((rows.ROOT / ".github" / "workflows" / "images.yml").read_text(encoding="utf-8"))[
    "jobs"
]
MATRIX = bakefile.ci(rows.rows().values())["include"]
REGISTRY = "registry.example.com/me/voxmatrix"
PUSHED = {"GITHUB_REPOSITORY": "me/voxmatrix", "GITHUB_SHA": "abc", "GITHUB_REF_NAME": "v0.2.0"}
DIGEST = f"{REGISTRY}@sha256:"


def entry(row: str, architecture: str = "amd64") -> dict[str, Any]:
    return next(job for job in MATRIX if (job["row"], job["architecture"]) == (row, architecture))


@pytest.fixture
def run(tmp_path: Path) -> DryRun:
    return DryRun(
        folder=tmp_path,
        context={
            "needs.rows.outputs.registry": REGISTRY,
            "needs.rows.outputs.date": "20261207",
            "needs.rows.outputs.newest": "true",
        },
        environment=dict(PUSHED),
    )


def with_artifacts(run: DryRun, job: dict[str, Any]) -> None:
    """What the job before has uploaded: the images, and the SBOM of each."""
    dist = run.folder / "dist"
    dist.mkdir()
    (dist / "images.tar.zst").write_text("images", encoding="utf-8")
    for name in ("", "-cluster", *(f"-{engine}" for engine in job["engines"].split())):
        (dist / f"voxmatrix-{job['row']}{name}.cdx.json").write_text("{}", encoding="utf-8")


@pytest.mark.parametrize("job", [entry("cpu"), entry("cuda")], ids=lambda job: job["row"])
def test_every_image_that_was_tested_is_pushed_signed_and_attested(run: DryRun, job: dict[str, Any]) -> None:
    with_artifacts(run, job)
    calls = run.job(JOBS["release"], job)
    names = [job["row"], f"{job['row']}-cluster", *(f"{job['row']}-{engine}" for engine in job["engines"].split())]
    staged = [f"{REGISTRY}:staging-abc-{name}-amd64" for name in names]
    assert [call.split()[-1] for call in calls if call.startswith("docker push")] == staged
    signed = [call.split()[-1] for call in calls if call.startswith("cosign sign --yes ")]
    attested = [call.split()[-1] for call in calls if call.startswith("cosign attest --yes --type cyclonedx ")]
    assert signed == attested
    assert all(one.startswith(DIGEST) for one in signed) and len(set(signed)) == len(names)
    assert sorted(path.name for path in (run.folder / "digests").iterdir()) == sorted(f"{one}-amd64" for one in names)
    sums = (run.folder / "checksums.txt").read_text(encoding="utf-8").splitlines()
    assert [line.split()[0] for line in sums] == [one.removeprefix(DIGEST) for one in signed]
    assert any("attest-build-provenance {'subject-checksums': 'checksums.txt'}" in call for call in calls)


def test_an_engine_that_arm64_lacks_holds_back_no_other_image_there(run: DryRun) -> None:
    job = entry("cpu", "arm64")
    with_artifacts(run, job)
    run.absent = "voxmatrix:cpu-xtts"
    pushed = [call for call in run.job(JOBS["release"], job) if call.startswith("docker push")]
    assert len(pushed) == 1 + len(job["engines"].split())
    assert not any("-cpu-xtts-" in call for call in pushed)


@pytest.mark.parametrize(("architecture", "saved"), [("amd64", None), ("arm64", "cpu cpu-cluster cpu-hf cpu-indextts")])
def test_an_engine_that_fails_ends_the_job_but_for_arm64_where_it_is_left_out(
    run: DryRun, architecture: str, saved: str | None
) -> None:
    job = entry("cpu", architecture)
    (run.folder / "run").write_text("#!/bin/sh\n[ $1 != build-cpu-xtts ]\n", encoding="utf-8")
    (run.folder / "run").chmod(0o755)
    (run.folder / "dist").mkdir()
    run.absent = "voxmatrix:cpu-xtts"
    steps = [step for step in JOBS["image"]["steps"] if "for engine in" in step.get("run", "")]
    assert len(steps) == 2
    try:
        calls = run.job({**JOBS["image"], "steps": steps}, job)
    except subprocess.CalledProcessError:
        assert saved is None
        return
    assert calls[-1] == f"docker save {' '.join(f'voxmatrix:{name}' for name in str(saved).split())}"


def promoted(run: DryRun, engines: str, architectures: tuple[str, ...] = ("amd64", "arm64")) -> list[str]:
    digests = run.folder / "digests"
    digests.mkdir()
    for name in ("cpu", "cpu-cluster", *(f"cpu-{engine}" for engine in engines.split())):
        for architecture in architectures:
            (digests / f"{name}-{architecture}").write_text(f"sha256:{architecture}\n", encoding="utf-8")
    return run.job(JOBS["promote"], {"row": "cpu", "engines": engines})


def test_each_tag_names_the_images_of_all_architectures_and_is_signed(run: DryRun) -> None:
    calls = promoted(run, "hf xtts")
    made = [call for call in calls if call.startswith("docker buildx imagetools create")]
    assert made[0] == (
        f"docker buildx imagetools create --tag {REGISTRY}:0.2.0-cpu-20261207 --tag {REGISTRY}:0.2.0-cpu "
        f"--tag {REGISTRY}:cpu {DIGEST}amd64 {DIGEST}arm64"
    )
    assert [call.split()[9] for call in made] == [
        f"{REGISTRY}:{name}" for name in ("cpu", "cpu-cluster", "cpu-hf", "cpu-xtts")
    ]
    assert len([call for call in calls if call.startswith(f"cosign sign --yes {DIGEST}")]) == len(made)


def test_a_row_of_one_architecture_and_without_engines_has_its_tags(run: DryRun) -> None:
    made = [call for call in promoted(run, "", ("amd64",)) if "imagetools create" in call]
    assert [call.split()[-1] for call in made] == [f"{DIGEST}amd64"] * 2


def test_a_fix_of_an_older_release_does_not_take_the_tags_without_a_version(run: DryRun) -> None:
    run.context["needs.rows.outputs.newest"] = "false"
    made = [call for call in promoted(run, "") if "imagetools create" in call]
    assert made and not any(f"--tag {REGISTRY}:cpu" in call for call in made)


@pytest.mark.parametrize(
    ("tags", "begun"),
    [
        ("v0.1.0 v0.10.0 v0.9.1", "v0.10.0"),
        ("v0.1.0 v0.2.0-rc1 vacation", "v0.1.0"),
        ("", None),
    ],
)
def test_each_week_the_last_release_is_built_again_at_its_tag(run: DryRun, tags: str, begun: str | None) -> None:
    run.tags = tags
    started = [call for call in run.job(JOBS["weekly"], {}) if call.startswith("gh workflow run")]
    assert started == ([f"gh workflow run images.yml --repo me/voxmatrix --ref {begun}"] if begun else [])


@pytest.mark.parametrize(("tags", "newest"), [("v0.1.0 v0.2.0", "true"), ("v0.2.0 v0.3.0", "false")])
def test_a_release_knows_whether_it_is_the_newest(run: DryRun, tags: str, newest: str) -> None:
    run.tags = tags
    step = next(step for step in JOBS["rows"]["steps"] if step.get("id") == "release")
    run.job({"steps": [step]}, {})
    assert run.outputs["newest"] == newest
    assert run.outputs["date"].isdecimal()


def test_what_is_promoted_is_every_row_with_its_engines_once() -> None:
    """The matrix of the last job, made with jq, is that of the rows."""
    step = next(step for step in JOBS["rows"]["steps"] if step.get("id") == "rows")
    assert "{include: [.include[] | {row, engines}] | unique}" in step["run"]
    assert len({json.dumps([job["row"], job["engines"]]) for job in MATRIX}) == len({job["row"] for job in MATRIX})
