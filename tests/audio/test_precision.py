import torch

from voxmatrix.audio.precision import without_autocast


def test_a_surrounding_autocast_is_left() -> None:
    x = torch.randn(4, 4)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert (x @ x).dtype == torch.bfloat16
        with without_autocast(x):
            assert (x @ x).dtype == torch.float32
        assert (x @ x).dtype == torch.bfloat16


def test_a_device_without_autocast_is_no_trouble() -> None:
    x = torch.zeros(4, 4, device="meta")
    with without_autocast(x):
        assert (x @ x).dtype == torch.float32
