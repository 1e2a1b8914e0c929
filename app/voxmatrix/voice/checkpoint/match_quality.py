"""Which quality a set of weights belongs to, told by their shapes alone."""

from collections.abc import Mapping

from torch import Tensor

from voxmatrix.tables.quality import Quality, qualities

#: What a file that does not say its rate most likely has.
_USUAL_RATE_HZ = 22050


def match_quality(state: Mapping[str, Tensor], rate_hz: int | None) -> Quality:
    """The row whose networks these weights (Piper's names) are; of rows with equal networks, the nearest in rate.

    Raises:
        LookupError: there is none; the message says what was measured.
    """
    try:
        seen = measure(state)
    except KeyError as error:
        raise LookupError(f"it has no weights called {error.args[0]}") from error
    fitting = [row for row in qualities().values() if all(getattr(row, name) == size for name, size in seen.items())]
    if not fitting:
        raise LookupError(", ".join(f"{name} {size}" for name, size in seen.items()))
    return min(fitting, key=lambda row: abs(row.rate_hz - (rate_hz or _USUAL_RATE_HZ)))


def measure(state: Mapping[str, Tensor]) -> dict[str, object]:
    """The columns of qualities.toml that weights show."""
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
    """How many numbered parts lie under `prefix`.

    Raises:
        KeyError: none.
    """
    numbers = {name.removeprefix(prefix).split(".")[0] for name in state if name.startswith(prefix)}
    if not numbers:
        raise KeyError(f"{prefix}0")
    return len(numbers)
