"""The tasks of the project: `./run` lists them, `./run TASK …` runs them. Those of images: tools/tasks/images.py.

Versions are in pyproject.toml (ranges), docker/images.toml (rows) and docker/pins (locks), never here.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nox

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))  # the program `nox` does not add the noxfile's folder

from tools import matrix, shell_scripts  # noqa: E402
from tools.tasks import images  # noqa: E402
from tools.tasks.environment import PARALLEL, THRIFTY, python_of_group, python_of_tests, python_with  # noqa: E402

nox.options.stop_on_first_error = True
nox.options.default_venv_backend = "none"  # all tasks share one environment (below): torch is large

ROWS = matrix.rows()


@nox.session
def demo(session: nox.Session) -> None:
    """Run the whole workflow on the samples: prepare, a short training, speak, export; results in demo/."""
    session.run(python_with(session), "tools/demo.py", *session.posargs, external=True)


@nox.session(default=False)
def install(session: nox.Session) -> None:
    """Install what the tasks `tests` and `lint` need; else each does so when it runs."""
    python_with(session, "lint")
    python_of_tests(session)


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests but for the slow ones and the page's in Chromium, in some minutes; all of them: -- --all."""
    python = python_of_tests(session)
    chosen = [word for word in session.posargs if word != "--all"]
    options = [*PARALLEL, "--ignore=tests/images", *_but_slow(session), *chosen]
    builds = " ".join(f"build-{row.name} smoke-{row.name}" for row in images.BUILDABLE)
    session.log(f"images are tested separately: ./run {builds}")
    session.run(python, "-m", "pytest", *options, external=True, env={"OMP_NUM_THREADS": "1", **THRIFTY})


def _but_slow(session: nox.Session) -> list[str]:
    """Without --all or a choice by markers, what takes more than some seconds is left out."""
    if {"--all", "-m"} & set(session.posargs):
        return []
    session.log("left out: tests of more than two CPU seconds, and the page's; all of them: ./run tests -- --all")
    return ["-m", "not slow and not browser"]


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, types, import layers, Dockerfiles and shell scripts."""
    programs = Path(python_with(session, "lint", "test")).parent  # mypy reads the types of what tests import
    checks = (
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["mypy"],
        ["mypy", *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docker").glob("*.py"))],
        ["lint-imports", "--no-cache"],
        ["hadolint", *sorted({row.dockerfile for row in ROWS.values()}), *map(str, ROOT.glob("docker/Dockerfile.*"))],
        ["shellcheck", *shell_scripts.tracked()],
        *_actionlint(session),
        *_page_types(session),
    )
    failed = [check for check in checks if not _passes(session, programs, check)]
    if failed:
        session.error(f"failed: {', '.join(' '.join(check[:2]) for check in failed)}")


def _actionlint(session: nox.Session) -> list[list[str]]:
    """Run actionlint only if it is installed: its package downloads the program, which a closed network cannot do."""
    if found := shutil.which("actionlint"):
        return [[found]]
    session.log("actionlint is not on the PATH: the workflows are not checked here")
    return []


def _page_types(session: nox.Session) -> list[list[str]]:
    """Check the types of the page's modules only if TypeScript is installed: npm ci --prefix tests/serve/npm."""
    tsc = ROOT / "tests/serve/npm/node_modules/.bin/tsc"
    if shutil.which("node") and tsc.exists():
        return [[str(tsc), "-p", "tests/serve/npm"]]
    session.log("npm ci --prefix tests/serve/npm was not run: the types of the page are not checked here")
    return []


def _passes(session: nox.Session, programs: Path, check: list[str]) -> bool:
    session.log(" ".join(check))
    return subprocess.run([str(programs / check[0]), *check[1:]], cwd=ROOT, check=False).returncode == 0


FAULT_TESTS = ("tests/train/test_kill.py", "tests/distil/test_kill.py", "tests/work/cluster/faults")


@nox.session(default=False)
def faults(session: nox.Session) -> None:
    """Let a cluster and a training fail at random moments, 100 times; 1.5 hours (less: VOXMATRIX_FAULT_RUNS=20)."""
    python = python_with(session, "test")
    env = {"VOXMATRIX_FAULT_RUNS": os.environ.get("VOXMATRIX_FAULT_RUNS", "100")}
    options = ["-rfEs", "-n", str(2 * (os.cpu_count() or 1)), *FAULT_TESTS]
    session.run(python, "-m", "pytest", *options, *session.posargs, external=True, env=env)


@nox.session(default=False)
def bench(session: nox.Session) -> None:
    """Run the benchmarks, with piper-tts for comparison, and update docs/inside/measurements.md."""
    python = python_with(session, "test", "peers", "bench")  # test: with all that is optional, as Celery and FastAPI
    session.run(python, "-m", "tools.bench", *session.posargs, external=True)


@nox.session(name="gpu-check", default=False)
def gpu_check(session: nox.Session) -> None:
    """Check voxmatrix on an NVIDIA GPU, beside Piper's trainer: eight minutes, results in gpu-check/."""
    python = python_with(session, "test", "peers", "bench")
    session.run(python, "-m", "tools.gpu", *session.posargs, external=True)


@nox.session(default=False)
def patches(session: nox.Session) -> None:
    """Test the patches with the torch of every image, one after the other; 3 to 6 GB each (-- --help)."""
    session.run(sys.executable, "-m", "tools.patches", *session.posargs, external=True)


@nox.session(default=False)
def samples(session: nox.Session) -> None:
    """Remake samples/ (needs the programs flite and espeak-ng)."""
    session.run(python_with(session), "tools/make_samples.py", *session.posargs, external=True)


@nox.session(name="default-voice", default=False)
def default_voice(session: nox.Session) -> None:
    """Teach the default voice by a packaged teacher, installed apart; two CPU hours, results in default-voice/."""
    session.run(python_with(session), "-m", "tools.default_voice", *session.posargs, external=True)


@nox.session(default=False)
def bare(session: nox.Session) -> None:
    """Run demo and tests in a fresh clone, in a container with only python3, python3-venv and git."""
    session.run(sys.executable, "-m", "tools.bare", *session.posargs, external=True)


_LOCKS = {"engines": ["tools.locks.lock_engines"], "bases": ["tools.locks.lock_bases"]}


@nox.session(default=False)
def lock(session: nox.Session) -> None:
    """Resolve the requirements of every row and `engines`, or those after --, with hashes; `bases`: base images."""
    python = python_of_group(session, "lock")
    for name in session.posargs or [*(row.name for row in ROWS.values() if row.channel == "stable"), "engines"]:
        words = _LOCKS.get(name, ["tools.locks.lock", name])
        session.run(str(python), "-m", *words, str(python.with_name("uv")), external=True)


@nox.session(default=False)
def fresh(session: nox.Session) -> None:
    """Show what is newer than the pins, what holds it back, and known vulnerabilities (-- ROW … --json)."""
    python = python_of_group(session, "lock")
    uv = str(python.with_name("uv"))
    session.run(str(python), "-m", "tools.locks.fresh", uv, *session.posargs, external=True)


@nox.session(default=False)
def derive(session: nox.Session) -> None:
    """Write what is derived from the rows: docs/images.md, docs/gpus.md, the app's table, Compose, a Dockerfile."""
    session.run(python_with(session), "-m", "tools.derive", external=True)


@nox.session(default=False)
def windows_wheels(session: nox.Session) -> None:
    """Check that the wheels locked for Windows include every library they need. Runs on any system."""
    python = python_of_group(session, "windows")
    session.run(str(python), "-m", "tools.locks.windows_wheels", external=True)
