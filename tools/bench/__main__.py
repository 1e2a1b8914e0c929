"""Run the benchmarks of docs/inside/measurements.md. Each compares with a peer or a limit, in one interleaved run.

./run bench                    # all of them
./run bench -- train speak     # some; the others keep their figures
./run bench -- text --data DIR # with the public test sets in DIR
./run bench -- text --nemo DIR --beside CHECKOUT # NeMo's test cases, also read by another checkout
./run bench -- --page          # only write the page again
./run bench -- --gpu gpu-check/results.json   # add what `./run gpu-check` has measured on a GPU
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tools.gpu.summary import figures as gpu_figures

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGE = ROOT / "docs" / "inside" / "measurements.md"
FIGURES = ROOT / "docs" / "inside" / "measurements.json"


@dataclass(frozen=True, kw_only=True)
class Bench:
    """One benchmark program, which prints a JSON object, and its section in the page."""

    name: str
    title: str
    script: str
    arguments: tuple[str, ...] = ()

    def command(self) -> list[str]:
        """The command line, to be run in the root of the repository."""
        return [sys.executable, f"tools/bench/{self.script}", *self.arguments]


BENCHES = (
    Bench(
        name="train",
        title="Training, compared with Piper's trainer",
        script="train_beside_piper.py",
        arguments=("--rounds", "3"),
    ),
    Bench(name="checkpointing", title="A training step with gradient checkpointing", script="checkpointing.py"),
    Bench(name="launches", title="Kernel launches of a training step", script="launches.py"),
    Bench(name="speak", title="Speaking, compared with Piper's command line", script="speak_beside_piper.py"),
    Bench(name="cold", title="A cold start with the included voice, compared with Piper's", script="cold.py"),
    Bench(name="serve", title="The server, compared with Piper's HTTP server", script="serve.py"),
    Bench(name="serve-load", title="The server under load: memory, many clients", script="serve_load.py"),
    Bench(name="batch", title="Batch synthesis with two workers, compared with one", script="batch.py"),
    Bench(
        name="schedule", title="Books over many workers, simulated, compared with the ideal", script="books/schedule.py"
    ),
    Bench(name="slow-worker", title="Two workers and a slow one, compared with the two", script="books/slow_worker.py"),
    Bench(name="book", title="A book with a real voice, alone and over two workers", script="books/real_voice.py"),
    Bench(name="frame", title="Books with a voice that costs nothing", script="books/frame.py"),
    Bench(name="fast", title="A distilled voice, compared with its original", script="fast_voice.py"),
    Bench(name="join", title="Joining a book of 10 hours to m4b", script="books/join.py"),
    Bench(name="start", title="Start time of `devices`, `plan` and `doctor`, compared with Python", script="start.py"),
    Bench(name="text", title="Text front end, compared with Piper's", script="text/bench.py"),
    Bench(name="images", title="Sizes of the images", script="images.py"),
    Bench(name="builds", title="Building the images", script="builds.py"),
    Bench(name="image-start", title="Start time of a container, compared with Python in it", script="image_start.py"),
)


def main() -> None:
    """Run the benchmarks, save their figures and write the page."""
    names = [bench.name for bench in BENCHES]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"benchmarks: {', '.join(names)} (default: all)")
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder with the public test sets, for text")
    parser.add_argument("--nemo", type=Path, metavar="DIR", help="folder with NeMo's test cases, for text")
    parser.add_argument("--beside", type=Path, metavar="DIR", help="another checkout to compare with, for text")
    parser.add_argument("--page", action="store_true", help="measure nothing, only write the page again")
    parser.add_argument("--gpu", type=Path, metavar="FILE", help="measure nothing, only add the results of gpu-check")
    arguments = parser.parse_args()
    chosen = [] if arguments.page or arguments.gpu else arguments.names or names
    unknown = set(chosen) - set(names)
    if unknown:
        parser.error(f"unknown benchmarks: {', '.join(sorted(unknown))}; choose from {', '.join(names)}")
    figures: dict[str, Any] = json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else {}
    for bench in BENCHES:
        if bench.name in chosen:
            print(f"{bench.title} …", file=sys.stderr, flush=True)
            env = {**os.environ, "PYTHONPATH": str(ROOT)}  # benchmarks import other tools
            command = bench.command()
            if bench.name == "text":
                command += _folders(arguments, "data", "nemo", "beside")
            done = subprocess.run(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True, check=True)
            taken = f"{datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, Python {platform.python_version()}"
            kept = figures.get("text", {}) if bench.name == "text" else {}  # parts of it need folders
            figures[bench.name] = kept | {"taken": taken, **json.loads(done.stdout[done.stdout.index("{") :])}
            FIGURES.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    if arguments.gpu:
        results = json.loads(arguments.gpu.read_text(encoding="utf-8"))
        computer, measured = results["computer"], gpu_figures(results)
        taken = f"{datetime.now(UTC):%Y-%m-%d}, torch {computer['torch']}, {computer['cpus']} CPUs"
        figures.setdefault("gpu", {})[measured.pop("GPU")] = {"taken": taken, **measured}
        FIGURES.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(figures), encoding="utf-8")
    print(f"written: {PAGE.relative_to(ROOT)}")


def _folders(arguments: argparse.Namespace, *names: str) -> list[str]:
    """Those of these options that are given, with whole paths."""
    given = {name: getattr(arguments, name) for name in names}
    return [word for name, folder in given.items() if folder for word in (f"--{name}", str(folder.resolve()))]


def page(figures: dict[str, Any]) -> str:
    """The measurements as Markdown; benchmarks without figures are listed as not measured."""
    parts = [
        "# Measurements\n\nWritten by `./run bench` from docs/inside/measurements.json; do not edit. Medians of "
        "interleaved runs (A B A B …) on shared, noisy machines with two cores: compare the ratios, not the seconds. "
        "What needs more than one machine or more than some minutes is [measured by hand](measured-by-hand.md).\n"
    ]
    for bench in BENCHES:
        parts.append(f"## {bench.title}\n\n    ./run bench -- {bench.name}\n")
        taken = figures.get(bench.name)
        parts.append("Not measured yet.\n" if taken is None else _table(taken))
    cards = figures.get("gpu", {})
    parts.append("## On a GPU\n\n    ./run gpu-check\n")
    parts += [f"### {card}\n\n{_table(taken)}" for card, taken in cards.items()] or ["Not measured yet.\n"]
    return "\n".join(parts)


def _table(figures: dict[str, Any]) -> str:
    rows = [f"| {name.replace('_', ' ')} | {_text(value)} |" for name, value in _flat(figures)]
    return "\n".join(["| what | figure |", "| --- | --- |", *rows, ""])


def _flat(figures: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in figures.items():
        if isinstance(value, dict):
            yield from ((f"{name}: {inner}", found) for inner, found in _flat(value))
        else:
            yield name, value


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        return ", ".join(_text(item) for item in value)
    return str(value)


if __name__ == "__main__":
    main()
