"""What a test may need beyond Python: absent, it skips with its reason; promised in VOXMATRIX_REQUIRE, it fails."""

import functools
import gc
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import tests.examples  # noqa: F401 - loads the profile of hypothesis
from tests.forked import forked_programs
from voxmatrix_entrypoint import patches

__all__ = ["forked_programs"]  # a fixture
pytest_plugins = ["tests.costs"]

patches.install()  # as every start of the program does
os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # many tests import onnxruntime, and it would report each to Microsoft
os.environ["HF_HUB_OFFLINE"] = "1"  # a test that downloads has a server of its own, and says so
#: For an answer of Docker or of the index, which may have much else to do.
PROBE_SECONDS = 600


_modules_frozen = 0


def pytest_collection_finish() -> None:
    """Collecting garbage, as closing a voice does, need not look at ten thousand tests: that costs half a second."""
    _freeze()


def pytest_runtest_logfinish() -> None:
    """Nor at what a test has imported: at torch and a web framework that is a fifth of a second."""
    if len(sys.modules) > _modules_frozen + 100:
        gc.collect()
        _freeze()


def _freeze() -> None:
    global _modules_frozen  # noqa: PLW0603 - of this process
    gc.freeze()
    _modules_frozen = len(sys.modules)


# A shell starts what it puts in the background with Ctrl-C ignored, and so would be every program that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _browser() -> str | None:
    absent = [name for name in ("playwright", "axe_playwright_python") if importlib.util.find_spec(name) is None]
    if absent:
        return f"not installed: {', '.join(absent)} (pip install --group test)"
    return (
        None
        if any(map(shutil.which, ("chromium", "google-chrome")))
        else "chromium is not installed: apt-get install chromium"
    )


def _firefox() -> str | None:
    found = any(map(shutil.which, ("firefox-esr", "firefox")))
    return None if found else "firefox is not installed: apt-get install firefox-esr"


def _docker() -> str | None:
    if shutil.which("docker") is None:
        return "the program docker is not installed"
    answer = subprocess.run(["docker", "info"], capture_output=True, timeout=PROBE_SECONDS, check=False)
    return None if answer.returncode == 0 else "no Docker engine answers"


def _espeak() -> str | None:
    from voxmatrix.text.phonemes.espeak import espeak_version

    return None if espeak_version() else "espeak-ng is not installed: pip install espeakng-loader"


def _peers() -> str | None:
    absent = [name for name in ("piper", "transformers") if importlib.util.find_spec(name) is None]
    return f"not installed: {', '.join(absent)}" if absent else None


def _readers() -> str | None:
    absent = [name for name in ("piper", "wyoming_piper", "sherpa_onnx") if importlib.util.find_spec(name) is None]
    absent += [] if (Path(sys.prefix) / "sherpa2").is_dir() else ["the second sherpa-onnx"]
    return f"not installed: {', '.join(absent)} (./run install)" if absent else None


def _engines() -> str | None:
    absent = [name for name in ("transformers", "diffusers", "accelerate") if importlib.util.find_spec(name) is None]
    return f"not installed: {', '.join(absent)}" if absent else None


def _packs() -> str | None:
    promised = "packs" in os.environ.get("VOXMATRIX_REQUIRE", "").split(",")
    return _index() if promised else "installs 2 GB of packages: VOXMATRIX_REQUIRE=packs"


def _index() -> str | None:
    if shutil.which("uv") is None and importlib.util.find_spec("uv") is None:
        return "uv is not installed"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "docopt==0.6.2"]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([*command, "--dest", folder], capture_output=True, timeout=PROBE_SECONDS, check=False)
    return None if done.returncode == 0 else "no package index can be reached"


def _gpu() -> str | None:
    import torch

    return None if torch.cuda.is_available() else "no GPU that this torch can use"


def _mount() -> str | None:
    if shutil.which("mount") is None or os.geteuid() != 0:
        return "only root may mount a small file system"
    with tempfile.TemporaryDirectory() as folder:
        tried = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], capture_output=True, check=False)
        if tried.returncode == 0:
            subprocess.run(["umount", folder], check=True)
    return None if tried.returncode == 0 else "this system does not let root mount a file system (a container?)"


