"""The table and the JSON say the same."""

import json

import pytest

from tests.plan.computers import RTX_3060, assess, machine
from voxmatrix.plan.plan import Overrides, make_plan
from voxmatrix.plan.show import plan_to_json, print_plan


def test_json_has_value_reason_and_source_of_every_setting() -> None:
    plan = make_plan(machine(RTX_3060), "medium", Overrides(), assess=assess)
    said = json.loads(json.dumps(plan_to_json(plan)))
    assert set(said["settings"]) == set(plan.settings)
    assert said["settings"]["tf32"]["value"] is True
    assert said["findings"] == []


def test_the_table_shows_the_settings_and_then_the_warnings(capsys: pytest.CaptureFixture[str]) -> None:
    print_plan(make_plan(machine(), "medium", Overrides(), assess=assess))
    shown = capsys.readouterr().out
    assert shown.index("effective_batch") < shown.index("warning: no GPU was found")


def test_brackets_in_a_name_are_no_markup(capsys: pytest.CaptureFixture[str]) -> None:
    from dataclasses import replace

    print_plan(make_plan(machine(replace(RTX_3060, name="[bold]x[/nothing]")), "tiny", Overrides(), assess=assess))
    assert "[bold]" in capsys.readouterr().out
