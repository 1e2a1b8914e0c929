"""Count the memory of live tensors while a program runs: now, at the peak, and what autograd saved."""

import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class LiveMemory(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts, in bytes, every storage that an operation creates in its context, until that storage is freed.

    Existing storages are not counted. Fake tensors count like real ones: they have a size but no memory.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.now = 0
        self.peak = 0
        self.saved = 0  # counted by `note_saved`
        self._alive: dict[int, weakref.ref[Any]] = {}
        self._saved: set[int] = set()

    def __torch_dispatch__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Run the operation and count the storages of its results."""
        out = func(*args, **(kwargs or {}))
        for leaf in tree_leaves(out):
            if isinstance(leaf, Tensor):
                self._count(leaf)
        return out

    def note_saved(self, tensor: Tensor) -> Tensor:
        """A pack hook for saved_tensors_hooks: count a tensor that autograd saves, once per storage."""
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
