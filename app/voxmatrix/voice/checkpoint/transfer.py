"""Start a voice from another one that does not fit everywhere: other symbols, other speakers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from voxmatrix.voice.checkpoint.weight_names import from_piper, to_piper

Symbols = Mapping[str, Sequence[int]]

_EMBEDDING = "enc_p.emb.weight"
#: Where the speaker enters the networks.
_CONDITIONING = ("dec.cond.", "dp.cond.", "enc.cond_layer.")


@dataclass(frozen=True, kw_only=True)
class Transfer:
    """What was taken over, and what was not."""

    copied: int  # weights taken over whole
    fresh: tuple[str, ...]  # weights that begin anew, under Piper's names


def transfer(
    source: Mapping[str, Tensor],
    target: nn.Module,
    source_symbols: Symbols | None = None,
    target_symbols: Symbols | None = None,
) -> Transfer:
    """Copy into `target` every weight of `source` that fits it.

    With both symbol tables (symbol -> ids) the embeddings are copied symbol by symbol. A network with speakers that
    learns from one without begins by ignoring who speaks: every speaker then sounds like the source, and the
    differences are learnt.
    """
    state = target.state_dict()
    source = from_piper(source)
    rows = _shared_rows(source_symbols, target_symbols)
    fresh: list[str] = []
    with torch.no_grad():
        for name, weight in state.items():
            old = source.get(name)
            if old is not None and old.shape == weight.shape and not (rows is not None and name == _EMBEDDING):
                weight.copy_(old)
                continue
            fresh.append(name)
            if rows is not None and name == _EMBEDDING and old is not None and old.shape[1:] == weight.shape[1:]:
                _copy_rows(old, weight, rows)
        _silence(state, fresh)
    return Transfer(copied=len(state) - len(fresh), fresh=tuple(to_piper(dict.fromkeys(fresh))))


def _shared_rows(source: Symbols | None, target: Symbols | None) -> list[tuple[int, int]] | None:
    """(row there, row here) of every symbol that both know, or None when the rows already mean the same."""
    if source is None or target is None or _plain(source) == _plain(target):
        return None
    pairs = ((source[symbol], ids) for symbol, ids in target.items() if symbol in source)
    return [pair for there, here in pairs for pair in zip(there, here, strict=False)]


def _plain(symbols: Symbols) -> dict[str, list[int]]:
    return {symbol: list(ids) for symbol, ids in symbols.items()}


def _copy_rows(source: Tensor, target: Tensor, rows: list[tuple[int, int]]) -> None:
    for there, here in rows:
        if there < source.size(0) and here < target.size(0):
            target[here] = source[there]


def _silence(state: Mapping[str, Tensor], fresh: Sequence[str]) -> None:
    """Fresh conditioning adds nothing at first: length or weight 0, bias 0. The direction of a weight stays random."""
    for name in fresh:
        if any(part in name for part in _CONDITIONING) and not name.endswith("original1"):
            state[name].zero_()
