"""The configuration of this Python's pip, which uv does not read."""

import subprocess
import sys


def pip_values(key: str) -> list[str]:
    """The values of a key such as `find-links` or `index-url`, of all commands, each once."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    pairs = (line.partition("=") for line in listing.splitlines())
    values = [value.strip("'\"") for name, _, value in pairs if name.endswith(key)]
    return list(dict.fromkeys(word for value in values for word in value.split()))
