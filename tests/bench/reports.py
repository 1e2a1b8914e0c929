"""Reports as computers with GPUs would give them; the figures are made up."""

from voxmatrix.bench.benchmarks import MATMUL
from voxmatrix.bench.report import BenchReport, BenchRow, make_report
from voxmatrix.machine.facts import Machine

HERE = Machine(platform="linux", cpus=4, cpu="AMD EPYC")


def row(
    device: str, gflops: float | None, format: str = "fp32", name: str | None = "a card", problem: str = ""
) -> BenchRow:
    figures = {} if gflops is None else {"median_ms": 16e3 / gflops, "spread_ms": 0.1, "gflops": gflops}
    return BenchRow(
        device=device, name=name, format=format, figures=figures, problem=problem, exit_code=4 if problem else 0
    )


def report(*rows: BenchRow) -> BenchReport:
    return make_report(MATMUL, about="matrices", settings={"size": 2000}, machine=HERE, rows=rows)


#: Markup of rich, mathematics of matplotlib, what XML forbids, half a letter, other scripts, and no end.
ODD_NAMES = (
    "[/red] Navi [RX]",
    "$\\frac{1}$ & <GPU> -- $",
    "nul\x00 escape\x1b[31m newline\n tab\t",
    "half \ud800 letter",
    "显卡 גרפיקה 🙂 é",
    "long" * 200,
    "",
)
