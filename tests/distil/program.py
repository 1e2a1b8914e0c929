"""Distils the bundled voice in some steps, saving often: to be killed. python -m tests.distil.program OUT TEXT STEPS"""

import sys
from pathlib import Path

from voxmatrix_entrypoint import patches

patches.install()

from voxmatrix.cli.terminal.progress import progress  # noqa: E402
from voxmatrix.distil import trainer  # noqa: E402
from voxmatrix.distil.decoder.run import DistilSettings, distil  # noqa: E402

if __name__ == "__main__":
    trainer.SAVE_SECONDS = 0.2
    out, text, steps = sys.argv[1:]
    voice = Path(__file__).parent / "voices" / "en_US-slt-tiny.onnx"
    limits = trainer.Limits(steps=int(steps))
    settings = DistilSettings(voice=voice, out=Path(out), text=Path(text), limits=limits, force=True)
    distil(settings, lambda activity, title, note, begun: progress(activity, title, note=note, begun=begun))
    print("done")
