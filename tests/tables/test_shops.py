from dataclasses import astuple

import pytest

from voxmatrix.errors import UsageError
from voxmatrix.tables.shops import shop_named, shops


def test_what_is_aimed_at_is_within_the_limits() -> None:
    for shop in shops().values():
        assert shop.rms_db[0] < shop.aim_rms_db < shop.rms_db[1] and shop.aim_peak_db < shop.peak_db
        assert shop.head_seconds[0] < shop.aim_head_seconds < shop.head_seconds[1]
        assert shop.tail_seconds[0] < shop.aim_tail_seconds < shop.tail_seconds[1]
        assert shop.source.startswith("https://") and None not in astuple(shop)


def test_an_unknown_shop_is_named() -> None:
    assert shop_named("ACX").title == "ACX"
    with pytest.raises(UsageError, match="'acme' is unknown"):
        shop_named("acme")
