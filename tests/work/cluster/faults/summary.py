"""What the faults cost: a line for every kind."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import median

import pytest

_UNDISTURBED = "nothing"
#: The test whose faults speak for themselves.
_MANY = "test_the_audio_is_the_same_after"


def table(reports: Sequence[pytest.TestReport]) -> Iterator[str]:
    """The lines.

    `extra` is the time of a job beyond the median of those that nothing happened to. `seen` counts the runs in which it
    was seen that the fault did something: damage that was found, a result that came twice.
    """
    kinds: dict[str, list[pytest.TestReport]] = defaultdict(list)
    for report in reports:
        if "/faults/" in report.nodeid and (report.when == "call" or report.failed):
            kinds[_kind(report.nodeid)].append(report)
    undisturbed = _property(kinds.get(_UNDISTURBED, ()), "seconds")
    yield f"{'fault':<58} {'runs':>5} {'failed':>6} {'seen':>5} {'median extra':>12} {'longest':>8}"
    for kind, found in kinds.items():
        seconds = _property(found, "seconds")
        extra = [each - median(undisturbed) for each in seconds] if undisturbed else []
        shown = f"{median(extra):>10.1f} s {max(extra):>6.1f} s" if extra else ""
        seen = _property(found, "seen")
        failed = sum(report.failed for report in found)
        yield f"{kind:<58} {len(found):>5} {failed:>6} {sum(map(bool, seen)) if seen else '':>5} {shown}".rstrip()


def _kind(nodeid: str) -> str:
    """`test_a_b[7-c]` is `a b c`."""
    name, _, parameters = nodeid.rpartition("::")[2].partition("[")
    kind = re.sub(r"^\d+-?", "", parameters.rstrip("]"))
    shown = name.removeprefix("test_") if name != _MANY else ""
    return " ".join((shown, kind)).strip().replace("_", " ")


def _property(reports: Sequence[pytest.TestReport], name: str) -> list[float]:
    return [float(value) for report in reports for key, value in report.user_properties if key == name]
