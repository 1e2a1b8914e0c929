"""What is in a built image, taken out of it: `python -m tools.sbom ROW`, done by `./run sbom-ROW`.

The build writes it (docker/sbom.py); here it is only copied to dist/, for those who scan it.
"""

import subprocess
import sys

from tools import matrix
from tools.engine import is_built

#: Where the build puts it.
IN_IMAGE = "/opt/voxmatrix/sbom.cdx.json"


def check_image(image: str) -> None:
    """Raises SystemExit where there is no such image."""
    if not is_built(image):
        raise SystemExit(f"there is no image {image} here\n  → ./run build-{image.rpartition(':')[2]}")


def sbom_of(image: str) -> bytes:
    """CycloneDX, as JSON.

    Raises:
        SystemExit: there is no such image, or it is too old to have one.
    """
    check_image(image)
    words = ["docker", "run", "--rm", "--network", "none", "--entrypoint", "cat", image, IN_IMAGE]
    done = subprocess.run(words, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"{image} has no {IN_IMAGE}\n  → build it again: ./run build-{image.rpartition(':')[2]}")
    return done.stdout


def main(row: matrix.Row) -> None:
    """Write it beside the bundles."""
    out = matrix.ROOT / "dist" / f"{row.image.replace(':', '-')}.cdx.json"
    content = sbom_of(row.image)
    out.parent.mkdir(exist_ok=True)
    out.write_bytes(content)
    print(out.relative_to(matrix.ROOT))


if __name__ == "__main__":
    main(matrix.rows()[sys.argv[1]])
