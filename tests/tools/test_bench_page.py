"""The page of measurements is written from the figures, and links to what was measured by hand."""

import json

from tools.bench.__main__ import FIGURES, PAGE, page


def test_the_page_is_up_to_date() -> None:
    written = page(json.loads(FIGURES.read_text(encoding="utf-8")))

    assert PAGE.read_text(encoding="utf-8") == written, "run: ./run bench -- --page"


def test_benchmarks_without_figures_are_listed_as_not_measured() -> None:
    written = page({"speak": {"taken": "today", "ratio": 0.62}})

    assert "| ratio | 0.62 |" in written and "Not measured yet." in written
    assert "(measured-by-hand.md)" in written


def test_figures_of_gpus_are_listed_by_card() -> None:
    written = page({"gpu": {"A card": {"taken": "today", "training, clips per second": 1000.0}}})

    assert "## On a GPU" in written and "### A card\n\n| what" in written and "clips per second | 1000" in written
