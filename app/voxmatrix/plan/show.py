"""A plan as a table and as JSON."""

from typing import Any

from voxmatrix.plan.plan import Plan
from voxmatrix.settings import Setting

#: In characters; only the allocator's value is longer, and is folded.
_VALUE_WIDTH = 12


def plan_to_json(plan: Plan) -> dict[str, Any]:
    """The object of `plan --json`."""
    return {
        "settings": {
            name: {"value": setting.value, "reason": setting.reason, "source": setting.source}
            for name, setting in plan.settings.items()
        },
        "findings": [
            {"severity": finding.severity, "problem": finding.problem, "remedy": finding.remedy}
            for finding in plan.findings
        ],
    }


def print_plan(plan: Plan) -> None:
    """Print a table of the settings, then the warnings."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    table = Table(box=None, pad_edge=False)
    table.add_column("setting", style="bold", no_wrap=True)
    table.add_column("value", overflow="fold", max_width=_VALUE_WIDTH)
    table.add_column("reason", ratio=1)
    table.add_column("source", no_wrap=True)
    for name, setting in plan.settings.items():
        table.add_row(name, Text(format_value(setting)), Text(setting.reason), setting.source)
    console.print(table)
    for finding in plan.findings:
        console.print(Text(f"\n{finding.severity}: {finding.problem}\n  → {finding.remedy}"))


def format_value(setting: Setting[Any]) -> str:
    """A value as it is typed on the command line."""
    match setting.value:
        case True:
            return "on"
        case False:
            return "off"
        case "":
            return "-"
        case value:
            return str(value)
