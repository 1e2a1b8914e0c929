"""Check voxmatrix on a GPU: its speed, memory and errors, beside Piper's trainer. Eight minutes.

./run gpu-check                         # all steps; results in gpu-check/
./run gpu-check -- --out DIR --seconds 300
./run gpu-check -- recordings training  # some steps
./run gpu-check -- --cpu                # a rehearsal without a GPU

Each step is a process with a time limit: one that fails or is late loses only itself, and results.json is written after
each. Send the folder with a bug report: it contains no recordings and no voices.
"""

import argparse
import importlib
import json
import tempfile
from pathlib import Path

from tools.gpu.check import ROOT, Check
from tools.gpu.running import STEPS, Running
from tools.gpu.summary import table


def main() -> None:
    """Run the steps, or one of them in this process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [step.name for step in STEPS]
    parser.add_argument("steps", nargs="*", metavar="STEP", help=f"of {', '.join(names)} (default: all)")
    parser.add_argument("--out", type=Path, default=ROOT / "gpu-check", metavar="DIR", help="the folder of results")
    parser.add_argument("--work", type=Path, metavar="DIR", help="recordings and runs (default: a temporary folder)")
    parser.add_argument("--seconds", type=float, default=480.0, help="of all steps together")
    parser.add_argument("--cpu", action="store_true", help="rehearse on the CPU; the figures mean nothing")
    parser.add_argument(
        "--voice", type=Path, metavar="FILE", help="for server, cluster and distil (default: trained here)"
    )
    parser.add_argument("--only", metavar="STEP", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    unknown = set(arguments.steps) - set(names)
    if unknown:
        parser.error(f"unknown steps: {', '.join(sorted(unknown))}; choose from {', '.join(names)}")
    with tempfile.TemporaryDirectory(prefix="voxmatrix-gpu-check-") as folder:
        check = Check(work=arguments.work or Path(folder), out=arguments.out, cpu=arguments.cpu, given=arguments.voice)
        check.out.mkdir(parents=True, exist_ok=True)
        check.work.mkdir(parents=True, exist_ok=True)
        if arguments.only:
            print(json.dumps(_measured(arguments.only, check), default=str))
            return
        results = Running(check, arguments.seconds).all(arguments.steps or names)
    text = table(results)
    (check.out / "summary.txt").write_text(text, encoding="utf-8")
    print(text)
    print(f"written: {check.out}")


def _measured(name: str, check: Check) -> object:
    from voxmatrix_entrypoint import patches

    patches.install()
    return importlib.import_module(f"tools.gpu.steps.{name}").measure(check)


if __name__ == "__main__":
    main()
