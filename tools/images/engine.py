"""Questions to the Docker engine about its images. Standard library only."""

import subprocess


def is_built(image: str) -> bool:
    """Whether the engine has this image."""
    return subprocess.run(["docker", "image", "inspect", image], capture_output=True, check=False).returncode == 0


def inspect(image: str, what: str) -> str:
    """One property of an image, by its Docker template: `.Size`, `json .RootFS.Layers`.

    Raises:
        subprocess.CalledProcessError: the image does not exist.
    """
    command = ["docker", "image", "inspect", "--format", f"{{{{{what}}}}}", image]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
