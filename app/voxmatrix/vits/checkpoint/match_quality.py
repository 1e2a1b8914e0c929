"""Determine the quality of a voice from the shapes of its weights."""

from collections.abc import Mapping

from torch import Tensor

from voxmatrix.tables.quality import Quality, qualities
from voxmatrix.vits.decoders import decoder_sizes
from voxmatrix.vits.decoders.decoder import count_modules

#: The most likely sample rate of a file that does not state it.
_DEFAULT_RATE_HZ = 22050


def match_quality(state: Mapping[str, Tensor], rate_hz: int | None) -> Quality:
    """The quality whose networks have these weights (Piper's names); of several, the one nearest in sample rate.

    Raises:
        LookupError: no quality matches; the message has the measured sizes.
    """
    measured: dict[str, dict[str, object]] = {}
    missing = ""
    for decoder in sorted({row.decoder for row in qualities().values()}):
        try:
            measured[decoder] = _encoder_sizes(state) | decoder_sizes(decoder, state)
        except KeyError as error:
            missing = f"it has no weight {error.args[0]}"
    matches = [row for row in qualities().values() if _fits(row, measured.get(row.decoder))]
    if not matches:
        sizes = [f"{name} {size}" for found in measured.values() for name, size in found.items()]
        raise LookupError(", ".join(sizes) or missing)
    return min(matches, key=lambda row: abs(row.rate_hz - (rate_hz or _DEFAULT_RATE_HZ)))


def _fits(row: Quality, sizes: dict[str, object] | None) -> bool:
    return sizes is not None and all(getattr(row, name) == size for name, size in sizes.items())


def _encoder_sizes(state: Mapping[str, Tensor]) -> dict[str, object]:
    """The columns of qualities.toml that follow from the encoders' weights."""
    return {
        "inter_channels": state["enc_p.proj.weight"].size(0) // 2,
        "hidden_channels": state["enc_p.emb.weight"].size(1),
        "filter_channels": state["enc_p.encoder.ffn_layers.0.conv_1.weight"].size(0),
        "n_layers": count_modules(state, "enc_p.encoder.attn_layers."),
        "posterior_layers": count_modules(state, "enc_q.enc.in_layers."),
    }
