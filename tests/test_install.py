"""The wheel in a fresh environment, started beside packages of somebody else that are called `app` and `entrypoint`."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
#: What the build of a wheel reads; a copy, so that it leaves nothing in the checkout.
_SOURCES = ("pyproject.toml", "README.md", "LICENSE", "app", "entrypoint", "samples")


def run(*words: object, cwd: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [str(word) for word in words]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = tmp_path_factory.mktemp("source")
    for name in _SOURCES:
        original, copy = ROOT / name, source / name
        if original.is_dir():
            shutil.copytree(original, copy, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            shutil.copy(original, copy)
    out = tmp_path_factory.mktemp("wheel")
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check")
    run(*pip, "--no-index", "--no-deps", "--no-build-isolation", "--wheel-dir", out, source, cwd=source)
    (built,) = out.glob("*.whl")
    return built


def test_nothing_else_is_installed_than_the_two_packages_and_the_bundled_voice(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.partition("/")[0] for name in names}
    metadata = {top for top in tops if top.endswith((".dist-info", ".data"))}
    assert tops - metadata == {"voxmatrix", "voxmatrix_entrypoint"}
    tables = [str(path.relative_to(ROOT / "app")) for path in (ROOT / "app").rglob("*.toml")]
    assert tables and set(tables) <= set(names)


@pytest.mark.slow
def test_it_runs_beside_an_app_and_an_entrypoint_of_somebody_else(wheel: Path, tmp_path: Path) -> None:
    place, elsewhere = tmp_path / "venv", tmp_path / "project"
    venv.create(place, with_pip=False)
    python = place / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    packages = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=tmp_path))
    # The dependencies are those of this environment; its own voxmatrix, an editable one, is not found this way.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--disable-pip-version-check")
    run(*pip, "--no-index", "--no-deps", wheel, cwd=tmp_path)
    for name in ("app", "entrypoint"):
        (elsewhere / name).mkdir(parents=True)
        (elsewhere / name / "__init__.py").write_text(f"raise RuntimeError('this is the {name} of somebody else')")

    found = run(python, "-c", "import voxmatrix; print(voxmatrix.__file__)", cwd=elsewhere)
    assert Path(found).is_relative_to(packages)
    script = python.with_name("voxmatrix")
    assert run(script, "--version", cwd=elsewhere) == run(
        python, "-m", "voxmatrix_entrypoint", "--version", cwd=elsewhere
    )
    spoken = elsewhere / "hello.wav"
    run(script, "speak", "--text", "Hello", "--out", spoken, cwd=elsewhere)  # with the bundled voice
    assert spoken.stat().st_size > 1000
