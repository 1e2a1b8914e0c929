"""The JSON, the exit code, and the sentence for a GPU that the CPU beats."""

import json

import pytest

from tests.bench.reports import ODD_NAMES, report, row


def test_json_has_the_same_keys_in_every_row_and_null_for_what_was_not_measured() -> None:
    said = json.loads(json.dumps(report(row("cpu", 100.0), row("cuda:0", None, problem="it died")).to_json()))
    assert set(said) == {"benchmark", "settings", "computer", "rows", "findings", "exit_code"}
    cpu, dead = said["rows"]
    assert set(cpu) == set(dead) == {
        "device", "name", "precision", "median_ms", "spread_ms", "gflops", "times_cpu", "problem",
    }  # fmt: skip
    assert (cpu["times_cpu"], cpu["problem"]) == (1.0, None)
    assert (dead["gflops"], dead["times_cpu"], dead["problem"]) == (None, None, "it died")


def test_ratios_are_to_the_cpu_and_unknown_without_it() -> None:
    both = report(row("cpu", 100.0), row("cuda:0", 250.0), row("cuda:0", 900.0, "bf16"))
    assert [each["times_cpu"] for each in both.to_json()["rows"]] == [1.0, 2.5, 9.0]
    assert report(row("cuda:0", 250.0)).to_json()["rows"][0]["times_cpu"] is None
    assert report(row("cpu", None, problem="x"), row("cuda:0", 2.0)).to_json()["rows"][1]["times_cpu"] is None


def test_it_ends_well_when_anything_was_measured_else_with_the_code_of_the_error() -> None:
    assert report(row("cpu", None, problem="no"), row("cuda:0", 1.0)).exit_code == 0
    assert report(row("cpu", None, problem="no"), row("cuda:0", None, problem="no")).exit_code == 4


@pytest.mark.parametrize(
    ("gflops", "said"), [(80.0, "0.8"), (99.9, "0.99"), (66.6, "0.67"), (0.4, "0.004"), (100.0, None), (101.0, None)]
)
def test_a_gpu_that_is_slower_than_the_cpu_is_named_plainly(gflops: float, said: str | None) -> None:
    findings = report(row("cpu", 100.0), row("directml:0", gflops)).findings
    sentences = [f"{finding.problem}: {finding.remedy}" for finding in findings]
    assert sentences == ([] if said is None else [f"directml:0 is {said} × as fast as the CPU: set `device=cpu`"])


def test_a_gpu_is_judged_by_the_format_it_is_best_in() -> None:
    assert report(row("cpu", 100.0), row("cuda:0", 50.0), row("cuda:0", 500.0, "fp16")).findings == ()


def test_odd_names_survive_as_json() -> None:
    said = report(*(row(f"cuda:{place}", 1.0, name=name) for place, name in enumerate(ODD_NAMES)))
    assert [each["name"] for each in json.loads(json.dumps(said.to_json()))["rows"]] == list(ODD_NAMES)
