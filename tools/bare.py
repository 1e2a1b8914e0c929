"""`./run demo` and `./run tests` as a new user: in a fresh clone, in a container with only python3, venv and git.

Run by `./run bare`; pass other tasks after two dashes: ./run bare -- "demo -- demo 20" "tests -- -x".
pip in the container gets the configuration of pip on the host, so this also works on a machine that uses a package
mirror. The results of the demo are copied to demo-bare/; piper-tts and ffprobe check them where they are installed.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from tools import matrix
from tools.images import building

IMAGE = "voxmatrix-bare"


def main(tasks: list[str]) -> None:
    """Build the bare image, run the tasks in it, and inspect the results."""
    row = matrix.rows()["cpu"]
    base = building.base(row, building.this_build(row))
    recipe = (
        f"FROM {base}\n"
        "RUN apt-get update && apt-get install --yes --no-install-recommends python3 python3-venv git\n"
        "RUN useradd --create-home stranger\n"
        "USER stranger\n"
    )
    subprocess.run(["docker", "build", "--quiet", "--tag", IMAGE, "-"], input=recipe, text=True, check=True)
    out = matrix.ROOT / "demo-bare"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    out.chmod(0o777)
    script = " && ".join(
        [
            "git config --global safe.directory '*'",  # /origin is owned by another user
            "git clone --quiet /origin ~/voxmatrix",
            "cd ~/voxmatrix",
            *(f"echo '== ./run {task}' && time ./run {task}" for task in tasks),
            "if [ -d demo ]; then cp -r demo/. /out/; fi",
            "if [ -f demo/voice.onnx ] && [ -x .nox/app/bin/piper ]; then "
            "echo 'The ONNX in the real piper-tts:' && "
            "echo 'It also speaks there.' | .nox/app/bin/piper -m demo/voice.onnx -f /out/piper.wav; fi",
        ]
    )
    command = ["docker", "run", "--rm", "--cpus", "2"]
    command += ["--volume", f"{matrix.ROOT}:/origin:ro", "--volume", f"{out}:/out", *_pip_as_here()]
    subprocess.run([*command, IMAGE, "bash", "-euo", "pipefail", "-c", script], check=True)
    _probe(out)


def _pip_as_here() -> list[str]:
    """Flags for `docker run` that pass on pip's configuration: one variable per setting, one mount per local path."""
    listing = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    ).stdout
    settings = {}
    for line in listing.splitlines():
        key, _, value = line.partition("=")
        settings[f"PIP_{key.rpartition('.')[2].upper().replace('-', '_')}"] = value.strip("'\"")
    flags = [word for name, value in settings.items() for word in ("--env", f"{name}={value}")]
    paths = {path for value in settings.values() for path in re.findall(r"(?:^|\s|file://)(/[^\s]+)", value)}
    roots = {_mountable(Path(path)) for path in paths if Path(path).exists()}
    return flags + [word for root in sorted(roots) for word in ("--volume", f"{root}:{root}:ro")]


def _mountable(path: Path) -> Path:
    """The folder to mount: a local index (`simple`) links to files next to it, so its parent is needed."""
    return path.parent if path.is_dir() and path.name == "simple" else path


def _probe(out: Path) -> None:
    probe = shutil.which("ffprobe")
    for path in sorted([*out.glob("*.mp3"), *out.glob("*.wav")]):
        if probe is None:
            print(f"{path.name}: {path.stat().st_size} bytes (ffprobe is not installed)")
            continue
        command = [probe, "-v", "error", "-show_entries", "format=format_name,duration", "-of", "csv=p=0", str(path)]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
        print(f"{path.name}: ffprobe reports {output}")


if __name__ == "__main__":
    main(sys.argv[1:] or ["demo", "tests"])
