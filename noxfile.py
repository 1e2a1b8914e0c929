"""The tasks of the project: `./run` lists them, `./run TASK …` runs them.

Versions are in pyproject.toml (ranges), docker/images.toml (rows) and docker/pins (locks), never here.
"""

import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nox

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))  # the program `nox` does not add the noxfile's folder

from tools import matrix, shell_scripts  # noqa: E402
from tools.images import building, engine, prerequisites, stamp  # noqa: E402
from tools.images.engines import Engine, engines  # noqa: E402
from tools.locks import pins  # noqa: E402

nox.options.stop_on_first_error = True
nox.options.default_venv_backend = "none"  # all tasks share one environment (below): torch is large

ROWS = matrix.rows()
BUILDABLE = [row for row in ROWS.values() if row.can_be_built]
HOME_ROW = ROWS["cpu"]  # the torch version to use outside of images
PROJECT = nox.project.load_toml(ROOT / "pyproject.toml")
BUILT = ROOT / ".nox"
# Some tests wait, so there is one process more than CPUs, and not many: each imports all tests. Each begins with a part
# of the files, so that a file seldom makes what its tests share twice, and at the end takes tests from the others.
PARALLEL = ("-rfEs", "-n", str(min(8, 1 + (os.cpu_count() or 1))), "--dist", "worksteal")
# A CPU second is spent once: what is imported is compiled once, and a thread that waits for another one sleeps, which
# on a busy computer is half of the cost of a program with two threads.
THRIFTY = {"PYTHONDONTWRITEBYTECODE": "", "OMP_WAIT_POLICY": "passive"}


# The shared environment -----------------------------------------------------------------------------------------------


def python_with(session: nox.Session, *groups: str) -> str:
    """A Python with the project and these dependency groups; installs only what has changed."""
    python = _environment(session, "app")
    if _changed(python, "app"):
        _install_project(session, python)
        _remember(python, "app")
    for group in groups:
        if _changed(python, group):
            _install(session, python, *_constraint(), *nox.project.dependency_groups(PROJECT, group))
            _remember(python, group)
    return str(python)


def _with_readers(session: nox.Session) -> str:
    """The Python of all tests: with the programs that read our voices, one of them in two versions."""
    python = python_with(session, "test", "peers", "readers")
    if _changed(Path(python), "sherpa2"):
        folder = Path(python).parent.parent / "sherpa2"
        shutil.rmtree(folder, ignore_errors=True)
        packages = nox.project.dependency_groups(PROJECT, "sherpa2")
        _install(session, Path(python), "--no-deps", "--target", str(folder), *packages)
        _remember(Path(python), "sherpa2")
    return python


def _environment(session: nox.Session, name: str) -> Path:
    folder = BUILT / name
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not python.exists():
        session.run(sys.executable, "-m", "venv", str(folder), external=True)
    return python


def _install_project(session: nox.Session, python: Path) -> None:
    locked = pins.parse((ROOT / HOME_ROW.pins).read_text(encoding="utf-8"))
    (BUILT / "constraints.txt").write_text(pins.constraints(locked), encoding="utf-8")
    _install_torch(session, python)
    _install(session, python, *_constraint(), "setuptools", *PROJECT["project"]["dependencies"])
    _install(session, python, "--no-deps", "--no-build-isolation", "--editable", str(ROOT))


def _install_torch(session: nox.Session, python: Path) -> None:
    """Install torch from VOXMATRIX_TORCH_INDEX, else a CPU build that pip finds, else from the row `cpu`'s index."""
    torch = ["--no-deps", f"torch=={HOME_ROW.torch}"]
    local = [f"{torch[1]}+{HOME_ROW.torch_local}", "--find-links", str(ROOT / HOME_ROW.wheelhouse)]
    if building.named_index(HOME_ROW) is None:
        found = subprocess.run(_pip(python, torch[0], *local), capture_output=True, check=False)
        if found.returncode == 0:
            return
    _install(session, python, *torch, "--index-url", building.torch_index(HOME_ROW))


def _constraint() -> list[str]:
    return ["--constraint", str(BUILT / "constraints.txt")]


def _install(session: nox.Session, python: Path, *args: str) -> None:
    session.run(*_pip(python, *args), external=True)


def _pip(python: Path, *args: str) -> list[str]:
    return [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *args]


