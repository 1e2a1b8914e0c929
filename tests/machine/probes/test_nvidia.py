"""Which GPUs a process sees: the order of the bus, slices, and CUDA_VISIBLE_DEVICES."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.machine.facts import Capability
from voxmatrix.machine.probes.nvidia import MigSlice, NvidiaCard, visible_gpus

AMPERE = Capability(8, 0)
ABC = (
    NvidiaCard(bus="00000000:C1:00.0", uuid="GPU-cc11", name="C", capability=AMPERE, memory_mib=30),
    NvidiaCard(bus="00000000:01:00.0", uuid="GPU-aa11", name="A", capability=AMPERE, memory_mib=10),
    NvidiaCard(bus="00000000:41:00.0", uuid="GPU-aa22", name="B", capability=AMPERE, memory_mib=20),
)
SLICED = NvidiaCard(
    bus="00000000:02:00.0",
    uuid="GPU-dd",
    name="D",
    memory_mib=80,
    mig=True,
    slices=(MigSlice(uuid="MIG-1", memory_mib=9), MigSlice(uuid="MIG-2", name="D 2g", memory_mib=19)),
)


def seen(wanted: str | None, cards: tuple[NvidiaCard, ...] = ABC) -> list[int]:
    return [gpu.index for gpu in visible_gpus(cards, wanted)]


def test_cards_are_counted_in_the_order_of_the_bus() -> None:
    assert [(gpu.index, gpu.name) for gpu in visible_gpus(ABC, None)] == [(0, "A"), (1, "B"), (2, "C")]


@pytest.mark.parametrize(
    ("wanted", "indices"),
    [
        ("", []),
        ("NoDevFiles", []),
        ("-1", []),
        ("2,0", [2, 0]),
        (" 1 , 2", [1, 2]),
        ("0,7,1", [0]),
        ("0,-1,1", [0]),
        ("1,x,2", [1]),
        ("0,1,0", []),
        ("GPU-cc", [2]),
        ("GPU-aa22,GPU-c", [1, 2]),
        ("GPU-aa", []),  # two begin so
        ("GPU-aa11,1", [0]),
        ("GPU-zz,GPU-cc", []),
        ("0,GPU-cc", [0]),
        ("GPU-aa11,GPU-aa1", []),
    ],
)
def test_cuda_visible_devices_hides_as_cuda_does(wanted: str, indices: list[int]) -> None:
    assert seen(wanted) == indices


def test_a_slice_has_its_own_memory_and_the_name_of_its_card_unless_it_has_one() -> None:
    gpus = visible_gpus((SLICED,), None)
    assert [(gpu.index, gpu.uuid, gpu.name, gpu.memory_mib, gpu.mig) for gpu in gpus] == [
        (0, "MIG-1", "D", 9, True),
        (1, "MIG-2", "D 2g", 19, True),
    ]


@pytest.mark.parametrize(
    ("wanted", "uuids"), [("MIG-2", ["MIG-2"]), ("0", ["MIG-1"]), ("MIG-", []), ("GPU-d", ["MIG-1"])]
)
def test_a_slice_is_chosen_by_its_id_and_a_card_stands_for_its_first(wanted: str, uuids: list[str]) -> None:
    assert [gpu.uuid for gpu in visible_gpus((SLICED,), wanted)] == uuids


def test_a_card_whose_memory_nobody_says_shares_it_and_a_card_with_unknown_slices_does_not() -> None:
    gb10, sliced = visible_gpus(
        (
            NvidiaCard(bus="0:1:0.0", name="GB10", capability=Capability(12, 1)),
            NvidiaCard(bus="0:2:0.0", mig=True, memory_mib=5),
        ),
        None,
    )
    assert (gb10.unified, gb10.memory_mib) == (True, None)
    assert (sliced.unified, sliced.memory_mib, sliced.mig) == (False, None, True)


@given(st.text(alphabet="0123GPU-MIGac,+ x", max_size=20))
def test_whatever_stands_there_the_gpus_seen_are_some_of_those_there_are(wanted: str) -> None:
    indices = seen(wanted, (*ABC, SLICED))
    assert len(set(indices)) == len(indices)
    assert set(indices) <= set(range(5))
