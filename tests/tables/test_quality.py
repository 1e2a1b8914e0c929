"""The names of the qualities, wherever they have to be written out."""

import json
import re
from pathlib import Path
from typing import get_args

from voxmatrix.tables.quality import QualityName, qualities

PAGE = Path(__file__).resolve().parents[2] / "app" / "voxmatrix" / "serve" / "page" / "static" / "js"


def test_requests_of_the_server_know_every_quality() -> None:
    assert set(get_args(QualityName)) == set(qualities())


def test_the_page_offers_every_quality() -> None:
    listed = re.search(r"QUALITIES = (\[.*?\]);", (PAGE / "train" / "fields.js").read_text(encoding="utf-8"))
    assert listed and set(json.loads(listed[1])) == set(qualities())