def _digest() -> str:
    """A hash of everything that determines what is installed."""
    declared = json.dumps([PROJECT["project"], PROJECT["dependency-groups"]])
    return hashlib.sha256(declared.encode() + (ROOT / HOME_ROW.pins).read_bytes()).hexdigest()


def _marker(python: Path, what: str) -> Path:
    return python.parent.parent / f"installed-{what}"


def _changed(python: Path, what: str) -> bool:
    marker = _marker(python, what)
    return not marker.exists() or marker.read_text(encoding="utf-8") != _digest()


def _remember(python: Path, what: str) -> None:
    _marker(python, what).write_text(_digest(), encoding="utf-8")


# Common tasks ---------------------------------------------------------------------------------------------------------


@nox.session
def demo(session: nox.Session) -> None:
    """Run the whole workflow on the samples: prepare, a short training, speak, export; results in demo/."""
    session.run(python_with(session), "tools/demo.py", *session.posargs, external=True)


@nox.session(default=False)
def install(session: nox.Session) -> None:
    """Install what the tasks `tests` and `lint` need; else each does so when it runs."""
    python_with(session, "lint")
    _with_readers(session)


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests but for the slow ones and the page's in Chromium, in some minutes; all of them: -- --all."""
    python = _with_readers(session)
    chosen = [word for word in session.posargs if word != "--all"]
    options = [*PARALLEL, "--ignore=tests/images", *_but_slow(session), *chosen]
    images = " ".join(f"build-{row.name} smoke-{row.name}" for row in BUILDABLE)
    session.log(f"images are tested separately: ./run {images}")
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


# Images ---------------------------------------------------------------------------------------------------------------


_LOCKS = {"engines": ["tools.locks.lock_engines"], "bases": ["tools.locks.lock_bases"]}


@nox.session(default=False)
def lock(session: nox.Session) -> None:
    """Resolve the requirements of every row and `engines`, or those after --, with hashes; `bases`: base images."""
    python = _environment(session, "lock")
    _install(session, python, *nox.project.dependency_groups(PROJECT, "lock"))
    for name in session.posargs or [*(row.name for row in ROWS.values() if row.channel == "stable"), "engines"]:
        words = _LOCKS.get(name, ["tools.locks.lock", name])
        session.run(str(python), "-m", *words, str(python.with_name("uv")), external=True)


@nox.session(default=False)
def fresh(session: nox.Session) -> None:
    """Show what is newer than the pins, what holds it back, and known vulnerabilities (-- ROW … --json)."""
    python = _environment(session, "lock")
    _install(session, python, *nox.project.dependency_groups(PROJECT, "lock"))
    uv = str(python.with_name("uv"))
    session.run(str(python), "-m", "tools.locks.fresh", uv, *session.posargs, external=True)


@nox.session(default=False)
def derive(session: nox.Session) -> None:
    """Write what is derived from the rows: docs/images.md, docs/gpus.md, the app's table, Compose, a Dockerfile."""
    session.run(python_with(session), "-m", "tools.derive", external=True)


@nox.session(default=False)
def windows_wheels(session: nox.Session) -> None:
    """Check that the wheels locked for Windows include every library they need. Runs on any system."""
    python = _environment(session, "windows")
    _install(session, python, *nox.project.dependency_groups(PROJECT, "windows"))
    session.run(str(python), "-m", "tools.locks.windows_wheels", external=True)


def _wheelhouse(session: nox.Session, row: matrix.Row) -> None:
    _check(session, lambda: prerequisites.check_locked(row))
    python = _environment(session, f"wheelhouse-{row.python}")
    _install(session, python, *nox.project.dependency_groups(PROJECT, "wheelhouse"))
    session.run(str(python), "-m", "tools.locks.wheelhouse", row.name, external=True)


def _build(session: nox.Session, row: matrix.Row) -> None:
    build = matrix.this_build(row)
    _check(session, lambda: prerequisites.check_build(row, build))
    *command, context = matrix.command(row, build)
    session.run(*command, *session.posargs, context, external=True)


def _check(session: nox.Session, check: Callable[[], None]) -> None:
    try:
        check()
    except prerequisites.NotReadyError as error:
        session.error(str(error))


def _cluster(session: nox.Session, row: matrix.Row) -> None:
    _check(session, prerequisites.check_docker)
    _check_image(session, row)
    *command, context = building.cluster_command(row, matrix.this_build(row))
    session.run(*command, *session.posargs, context, external=True)


