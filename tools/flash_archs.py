"""What flash-attn is told to compile for. Standard library only."""

from collections.abc import Iterable

#: The architectures that its setup.py knows (2.8.3, github.com/Dao-AILab/flash-attention).
KNOWN = (80, 90, 100, 120)


def flash_archs(capabilities: Iterable[str]) -> str:
    """FLASH_ATTN_CUDA_ARCHS, for those of some GPUs that flash-attn is for (8.0 and later), as "80;120".

    It reads no other variable, and leaves out what it does not know, so only names of its own are given: a GPU gets the
    highest one of its major version that is not above it (8.6 runs sm_80).
    """
    wanted = [int(text.replace(".", "")) for text in capabilities]
    chosen = {max((arch for arch in KNOWN if arch // 10 == each // 10 and arch <= each), default=0) for each in wanted}
    return ";".join(str(arch) for arch in sorted(chosen - {0}))
