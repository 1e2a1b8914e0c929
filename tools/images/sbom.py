"""Copy the SBOM of a built image to dist/: `python -m tools.images.sbom ROW`, run by `./run sbom-ROW`.

The SBOM itself is written during the build, by docker/sbom.py.
"""

import subprocess
import sys

from tools import matrix
from tools.images.engine import is_built

#: The path of the SBOM in an image.
IN_IMAGE = "/opt/voxmatrix/sbom.cdx.json"


def check_image(image: str) -> None:
    """Check that an image exists.

    Raises:
        SystemExit: the image does not exist.
    """
    if not is_built(image):
        raise SystemExit(f"there is no image {image}\n  → run ./run build-{image.rpartition(':')[2]}")


def sbom_of(image: str) -> bytes:
    """The SBOM of an image, as CycloneDX JSON.

    Raises:
        SystemExit: the image does not exist, or is too old to have an SBOM.
    """
    check_image(image)
    command = ["docker", "run", "--rm", "--network", "none", "--entrypoint", "cat", image, IN_IMAGE]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"{image} has no {IN_IMAGE}\n  → rebuild it: ./run build-{image.rpartition(':')[2]}")
    return done.stdout


def main(row: matrix.Row) -> None:
    """Write the SBOM of a row to dist/."""
    out = matrix.ROOT / "dist" / f"{row.image.replace(':', '-')}.cdx.json"
    content = sbom_of(row.image)
    out.parent.mkdir(exist_ok=True)
    out.write_bytes(content)
    print(out.relative_to(matrix.ROOT))


if __name__ == "__main__":
    main(matrix.rows()[sys.argv[1]])