def _build_engine(session: nox.Session, of: Engine, row: matrix.Row) -> None:
    _check(session, prerequisites.check_docker)
    _check_image(session, row)
    *command, context = building.engine_command(of, row, matrix.this_build(row))
    session.run(*command, *session.posargs, context, external=True)


def _smoke_engine(session: nox.Session, of: Engine, row: matrix.Row) -> None:
    _check(session, prerequisites.check_docker)
    python = python_with(session, "test")
    env = {"VOXMATRIX_ROW": row.name, "VOXMATRIX_ENGINE": of.name, "VOXMATRIX_REQUIRE": "docker"}
    session.run(
        python, "-m", "pytest", "-rfEs", "tests/images/test_engine.py", *session.posargs, external=True, env=env
    )


def _check_image(session: nox.Session, row: matrix.Row) -> None:
    if not engine.is_built(row.image):
        session.error(f"there is no image {row.image}\n  → run ./run build-{row.name}")


def _smoke(session: nox.Session, row: matrix.Row, tests: str = "tests/images") -> None:
    _check(session, prerequisites.check_docker)
    _check_image(session, row)
    python = python_with(session, "test")
    env = {"VOXMATRIX_ROW": row.name, "VOXMATRIX_REQUIRE": "docker"}
    # A file tells a story, from top to bottom.
    options = [*PARALLEL, "--dist", "loadfile", tests, *session.posargs]
    session.run(python, "-m", "pytest", *options, external=True, env=env | THRIFTY)


def _quick(session: nox.Session, row: matrix.Row) -> None:
    _smoke(session, row, "tests/images/test_start.py")


def _stamp(session: nox.Session, row: matrix.Row) -> None:
    stamp.renew(row)


def _sbom(session: nox.Session, row: matrix.Row) -> None:
    _check(session, prerequisites.check_docker)
    session.run(sys.executable, "-m", "tools.images.sbom", row.name, external=True)


def _bundle(session: nox.Session, row: matrix.Row) -> None:
    _check(session, prerequisites.check_docker)
    session.run(sys.executable, "-m", "tools.images.bundle", row.name, external=True)


def _flash(session: nox.Session, row: matrix.Row) -> None:
    _check(session, lambda: prerequisites.check_build(row, matrix.this_build(row)))
    session.run(sys.executable, "-m", "tools.images.flash", row.name, *session.posargs, external=True)


for _row in BUILDABLE:
    for _name, _task, _doc in (
        ("build", _build, "Build the image {image}."),
        ("smoke", _smoke, "Test the image {image}: size, commands, any user, train, stop, resume, speak, export."),
        ("quick", _quick, "Test in a minute that {image} starts, trains a step and speaks; for all else, smoke-…"),
        ("stamp", _stamp, "Write that {image} was built and tested as it is: .ci/run need not do it again."),
        ("cluster", _cluster, "Build {cluster_image}, with Celery, Flower and Redis, on {image}."),
        ("wheelhouse", _wheelhouse, "Download wheels to {wheelhouse}, to build {image} without a network."),
        ("sbom", _sbom, "Write the SBOM of {image} to dist/, as CycloneDX."),
        ("bundle", _bundle, "Pack {image} into dist/, for a computer without a network."),
        ("flash", _flash, "Build {image}-flash, with flash-attn. Takes hours (less: -- --archs 120 --head-sizes 96)."),
    ):
        if (_name == "flash" and not _row.flash_attn) or (_name == "stamp" and not _row.in_ci):
            continue
        _bound = functools.partial(_task, row=_row)
        _bound.__doc__ = _doc.format(image=_row.image, cluster_image=_row.cluster_image, wheelhouse=_row.wheelhouse)
        nox.session(name=f"{_name}-{_row.name}", default=False)(_bound)

for _engine in engines().values():
    for _row in map(ROWS.__getitem__, _engine.rows):
        for _name, _engine_task, _doc in (
            ("build", _build_engine, "Build {image}: the image of the row, and the engine {engine}."),
            ("smoke", _smoke_engine, "Test the image {image}: size, licences, no weights, and it speaks."),
        ):
            _bound_engine = functools.partial(_engine_task, of=_engine, row=_row)
            _bound_engine.__doc__ = _doc.format(image=_engine.image(_row), engine=_engine.name)
            nox.session(name=f"{_name}-{_row.name}-{_engine.name}", default=False)(_bound_engine)
