"""Memory of tensors, counted while a program runs: how much lives, the most that ever did, and what autograd saved."""

import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class LiveMemory(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts every storage that an operation makes inside of it until it is freed: bytes, whatever the device.

    What was there before is not counted. Fake tensors count like real ones: they know their size and have no memory.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.now = 0
        self.peak = 0
        self.saved = 0  # of all that ever lived, what `note_saved` was shown
        self._alive: dict[int, weakref.ref[Any]] = {}
        self._saved: set[int] = set()

    def __torch_dispatch__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Compute, and look at what came out."""
        out = func(*args, **(kwargs or {}))
        for leaf in tree_leaves(out):
            if isinstance(leaf, Tensor):
                self._count(leaf)
        return out

    def note_saved(self, tensor: Tensor) -> Tensor:
        """For saved_tensors_hooks: count a tensor that autograd saves, once however often it does."""
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key in self._alive and key not in self._saved:
            self._saved.add(key)
            self.saved += storage.nbytes()
        return tensor

    def _count(self, tensor: Tensor) -> None:
        storage = tensor.untyped_storage()
        key, size = storage._cdata, storage.nbytes()
        if key in self._alive:
            return

        def freed(_: object) -> None:
            self.now -= size
            del self._alive[key]
            self._saved.discard(key)

        self._alive[key] = weakref.ref(storage, freed)
        self.now += size
        self.peak = max(self.peak, self.now)
