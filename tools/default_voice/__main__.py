"""Make the default voice from packaged teachers that may teach: hibari says two hours, and a student learns them.

Two CPU hours, of which the learning takes what --minutes says. The same command continues after an interruption.
"""

import argparse
import random
from pathlib import Path

from voxmatrix_entrypoint import patches

patches.install()

from tools.default_voice.teacher import Hibari  # noqa: E402
from voxmatrix.cli.terminal.progress import progress  # noqa: E402
from voxmatrix.distil.result import Distilled  # noqa: E402
from voxmatrix.distil.student.run import TeachSettings, teach  # noqa: E402
from voxmatrix.distil.trainer import Limits  # noqa: E402
from voxmatrix.files import digest, write_text  # noqa: E402
from voxmatrix.machine.probes.system import read_cpu_bf16  # noqa: E402
from voxmatrix.piper.config import VoiceConfig  # noqa: E402
from voxmatrix.piper.files import config_path  # noqa: E402
from voxmatrix.text.prompts import sentence_list  # noqa: E402

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NAME = "en_US-heart-student"
CARD = """# {name}

Taught by synthetic speech only: no recordings of people. The voice imitates a synthetic speaker, `heart` of hibari-tts
(Apache-2.0, Copyright 2026 Maureese Williams), itself distilled from the voice `af_heart` of Kokoro-82M (Apache-2.0,
hexgrad). Nothing of their code or weights is in it. It has the licence of this repository, Apache-2.0.

Texts: the Harvard sentences, our own, and sentences of two books in the public domain, as tools/default_voice/README.md
says. Phoneme ids: espeak-ng, a program under the GPL that is used as a tool and is no part of the voice.

| made of | |
| --- | --- |
{facts}
| sha256 | {digest} |

| condition | measured | wanted |
| --- | --- | --- |
{gates}
"""


def main() -> None:
    """Make the voice in a folder, with its card."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "default-voice", help="the folder (default: default-voice)")
    parser.add_argument("--minutes", type=float, default=80.0, help="of learning (default: 80)")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--force", action="store_true", help="overwrite the voice, and write it even if it is bad")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    text = args.out / "sentences.txt"
    own, unseen = ((HERE / f"{name}.txt").read_text(encoding="utf-8").splitlines() for name in ("sentences", "unseen"))
    learned = [one for one in (*sentence_list("harvard"), *sentence_list("en"), *own) if one not in unseen]
    random.Random(1).shuffle(learned)  # so that the first hours have all kinds
    write_text(text, "\n\n".join(learned) + "\n")
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
    write_text(args.out / "MODEL_CARD.md", card(made, VoiceConfig.read(config_path(made.out))))
    print(f"{made.out}, with its card: {args.out / 'MODEL_CARD.md'}")


def card(made: Distilled, config: VoiceConfig) -> str:
    """What the voice is, where it is from, and what held when it was made."""
    facts = "\n".join(f"| {name.replace('_', ' ')} | {value} |" for name, value in config.made_by.items())
    gates = "\n".join(f"| {gate.name} | {gate.value:.6g} | {gate.wanted} |" for gate in made.gates)
    return CARD.format(name=made.out.stem, facts=facts, gates=gates, digest=digest(made.out))


if __name__ == "__main__":
    main()
