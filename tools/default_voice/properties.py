"""Write the included voices again with what other programs read in them: `python -m tools.default_voice.properties`.

The graph and the weights stay as they are, which is compared before a file is replaced.
"""

import tempfile
from pathlib import Path

import onnx

from voxmatrix.piper.config import VoiceConfig
from voxmatrix.piper.export.export import write_voice
from voxmatrix.piper.export.package import with_metadata
from voxmatrix.piper.files import config_path

VOICES = Path(__file__).parents[2] / "samples" / "voices"


def rewrite(path: Path) -> None:
    """Replace both files of a voice."""
    content = with_metadata(path, VoiceConfig.read(config_path(path)))
    before, after = onnx.load(str(path)), onnx.load_from_string(content)
    if before.graph.SerializeToString(deterministic=True) != after.graph.SerializeToString(deterministic=True):
        raise AssertionError(f"the graph of {path} would change")
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / path.name
        made.write_bytes(content)
        write_voice(made, VoiceConfig.read(config_path(path)), path)


if __name__ == "__main__":
    for voice in sorted(VOICES.glob("*.onnx")):
        rewrite(voice)
        print(voice)
