"""What the steps of the check share: the size of the work, the folders, and the programs under test."""

import csv
import shutil
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voxmatrix.settings import Setting

if TYPE_CHECKING:
    from voxmatrix.dataset.prepared import PreparedSet
    from voxmatrix.plan.preflight import Preflight
    from voxmatrix.train.run import Run

ROOT = Path(__file__).resolve().parent.parent.parent
#: The program under test.
VOXMATRIX = (sys.executable, "-m", "voxmatrix_entrypoint")
TEXTS = (
    "The parcel came on Tuesday.",
    "When the fog lifted from the harbour, we could see the two old ferries and the lighthouse.",
)


@dataclass(frozen=True, kw_only=True)
class Check:
    """One run of the check. On a CPU it is a rehearsal: networks are tiny, steps few, and figures mean nothing."""

    work: Path  # recordings, runs and voices
    out: Path  # results
    cpu: bool = False
    given: Path | None = None  # the voice to speak with, instead of one that a step has trained

    @property
    def device(self) -> str:
        """The device under test."""
        return "cpu" if self.cpu else "cuda:0"

    @property
    def quality(self) -> str:
        """The quality of the voices that are trained."""
        return "tiny" if self.cpu else "medium"

    @property
    def batch(self) -> int:
        """Clips per step."""
        return 2 if self.cpu else 32

    @property
    def data(self) -> Path:
        """The recordings, which the step `recordings` makes."""
        return self.work / "data"

    def command(self, name: str) -> list[str]:
        """The command line that trains in the folder `name`, without its limits."""
        options = ["--phonemes", "text", "--device", self.device, "--quality", self.quality]
        return [*VOXMATRIX, "train", str(self.data), "--out", str(self.work / name), *options]

    def trained(self) -> Path:
        """A checkpoint that an earlier step has trained.

        Raises:
            FileNotFoundError: no step has.
        """
        found = [self.work / name / "last.ckpt" for name in ("run-command", "run-A")]
        return next((path for path in found if path.is_file()), None) or _missing()

    def voice(self) -> Path:
        """The voice to speak with.

        Raises:
            FileNotFoundError: none was given, and no step has trained one.
        """
        return self.given or self.trained()

    def prepared(self) -> "PreparedSet":
        """The recordings as clips."""
        from voxmatrix.dataset.prepare import prepare
        from voxmatrix.dataset.prepared import PrepareSettings

        settings = PrepareSettings(
            quality=self.quality, language="en-us", phoneme_type="text", cache=self.work / "cache", workers=8
        )
        return prepare(self.data, settings)

    def preflight(self) -> "Preflight":
        """The device, selected as the commands do."""
        from voxmatrix.plan.device_request import parse_device
        from voxmatrix.plan.preflight import run_preflight

        return run_preflight(parse_device(self.device, "flag", "--device"), "train")

    def open_training(self, name: str) -> "Run":
        """A new training in the folder `name`, as the command opens it."""
        from voxmatrix.plan.device_request import parse_device
        from voxmatrix.plan.plan import Overrides
        from voxmatrix.train.config import TrainSettings
        from voxmatrix.train.monitor.progress import QuietProgress
        from voxmatrix.train.run import open_run

        out = self.work / name
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        chosen = partial(Setting[int], reason="the check", source="flag")
        overrides = Overrides(
            device=parse_device(self.device, "flag", "--device"),
            batch_size=chosen(value=self.batch),
            accumulation=chosen(value=1),
        )
        settings = TrainSettings(out=out, overrides=overrides, max_steps=10**6)
        return open_run(self.prepared(), settings, QuietProgress(), self.preflight())


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file with a header; none if there is no file."""
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def attempt(work: Any) -> dict[str, Any]:
    """What `work` returns, or the problem in its way: one figure that fails loses only itself."""
    try:
        found: dict[str, Any] = work()
    except Exception as error:  # whatever it is: it is the result
        return {"problem": f"{type(error).__name__}: {error}"[:400]}
    return found


def _missing() -> Path:
    raise FileNotFoundError("no step has trained a voice: run the steps train_command or resume first")
