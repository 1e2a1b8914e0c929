"""What torch-directml cannot do, as a rule that every operation of torch is held against, on any device."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

#: It refuses complex and double numbers or dies of them; half ones would come of autocast, which it does not have.
NUMBERS = frozenset({torch.complex32, torch.complex64, torch.complex128, torch.float64, torch.float16, torch.bfloat16})
#: Kinds of device with an autocast of their own. (torch 2.4 refuses to be asked about others.)
AUTOCAST = tuple(kind for kind in ("cpu", "cuda", "xpu", "mps") if torch.amp.is_autocast_available(kind))


class NotOnDirectmlError(Exception):
    """An operation that torch-directml would refuse, or end the process for."""


class OperationRules(TorchDispatchMode):
    """Every operation that is computed, also those that torch is made of; `seen` counts them."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = str(func)
        if "fft" in name or "stft" in name:
            raise NotOnDirectmlError(f"{name} is a transform")
        if torch.is_inference_mode_enabled():
            raise NotOnDirectmlError(f"{name} makes a tensor of inference mode")
        out = func(*args, **(kwargs or {}))
        for leaf in tree_leaves((args, kwargs, out)):
            dtype = leaf.dtype if isinstance(leaf, Tensor) else leaf
            if isinstance(dtype, torch.dtype) and dtype in NUMBERS:
                raise NotOnDirectmlError(f"{name} has {dtype}")
        self.seen += 1
        return out


class _NoAutocast(TorchFunctionMode):
    """Every call from Python. Where operations are computed, torch has already forgotten that autocast is on."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if any(torch.is_autocast_enabled(kind) for kind in AUTOCAST):
            raise NotOnDirectmlError(f"{func.__name__} runs under autocast")
        return func(*args, **(kwargs or {}))


@contextmanager
def directml_rules() -> Iterator[OperationRules]:
    """A block in which what is not for DirectML raises `NotOnDirectmlError`."""
    with OperationRules() as rules, _NoAutocast():
        yield rules