def _node() -> str | None:
    folder = Path(__file__).with_name("serve") / "npm"
    if shutil.which("node") is None:
        return "the program node is not installed: apt install nodejs npm"
    installed = (folder / "node_modules" / "openai").is_dir()
    return None if installed else "OpenAI's client is not installed: npm ci --prefix tests/serve/npm"


def _ffprobe() -> str | None:
    return None if shutil.which("ffprobe") else "the program ffprobe is not installed: apt install ffmpeg"


def _epubcheck() -> str | None:
    absent = [name for name in ("epubcheck", "java") if shutil.which(name) is None]
    return f"not installed: {', '.join(absent)} (apt install epubcheck default-jre-headless)" if absent else None


def _redis() -> str | None:
    if shutil.which("redis-server") is None:
        return "redis-server is not installed: apt-get install redis-server"
    absent = [name for name in ("celery", "redis", "fsspec") if importlib.util.find_spec(name) is None]
    return f"not installed: {', '.join(absent)}" if absent else None


def _cluster() -> str | None:
    image = "voxmatrix:cpu-cluster"
    if reason := _docker():
        return reason
    command = ["docker", "image", "inspect", image]
    found = subprocess.run(command, capture_output=True, timeout=PROBE_SECONDS, check=False)
    return None if found.returncode == 0 else f"{image} is not built: ./run build-cpu cluster-cpu"


def _podman() -> str | None:
    absent = [name for name in ("podman", "newuidmap", "docker") if shutil.which(name) is None]
    if absent:
        return f"not installed: {', '.join(absent)} (apt install podman uidmap)"
    if os.geteuid() == 0 and "podman" not in _promised():
        return "as root, it makes a user for as long as it runs: VOXMATRIX_REQUIRE=podman"
    return _docker()


def _s3() -> str | None:
    absent = [name for name in ("s3fs", "moto", "flask", "flask_cors") if importlib.util.find_spec(name) is None]
    return f"not installed: {', '.join(absent)} (pip install --group s3)" if absent else None


def _compiler() -> str | None:
    return None if shutil.which("cc") else "the program cc is not installed: apt install gcc libc6-dev"


_NEEDS = {
    "browser": _browser,
    "cluster": _cluster,
    "compiler": _compiler,
    "docker": _docker,
    "epubcheck": _epubcheck,
    "espeak": _espeak,
    "ffprobe": _ffprobe,
    "firefox": _firefox,
    "gpu": _gpu,
    "index": _index,
    "mount": _mount,
    "node": _node,
    "packs": _packs,
    "peers": _peers,
    "podman": _podman,
    "readers": _readers,
    "engines": _engines,
    "redis": _redis,
    "s3": _s3,
}


@functools.cache
def _reason(need: str) -> str | None:
    try:
        return _NEEDS[need]()
    except subprocess.TimeoutExpired:
        return f"no answer within {PROBE_SECONDS} s"


def pytest_configure() -> None:
    if broken := _promised() - set(_NEEDS):
        raise pytest.UsageError(f"VOXMATRIX_REQUIRE names {sorted(broken)}; known are {sorted(_NEEDS)}")


def _promised() -> set[str]:
    return set(filter(None, os.environ.get("VOXMATRIX_REQUIRE", "").split(",")))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Asked only where a test has the need: of several processes that run tests, not each waits for an index."""
    for need in _NEEDS:
        if item.get_closest_marker(need) and (reason := _reason(need)):
            if need in _promised():
                pytest.fail(f"{need} was promised in VOXMATRIX_REQUIRE: {reason}", pytrace=False)
            pytest.skip(reason)


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test reads or writes the home of the person who runs it."""
    with tempfile.TemporaryDirectory(prefix="voxmatrix-home-", ignore_cleanup_errors=True) as folder:
        monkeypatch.setenv("VOXMATRIX_HOME", folder)
        yield


@pytest.fixture
def break_children(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Break what Python processes started from now on compute, e.g. conv1d=hang: see broken_child/sitecustomize.py."""

    def break_them(what: str) -> None:
        folders = [str(Path(__file__).with_name("broken_child")), os.environ.get("PYTHONPATH", "")]
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, folders)))
        monkeypatch.setenv("VOXMATRIX_TEST_BROKEN", what)

    return break_them
