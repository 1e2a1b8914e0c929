"""Report the size of every built image, in total and by layer. Prints one JSON object."""

import json
import subprocess

from tools import matrix
from tools.images.engine import inspect, is_built

#: A part of the command that made a layer → the name of the layer.
_LAYERS = {
    "slim.sh cuda": "CUDA's libraries",
    "slim.sh torch": "torch",
    "/pins/all.txt": "the other pins",
    "find /wheels": "flash-attn",
    "/opt/gate.py": "the app",
}


def main() -> None:
    """Print the sizes of all built rows."""
    figures = {row.name: _figures(row) for row in matrix.rows().values() if row.can_be_built and is_built(row.image)}
    print(json.dumps({"setting": "uncompressed, in MB of 10^6 bytes", **figures}, indent=1))


def _figures(row: matrix.Row) -> dict[str, object]:
    layers = _layers(row.image)
    size = int(inspect(row.image, ".Size"))
    parts = {name: round(layers[name] / 1e6, 1) for name in _LAYERS.values() if layers.get(name)}
    kernels = inspect(row.image, 'index .Config.Labels "voxmatrix.kernels"') or "none"
    return {"size": round(size / 1e6), "wanted": f"at most {row.size_mb}", **parts, "machine code": kernels}


def _layers(image: str) -> dict[str, int]:
    history = _docker("history", "--no-trunc", "--human=false", "--format", "{{.Size}} {{.CreatedBy}}", image)
    found = {}
    for line in history.splitlines():
        size, _, made_by = line.partition(" ")
        name = next((name for part, name in _LAYERS.items() if part in made_by), None)
        if name is not None:
            found[name] = int(size)
    return found


def _docker(*args: str) -> str:
    return subprocess.run(["docker", *args], capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    main()
