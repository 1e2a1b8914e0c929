"""Cards as nvidia-smi prints them."""

from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.machine.facts import Capability
from voxmatrix.machine.probes.nvidia_smi import parse_cards, read_cards

TABLE = """\
00000000:01:00.0, GPU-5, NVIDIA GeForce RTX 5090, 12.0, 32607, 31000, 570.86.10, [N/A]
00000000:0F:00.0, GPU-g, NVIDIA GB10, 12.1, [N/A], [Not Supported], 580.95.05, N/A
00000000:21:00.0, GPU-a, NVIDIA A100-SXM4-80GB, 8.0, 81920, 81000, 550.54.14, Enabled
"""


def test_a_table_is_read_and_what_is_not_available_is_unknown() -> None:
    rtx, gb10, a100 = parse_cards(TABLE)
    assert (rtx.name, rtx.capability, rtx.memory_mib, rtx.free_mib) == (
        "NVIDIA GeForce RTX 5090",
        Capability(12, 0),
        32607,
        31000,
    )
    assert (gb10.memory_mib, gb10.free_mib, gb10.mig) == (None, None, False)
    assert a100.mig


def test_an_old_program_that_knows_fewer_columns_is_asked_again() -> None:
    def ask(words: list[str]) -> str | None:
        return None if "compute_cap" in words[0] else "00000000:01:00.0, GPU-1, Tesla K80, 11441, 11000, 440.33\n"

    (card,) = read_cards(ask)
    assert (card.name, card.capability, card.driver) == ("Tesla K80", None, "440.33")


def test_no_program_means_no_cards() -> None:
    assert read_cards(lambda words: None) == ()


@given(st.text())
def test_other_text_is_no_card(text: str) -> None:
    assert len(parse_cards(text.replace(",", ";"))) == 0
