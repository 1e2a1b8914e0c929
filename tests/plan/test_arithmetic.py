"""The number format, the attention and the memory of a large model follow from what it allows and the GPU."""

import pytest

from voxmatrix.errors import NoDeviceError
from voxmatrix.machine.facts import Capability, Gpu
from voxmatrix.plan.arithmetic import Arithmetic

ALL = ("cpu", "cuda", "rocm", "xpu")


def gpu(capability: str | None, kind: str = "cuda") -> Gpu:
    return Gpu(index=0, kind=kind, name="A GPU", capability=capability and Capability.parse(capability))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("device", "dtypes", "refuse", "chosen"),
    [
        (None, ("bfloat16", "float32"), (), "float32"),
        (None, ("bfloat16",), (), "bfloat16"),
        (gpu("12.0"), ("float16", "float32"), (("float16", "capability>=10"),), "float32"),
        (gpu("9.0"), ("float16", "float32"), (("float16", "capability>=10"),), "float16"),
        (gpu("8.6"), ("bfloat16", "float32"), (), "bfloat16"),
        (gpu("7.5"), ("bfloat16", "float32"), (), "float32"),
        (gpu("7.5"), ("bfloat16", "float16"), (), "float16"),
        (gpu(None), ("bfloat16", "float32"), (), "float32"),
    ],
)
def test_the_first_format_that_the_device_computes_well(
    device: Gpu | None, dtypes: tuple[str, ...], refuse: tuple[tuple[str, str], ...], chosen: str
) -> None:
    setting = Arithmetic(dtypes=dtypes, refuse=refuse, kinds=ALL).dtype(device)
    assert setting.value == chosen and setting.reason


@pytest.mark.parametrize("device", [gpu("7.5"), gpu(None, "mps")])
def test_a_device_that_has_none_of_them_is_refused(device: Gpu) -> None:
    with pytest.raises(NoDeviceError):
        Arithmetic(dtypes=("bfloat16",), kinds=ALL).dtype(device)


@pytest.mark.parametrize(
    ("device", "dtype", "installed", "chosen"),
    [
        (gpu("9.0"), "bfloat16", "2.8.3", "flash_attention_2"),
        (gpu("9.0"), "float32", "2.8.3", "sdpa"),
        (gpu("7.5"), "float16", "2.8.3", "sdpa"),
        (gpu("9.0"), "bfloat16", None, "sdpa"),
        (None, "float32", "2.8.3", "sdpa"),
    ],
)
def test_flash_attention_is_used_where_it_can_be(
    device: Gpu | None, dtype: str, installed: str | None, chosen: str
) -> None:
    able = Arithmetic(dtypes=("bfloat16",), attention=("flash_attention_2", "sdpa"), kinds=ALL)
    setting = able.attention_for(device, dtype, installed)
    assert setting.value == chosen
    assert ("flash-attn is not installed" in setting.reason) == (installed is None)


@pytest.mark.parametrize(
    ("device", "dtypes", "dtype", "needed"),
    [
        (None, ("bfloat16", "float32"), "float32", 10_000),
        (None, ("float32",), "float32", 5000),
        (gpu("7.5"), ("bfloat16", "float32"), "float32", 10_000),
        (gpu("9.0"), ("bfloat16", "float32"), "bfloat16", 5000),
    ],
)
def test_float32_takes_twice_the_memory_of_a_model_in_halves(
    device: Gpu | None, dtypes: tuple[str, ...], dtype: str, needed: int
) -> None:
    setting = Arithmetic(dtypes=dtypes, kinds=ALL).memory_mib(5000.0, device, dtype)
    assert setting.value == needed and ("twice" in setting.reason) == (needed == 10_000)
