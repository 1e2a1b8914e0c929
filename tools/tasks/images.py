"""The tasks of images: build, test, pack; one each for every row, and for every engine on a row."""

import functools
import sys
from collections.abc import Callable

import nox

from tools.images import building, engine, prerequisites, stamp
from tools.images.engines import Engine, engines
from tools.images.rows import Row, rows
from tools.tasks.environment import PARALLEL, THRIFTY, python_of_group, python_with

BUILDABLE = [row for row in rows().values() if row.can_be_built]


def _wheelhouse(session: nox.Session, row: Row) -> None:
    _check(session, lambda: prerequisites.check_locked(row))
    python = python_of_group(session, "wheelhouse", f"wheelhouse-{row.python}")
    session.run(str(python), "-m", "tools.locks.wheelhouse", row.name, external=True)


def _build(session: nox.Session, row: Row) -> None:
    build = building.this_build(row)
    _check(session, lambda: prerequisites.check_build(row, build))
    *command, context = building.command(row, build)
    session.run(*command, *session.posargs, context, external=True)


def _check(session: nox.Session, check: Callable[[], None]) -> None:
    try:
        check()
    except prerequisites.NotReadyError as error:
        session.error(str(error))


def _cluster(session: nox.Session, row: Row) -> None:
    _check(session, prerequisites.check_docker)
    _check_image(session, row)
    *command, context = building.cluster_command(row, building.this_build(row))
    session.run(*command, *session.posargs, context, external=True)


def _build_engine(session: nox.Session, of: Engine, row: Row) -> None:
    _check(session, prerequisites.check_docker)
    _check_image(session, row)
    *command, context = building.engine_command(of, row, building.this_build(row))
    session.run(*command, *session.posargs, context, external=True)


def _smoke_engine(session: nox.Session, of: Engine, row: Row) -> None:
    _check(session, prerequisites.check_docker)
    python = python_with(session, "test")
    env = {"VOXMATRIX_ROW": row.name, "VOXMATRIX_ENGINE": of.name, "VOXMATRIX_REQUIRE": "docker"}
    session.run(
        python, "-m", "pytest", "-rfEs", "tests/images/test_engine.py", *session.posargs, external=True, env=env
    )


def _check_image(session: nox.Session, row: Row) -> None:
    if not engine.is_built(row.image):
        session.error(f"there is no image {row.image}\n  → run ./run build-{row.name}")


def _smoke(session: nox.Session, row: Row, tests: str = "tests/images") -> None:
    _check(session, prerequisites.check_docker)
    _check_image(session, row)
    python = python_with(session, "test")
    env = {"VOXMATRIX_ROW": row.name, "VOXMATRIX_REQUIRE": "docker"}
    # A file tells a story, from top to bottom.
    options = [*PARALLEL, "--dist", "loadfile", tests, *session.posargs]
    session.run(python, "-m", "pytest", *options, external=True, env=env | THRIFTY)


def _quick(session: nox.Session, row: Row) -> None:
    _smoke(session, row, "tests/images/test_start.py")


def _stamp(session: nox.Session, row: Row) -> None:
    stamp.renew(row)


def _sbom(session: nox.Session, row: Row) -> None:
    _check(session, prerequisites.check_docker)
    session.run(sys.executable, "-m", "tools.images.sbom", row.name, external=True)


def _bundle(session: nox.Session, row: Row) -> None:
    _check(session, prerequisites.check_docker)
    session.run(sys.executable, "-m", "tools.images.bundle", row.name, external=True)


def _flash(session: nox.Session, row: Row) -> None:
    _check(session, lambda: prerequisites.check_build(row, building.this_build(row)))
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
    for _row in map(rows().__getitem__, _engine.rows):
        for _name, _engine_task, _doc in (
            ("build", _build_engine, "Build {image}: the image of the row, and the engine {engine}."),
            ("smoke", _smoke_engine, "Test the image {image}: size, licences, no weights, and it speaks."),
        ):
            _bound_engine = functools.partial(_engine_task, of=_engine, row=_row)
            _bound_engine.__doc__ = _doc.format(image=_engine.image(_row), engine=_engine.name)
            nox.session(name=f"{_name}-{_row.name}-{_engine.name}", default=False)(_bound_engine)
