"""Beside which torch the patches are tested, and the table of what was seen."""

import pytest

from tools import matrix, patches
from tools.patches import Pair, Seen

SEEN = Seen(versions="2.6.0+cu124 2.6.0", states={"a": "applied", "b": "retired"}, tests="9 passed, 1 skipped")


def test_the_torch_of_every_stable_image_is_tested_oldest_first() -> None:
    pairs = patches.pairs_of_images()
    assert {(pair.torch, pair.torchaudio) for pair in pairs} == {
        (row.torch, row.torchaudio) for row in matrix.rows().values() if row.channel == "stable"
    }
    numbers = [[int(number) for number in pair.torch.split(".")] for pair in pairs]
    assert numbers == sorted(numbers)


def test_a_pair_is_two_versions() -> None:
    assert patches.parse_pair("2.15.0/2.11.0") == Pair(torch="2.15.0", torchaudio="2.11.0")


@pytest.mark.parametrize("text", ["", "2.15.0", "2.15.0/", "/2.11.0", "2.15.0/2.11.0 --evil", "a/b", "2.15.0/2.11.0/3"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(SystemExit, match="TORCH/TORCHAUDIO"):
        patches.parse_pair(text)


def test_torch_is_not_among_what_is_installed_besides() -> None:
    assert not [each for each in patches.requirements() if each.startswith("torch")]
    assert [each for each in patches.requirements() if each.startswith("lightning")]


def test_what_torch_brought_along_stays_and_the_rest_is_as_locked() -> None:
    limits = patches.constraints("sympy==1.13.1\ntorch==2.6.0\ntorchaudio==2.6.0\n").splitlines()
    assert {"sympy==1.13.1", "torch==2.6.0", "torchaudio==2.6.0"} < set(limits)
    assert len({line.partition("==")[0] for line in limits}) == len(limits)
    assert any(line.startswith("lightning==") for line in limits)


def test_the_table_has_a_row_for_each_torch_and_a_column_for_each_patch() -> None:
    assert patches.table([SEEN]) == [
        "| torch, torchaudio | `a` | `b` | tests |",
        "| --- | --- | --- | --- |",
        "| 2.6.0+cu124 2.6.0 | applied | retired | 9 passed, 1 skipped |",
    ]
    assert patches.table([])


@pytest.mark.parametrize(
    ("tests", "good"),
    [
        ("9 passed", True),
        ("8 passed, 1 skipped", True),
        ("1 failed, 8 passed", False),
        ("2 errors", False),
        ("", False),
    ],
)
def test_only_what_passed_is_good(tests: str, good: bool) -> None:
    assert patches.passed(Seen(versions="", states={}, tests=tests)) is good


def test_a_full_disk_leaves_it_out_and_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(patches, "NEEDED_BYTES", 10**18)
    assert patches.main(["0.0.1/0.0.1"]) == 1
    assert "0.0.1/0.0.1 is skipped" in capsys.readouterr().out
