"""The architectures flash-attn is compiled for. Standard library only."""

from collections.abc import Iterable

#: The architectures that its setup.py knows (2.8.3, github.com/Dao-AILab/flash-attention).
KNOWN = (80, 90, 100, 120)


def flash_archs(capabilities: Iterable[str]) -> str:
    """FLASH_ATTN_CUDA_ARCHS for these capabilities, such as "80;120"; flash-attn supports 8.0 and later.

    flash-attn reads no other variable and silently ignores unknown architectures, so only names it knows are used: each
    GPU gets the highest one with its major version that is not above its capability (8.6 runs sm_80).
    """
    targets = [int(text.replace(".", "")) for text in capabilities]
    chosen = {max((arch for arch in KNOWN if arch // 10 == gpu // 10 and arch <= gpu), default=0) for gpu in targets}
    return ";".join(str(arch) for arch in sorted(chosen - {0}))
