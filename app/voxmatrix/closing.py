"""What is open until it is closed."""

from abc import ABC, abstractmethod
from typing import Self


class Closeable(ABC):
    """Something to be used with `with`, which closes it at the end."""

    @abstractmethod
    def close(self) -> None:
        """Release everything that is held."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
