"""What a Docker engine says of its images. Standard library only."""

import subprocess


def is_built(image: str) -> bool:
    """Whether the engine has it."""
    return subprocess.run(["docker", "image", "inspect", image], capture_output=True, check=False).returncode == 0


def inspect(image: str, what: str) -> str:
    """A part of what is known of an image, as a template of Docker's names it: `.Size`, `json .RootFS.Layers`.

    Raises:
        subprocess.CalledProcessError: there is no such image.
    """
    words = ["docker", "image", "inspect", "--format", f"{{{{{what}}}}}", image]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
