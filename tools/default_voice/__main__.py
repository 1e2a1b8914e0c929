"""Make the default voice from packaged teachers that may teach: hibari says two hours, and a student learns them.

Two CPU hours, of which the learning takes what --minutes says. The same command continues after an interruption.
"""

import argparse
from pathlib import Path

from voxmatrix_entrypoint import patches

patches.install()

from tools.default_voice.hibari import Hibari  # noqa: E402
from voxmatrix.cli.terminal.progress import progress  # noqa: E402
from voxmatrix.distil.result import Distilled  # noqa: E402
from voxmatrix.distil.teach.run import TeachSettings, teach  # noqa: E402
from voxmatrix.distil.training import Limits  # noqa: E402
from voxmatrix.files import write_text  # noqa: E402
from voxmatrix.machine.probes.system import read_cpu_bf16  # noqa: E402
from voxmatrix.text.prompts import sentence_list  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
NAME = "en_US-heart-taught"


def main() -> None:
    """Make the voice in a folder, with its card."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "default-voice", help="the folder (default: default-voice)")
    parser.add_argument("--minutes", type=float, default=100.0, help="of learning (default: 100)")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--force", action="store_true", help="overwrite the voice, and write it even if it is bad")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    text = args.out / "sentences.txt"
    own = (Path(__file__).parent / "sentences.txt").read_text(encoding="utf-8").splitlines()
    write_text(text, "\n\n".join([*sentence_list("harvard"), *sentence_list("en"), *own]) + "\n")
    settings = TeachSettings(
        teacher=Hibari(args.out / "hibari"),
        out=args.out / f"{NAME}.onnx",
        text=text,
        limits=Limits(minutes=args.minutes),
        threads=args.threads,
        bf16=bool(read_cpu_bf16()),
        force=args.force,
    )
    made = teach(settings, lambda activity, title, note, begun: progress(activity, title, note=note, begun=begun))
    print_gates(made)


def print_gates(made: Distilled) -> None:
    """What holds, and what does not."""
    for gate in made.gates:
        print(f"{'✓' if gate.ok else '✗'} {gate.name}: {gate.value:.6g} ({gate.wanted})")
    print(made.out)


if __name__ == "__main__":
    main()
