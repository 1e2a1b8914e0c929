"""`./run demo` and `./run tests` as a stranger: a clone, in a container with python3, python3-venv and git only.

Run by `./run bare`; other tasks than these two stand behind two dashes: ./run bare -- "demo -- demo 20" "tests -- -x".
pip inside is configured as pip here is, so a machine that takes its packages from a mirror can do this as well. What
the demo made is left in demo-bare/, spoken by the real piper-tts and read by ffprobe where those are.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from tools import matrix

IMAGE = "voxmatrix-bare"


def main(tasks: list[str]) -> None:
    """Build the bare machine, do the tasks in it, look at what came out."""
    base = matrix.rows()["cpu"].base_reference
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
            "git config --global safe.directory '*'",  # /origin belongs to another user
            "git clone --quiet /origin ~/voxmatrix",
            "cd ~/voxmatrix",
            *(f"echo '== ./run {task}' && time ./run {task}" for task in tasks),
            "if [ -d demo ]; then cp -r demo/. /out/; fi",
            "if [ -f demo/voice.onnx ] && [ -x .nox/app/bin/piper ]; then "
            "echo 'The ONNX in the real piper-tts:' && "
            "echo 'It speaks there as well.' | .nox/app/bin/piper -m demo/voice.onnx -f /out/piper.wav; fi",
        ]
    )
    words = ["docker", "run", "--rm", "--cpus", "2"]
    words += ["--volume", f"{matrix.ROOT}:/origin:ro", "--volume", f"{out}:/out", *_pip_as_here()]
    subprocess.run([*words, IMAGE, "bash", "-euo", "pipefail", "-c", script], check=True)
    _probe(out)


def _pip_as_here() -> list[str]:
    """pip's configuration as flags of docker: one variable for each setting, and the places that they name mounted."""
    said = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    ).stdout
    settings = {}
    for line in said.splitlines():
        key, _, value = line.partition("=")
        settings[f"PIP_{key.rpartition('.')[2].upper().replace('-', '_')}"] = value.strip("'\"")
    flags = [word for name, value in settings.items() for word in ("--env", f"{name}={value}")]
    places = {place for value in settings.values() for place in re.findall(r"(?:^|\s|file://)(/[^\s]+)", value)}
    roots = {_mountable(Path(place)) for place in places if Path(place).exists()}
    return flags + [word for root in sorted(roots) for word in ("--volume", f"{root}:{root}:ro")]


def _mountable(place: Path) -> Path:
    """A folder index points to files beside it, so its parent is what must be there."""
    return place.parent if place.is_dir() and place.name == "simple" else place


def _probe(out: Path) -> None:
    probe = shutil.which("ffprobe")
    for path in sorted([*out.glob("*.mp3"), *out.glob("*.wav")]):
        if probe is None:
            print(f"{path.name}: {path.stat().st_size} bytes (no ffprobe here)")
            continue
        asked = [probe, "-v", "error", "-show_entries", "format=format_name,duration", "-of", "csv=p=0", str(path)]
        said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
        print(f"{path.name}: ffprobe says {said}")


if __name__ == "__main__":
    main(sys.argv[1:] or ["demo", "tests"])
