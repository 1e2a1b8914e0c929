"""The table of architectures says what the cards are called, and a wrong row is named."""

import pytest

from tests.tables.checks import check_architecture
from voxmatrix.tables.architecture import architecture, architectures, parse_architectures

_ROW = 'architecture = "X"\nproducts = []\nbf16 = true\ntf32 = true\nflash = true\nadvice = ["a"]\nsource = "s"\n'


@pytest.mark.parametrize(
    ("capability", "name", "product"),
    [
        ((5, 0), "Maxwell", "GTX 750 Ti"),
        ((6, 1), "Pascal", "GTX 1080 Ti"),
        ((7, 0), "Volta", "V100"),
        ((7, 5), "Turing", "T4"),
        ((8, 6), "Ampere", "RTX 3050"),
        ((8, 9), "Ada Lovelace", "RTX 6000 Ada"),
        ((9, 0), "Hopper", "H100"),
        ((10, 0), "Blackwell", "B200"),
        ((10, 3), "Blackwell Ultra", "B300"),
        ((11, 0), "Blackwell (Tegra)", "Thor"),
        ((12, 0), "Blackwell", "RTX PRO 6000 Blackwell"),
        ((12, 1), "Blackwell", "GB10"),
    ],
)
def test_a_card_is_called_by_its_right_name(capability: tuple[int, int], name: str, product: str) -> None:
    row = architecture(capability)
    assert row is not None
    assert row.architecture == name
    assert any(product in known for known in row.products)


def test_bf16_and_tf32_begin_with_8_0() -> None:
    for capability, row in architectures().items():
        assert (row.bf16, row.tf32) == (capability >= (8, 0),) * 2


def test_a_capability_newer_than_the_table_has_no_row() -> None:
    assert architecture((13, 0)) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f'["12"]\n{_ROW}', "'12'"),
        ('["12.0"]\narchitecture = "X"\n', "12.0: .*missing"),
        (f'["12.0"]\n{_ROW}colour = "red"\n', "12.0: .*colour"),
        (f'["12.0"]\n{_ROW.replace("bf16 = true", "bf16 = 1")}', "12.0: bf16 is 1"),
        (f'["12.0"]\n{_ROW.replace("[" + chr(34) + "a" + chr(34) + "]", "[]")}', "12.0: advice"),
    ],
)
def test_a_wrong_row_is_named(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        for row in parse_architectures(text).values():
            check_architecture(row)


def test_every_row_can_be_true() -> None:
    for row in architectures().values():
        check_architecture(row)
