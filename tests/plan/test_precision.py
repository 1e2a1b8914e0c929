"""Spellings of a format, and the scaler that follows it."""

import pytest

from tests.plan.computers import ARC, RTX_3060, T4, gpu
from voxmatrix.errors import UsageError
from voxmatrix.plan.precision import choose_precision, choose_scaler, choose_tf32, parse_precision, precision_findings
from voxmatrix.settings import Setting
from voxmatrix.tables.training import Precision


@pytest.mark.parametrize(
    ("text", "precision"),
    [("32", "fp32"), ("FP32", "fp32"), ("bf16", "bf16"), ("16", "fp16"), ("float16", "fp16"), ("bfloat16", "bf16")],
)
def test_every_usual_spelling(text: str, precision: str) -> None:
    assert parse_precision(text) == precision


@pytest.mark.parametrize("text", ["8", "fp8", "int8", "-"])
def test_another_is_usage(text: str) -> None:
    with pytest.raises(UsageError, match="precision"):
        parse_precision(text)


def test_the_reason_names_the_gpu_with_its_capability() -> None:
    assert "NVIDIA GeForce RTX 3060 (8.6)" in choose_precision(RTX_3060, None).reason
    assert "the CPU" in choose_precision(None, None).reason
    assert "AMP" in choose_precision(ARC, None).reason
    assert "could not be read" in choose_precision(gpu("x", None, 1), None).reason


@pytest.mark.parametrize(("precision", "scaled"), [("fp32", False), ("bf16", False), ("fp16", True)])
def test_the_scaler_follows_a_forced_format_too(precision: Precision, scaled: bool) -> None:
    forced = Setting(value=precision, reason="--precision", source="flag")
    assert choose_scaler(forced).value is scaled
    assert precision in choose_scaler(forced).reason or scaled


def test_a_forced_format_that_suits_is_not_warned_of() -> None:
    fp16: Setting[Precision] = Setting(value="fp16", reason="--precision", source="flag")
    assert precision_findings(RTX_3060, fp16, choose_tf32(RTX_3060, None)) == []
    assert precision_findings(T4, fp16, choose_tf32(T4, None)) == []
    assert precision_findings(None, fp16, choose_tf32(None, None))


def test_a_cpu_with_instructions_for_bf16_is_told_of_it() -> None:
    assert choose_precision(None, None, cpu_bf16=True).value == "fp32"
    assert "`precision=bf16`" in choose_precision(None, None, cpu_bf16=True).reason
    assert "no instructions" in choose_precision(None, None, cpu_bf16=False).reason
    assert "AVX512-BF16 or AMX" in choose_precision(None, None).reason


@pytest.mark.parametrize(("cpu_bf16", "warnings"), [(True, 0), (False, 1), (None, 1)])
def test_bf16_on_a_cpu_is_warned_of_where_it_gains_nothing(cpu_bf16: bool | None, warnings: int) -> None:
    bf16: Setting[Precision] = Setting(value="bf16", reason="--precision", source="flag")
    assert len(precision_findings(None, bf16, choose_tf32(None, None), cpu_bf16=cpu_bf16)) == warnings
