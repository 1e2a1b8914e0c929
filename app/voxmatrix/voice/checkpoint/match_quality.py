"""Determine the quality of a voice from the shapes of its weights."""

from collections.abc import Mapping

from torch import Tensor

from voxmatrix.tables.quality import Quality, qualities

#: The most likely sample rate of a file that does not state it.
_DEFAULT_RATE_HZ = 22050


def match_quality(state: Mapping[str, Tensor], rate_hz: int | None) -> Quality:
    """The quality whose networks have these weights (Piper's names); of several, the one nearest in sample rate.

    Raises:
        LookupError: no quality matches; the message has the measured sizes.
    """
    try:
        sizes = measure(state)
    except KeyError as error:
        raise LookupError(f"it has no weight {error.args[0]}") from error
    matches = [row for row in qualities().values() if all(getattr(row, name) == size for name, size in sizes.items())]
    if not matches:
        raise LookupError(", ".join(f"{name} {size}" for name, size in sizes.items()))
    return min(matches, key=lambda row: abs(row.rate_hz - (rate_hz or _DEFAULT_RATE_HZ)))


def measure(state: Mapping[str, Tensor]) -> dict[str, object]:
    """The columns of qualities.toml that follow from weights."""
    upsamplings = _count(state, "dec.ups.")
    blocks = "convs1" if "dec.resblocks.0.convs1.0.bias" in state else "convs"
    first_blocks = _count(state, "dec.resblocks.") // upsamplings
    return {
        "inter_channels": state["dec.conv_pre.weight"].size(1),
        "hidden_channels": state["enc_p.emb.weight"].size(1),
        "filter_channels": state["enc_p.encoder.ffn_layers.0.conv_1.weight"].size(0),
        "n_layers": _count(state, "enc_p.encoder.attn_layers."),
        "posterior_layers": _count(state, "enc_q.enc.in_layers."),
        "resblock": "1" if blocks == "convs1" else "2",
        "resblock_kernels": tuple(
            state[f"dec.resblocks.{block}.{blocks}.0.weight_v"].size(2) for block in range(first_blocks)
        ),
        "upsample_kernels": tuple(state[f"dec.ups.{step}.weight_v"].size(2) for step in range(upsamplings)),
        "upsample_channels": state["dec.conv_pre.weight"].size(0),
    }


def _count(state: Mapping[str, Tensor], prefix: str) -> int:
    """The number of numbered modules under `prefix`.

    Raises:
        KeyError: there are none.
    """
    numbers = {name.removeprefix(prefix).split(".")[0] for name in state if name.startswith(prefix)}
    if not numbers:
        raise KeyError(f"{prefix}0")
    return len(numbers)
