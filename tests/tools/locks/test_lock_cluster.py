"""docker/pins/cluster.txt: what a cluster needs, and only what the images do not have."""

import pytest

from tools import matrix
from tools.locks import lock_cluster, pins

LOCKED = pins.parse(lock_cluster.PINS.read_text(encoding="utf-8"))


def test_it_has_what_a_cluster_needs() -> None:
    assert {"celery", "redis", "kombu", "flower"} <= set(LOCKED)
    assert all(pin.hashes for pin in LOCKED.values())


TESTED = [row for row in matrix.rows().values() if row.status == "tested" and row.can_be_built]


@pytest.mark.parametrize("row", TESTED, ids=lambda row: row.name)
def test_no_image_has_another_version_of_a_package(row: matrix.Row) -> None:
    of_image = pins.parse((matrix.ROOT / row.pins).read_text(encoding="utf-8"))
    assert not LOCKED.keys() & of_image.keys()


@pytest.mark.index
def test_it_is_what_the_project_asks_for() -> None:
    import uv

    found = lock_cluster.lock_cluster(matrix.rows()["cpu"], uv.find_uv_bin())
    assert set(found) == set(LOCKED)
