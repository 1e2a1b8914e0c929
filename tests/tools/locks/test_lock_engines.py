"""The locks of the engines: what they ask for, without torch."""

import pytest

from tools import matrix
from tools.images.engines import engines
from tools.locks import lock_engines, pins

HF = engines()["hf"]


@pytest.mark.index
def test_an_image_gets_what_its_row_lacks() -> None:
    import uv

    row = matrix.rows()["cpu"]
    found = lock_engines.for_image(HF, row, uv.find_uv_bin())
    assert set(found) == set(pins.parse((matrix.ROOT / HF.pins(row)).read_text(encoding="utf-8")))


@pytest.mark.index
def test_an_installation_gets_all_but_torch() -> None:
    import uv

    text = lock_engines.for_installations(HF, uv.find_uv_bin())
    found = pins.parse(text)
    assert set(found) == set(pins.parse(HF.lock.read_text(encoding="utf-8")))
    assert "torch" not in found
    assert "; sys_platform" in text  # one lock for all platforms
