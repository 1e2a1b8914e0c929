"""Copy the SBOM of a built image to dist/: `python -m tools.images.sbom ROW`, run by `./run sbom-ROW`.

The SBOM itself is written during the build, by docker/sbom.py.
"""

import subprocess
import sys

from tools import matrix
from tools.images.engine import is_built
from tools.images.engines import engines

#: The path of the SBOM in an image.
IN_IMAGE = "/opt/voxmatrix/sbom.cdx.json"


def check_image(image: str) -> None:
    """Check that an image exists.

    Raises:
        SystemExit: the image does not exist.
    """
    if not is_built(image):
        raise SystemExit(f"there is no image {image}\n  → run ./run build-{image.rpartition(':')[2]}")


def read(image: str, path: str) -> bytes:
    """A file in an image, such as its SBOM, as CycloneDX JSON.

    Raises:
        SystemExit: the image does not exist, or is too old to have it.
    """
    check_image(image)
    command = ["docker", "run", "--rm", "--network", "none", "--entrypoint", "cat", image, path]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"{image} has no {path}\n  → rebuild it: ./run build-{image.rpartition(':')[2]}")
    return done.stdout


def main(row: matrix.Row) -> None:
    """Write the SBOM of a row to dist/, and those of its images with a cluster or an engine that are built."""
    out = matrix.ROOT / "dist"
    out.mkdir(exist_ok=True)
    further = [engine.image(row) for engine in engines().values() if row.name in engine.rows]
    for image in (row.image, row.cluster_image, *further):
        if image == row.image or is_built(image):
            path = out / f"{image.replace(':', '-')}.cdx.json"
            path.write_bytes(read(image, IN_IMAGE))
            print(path.relative_to(matrix.ROOT))


if __name__ == "__main__":
    main(matrix.rows()[sys.argv[1]])
