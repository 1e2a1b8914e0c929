"""What is asked of the resolver for flash-attn."""

from tools.images import rows
from tools.locks import lock_flash


def test_a_row_of_cuda_13_has_its_compiler_from_the_index_and_another_one_does_not() -> None:
    with_wheels, with_image = (set(lock_flash.requirements(rows.rows()[name])) for name in ("cuda13", "blackwell"))
    compiler = {f"{name}==13.2.*" for name in ("nvidia-cuda-nvcc", "nvidia-cuda-crt", "nvidia-nvvm")}
    assert compiler < with_wheels
    assert "nvidia-cuda-cuobjdump==13.2.*" in with_wheels
    assert not any("nvidia" in name for name in with_image)
    assert {"flash-attn==2.8.3.post2", "einops", "ninja"} < with_wheels & with_image
