"""docs/gpus.md is what the tables and the described computers say."""

from tools import gpu_table


def test_the_page_is_up_to_date() -> None:
    assert gpu_table.PAGE.read_text(encoding="utf-8") == gpu_table.page(), "run: python -m tools.gpu_table"


def test_there_are_forty_computers_and_more() -> None:
    assert len(list(gpu_table.MACHINES.glob("*.json"))) >= 40
