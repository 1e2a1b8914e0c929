"""What may be taken of which memory."""

from dataclasses import replace

from tests.plan.computers import ARC, RTX_3060, gpu, machine
from voxmatrix.plan.budget import Need, memory_budget
from voxmatrix.tables.training import memory_table

TABLE = memory_table()


def test_a_gpu_gives_a_share_of_what_is_free() -> None:
    budget = memory_budget(replace(RTX_3060, free_mib=10000), machine(RTX_3060))
    assert budget.mib == 10000 * TABLE.gpu_share
    assert "10000 MiB free" in budget.why


def test_all_of_it_counts_where_nobody_says_what_is_free_and_that_is_said() -> None:
    budget = memory_budget(replace(RTX_3060, free_mib=None), machine())
    assert budget.mib == 12288 * TABLE.gpu_share
    assert "unknown" in budget.why


def test_shared_memory_gives_less_of_what_the_computer_has_available() -> None:
    shared = gpu("NVIDIA GH200", "9.0", 97871, unified=True)
    for one in (None, shared, gpu("NVIDIA GB10", "12.1", None)):
        assert memory_budget(one, machine(available_mib=1000)).mib == 1000 * TABLE.shared_share
        assert memory_budget(one, machine(available_mib=None, memory_mib=2000)).mib == 2000 * TABLE.shared_share


def test_what_nobody_knows_is_said() -> None:
    assert memory_budget(None, machine(available_mib=None, memory_mib=None)).mib is None
    assert memory_budget(replace(ARC, memory_mib=None, free_mib=None), machine()).mib is None


def test_more_clips_need_more_and_checkpointing_less() -> None:
    need = Need(row=TABLE.qualities["medium"], table=TABLE, seconds=10, half=False)
    assert need.mib(4, checkpointed=True) < need.mib(4, checkpointed=False) < need.mib(8, checkpointed=False)
    assert need.mib(1, checkpointed=False) > TABLE.process_mib + need.row.base_mib


def test_nine_tenths_may_be_taken_where_it_was_measured_but_never_more_of_a_shared_memory() -> None:
    own = memory_budget(RTX_3060, machine(RTX_3060))
    assert own.when(measured=False) is own
    assert own.when(measured=True).mib == 12288 * 0.9
    shared = memory_budget(gpu("NVIDIA GB10", "12.1", None), machine(available_mib=1000))
    assert shared.when(measured=True) is shared
