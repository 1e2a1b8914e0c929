"""Where audio and voices travel: by default the broker's own Redis, else any folder or bucket that fsspec can open."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from typing import Any, Protocol
from urllib.parse import urlsplit

from voxmatrix.errors import MissingProgramError, UnreachableError, UsageError
from voxmatrix.proxy import connect_loopback_directly
from voxmatrix.wording import summary
from voxmatrix.work.cluster.broker import REDIS_SCHEMES, is_redis, verified, without_password

_PREFIX = "voxmatrix:"
_CONNECT_SECONDS = 3.0
_ANSWER_SECONDS = 15.0


class Store(Protocol):
    """Named bytes, which several computers can read and write. A name is a relative path."""

    def put(self, name: str, data: bytes, keep_seconds: int) -> None:
        """Store bytes under a name; stores that can do so delete them after this time.

        Raises:
            UnreachableError: the store does not answer, or is full.
        """
        ...

    def get(self, names: Sequence[tuple[str, int]]) -> list[bytes | None]:
        """What is stored under each name, given with its expected size; None if nothing is.

        Of something longer, only one byte more than expected is read.

        Raises:
            UnreachableError: the store does not answer.
        """
        ...

    def keep(self, names: Sequence[str], keep_seconds: int) -> bool:
        """Keep these for `keep_seconds` from now. False: some are not there.

        Raises:
            UnreachableError: the store does not answer.
        """
        ...

    def delete(self, names: Sequence[str]) -> None:
        """Delete these, whether or not they are there.

        Raises:
            UnreachableError: the store does not answer.
        """
        ...

    def delete_folder(self, name: str) -> None:
        """Delete everything whose name begins with this folder, where it would not be deleted by itself."""
        ...


def open_store(url: str, broker: str) -> Store:
    """The store with this URL; "" is the Redis of the broker. Nothing is connected yet.

    Raises:
        UsageError: no program can open such a URL, or the broker is not Redis and no URL was given.
        MissingProgramError: the package for such URLs is not installed.
    """
    if not url and not is_redis(broker):
        raise UsageError(
            f"the broker {without_password(broker)} cannot carry audio",
            "add `store` with a folder or bucket that all computers reach, e.g. `store=s3://bucket/voxmatrix`",
        )
    if not url or urlsplit(url).scheme in REDIS_SCHEMES:
        return RedisStore(url or broker)
    return FolderStore(url)


def redis_client(url: str) -> Any:
    """A client of the Redis server at this URL, which gives up soon: whoever waits for the server tries again.

    Raises:
        MissingProgramError: the package redis is not installed.
        UsageError: a parameter of the URL is wrong.
    """
    if find_spec("redis") is None:
        raise MissingProgramError("redis is not installed, and a cluster needs it", 'pip install "voxmatrix[cluster]"')
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    return redis.Redis.from_url(
        verified(url).replace("redis+socket://", "unix://"),
        socket_connect_timeout=_CONNECT_SECONDS,
        socket_timeout=_ANSWER_SECONDS,
        socket_keepalive=True,
        retry=Retry(NoBackoff(), 1),
    )


@contextmanager
def redis_errors(url: str) -> Iterator[None]:
    """Turn errors of the Redis client into an UnreachableError (exit 8) without the password."""
    import redis

    shown = without_password(url)
    try:
        yield
    except redis.exceptions.OutOfMemoryError as error:
        remedy = "give it more memory (maxmemory), or use another store: `store=s3://…` or a shared folder"
        raise UnreachableError(f"{shown} is full: {error}", remedy) from error
    except redis.RedisError as error:
        refusals = (redis.AuthenticationError, redis.exceptions.NoPermissionError)
        if isinstance(error, refusals) or "AUTH" in str(error):  # some replies have no class of their own
            remedy = "put its password into the URL: redis://:PASSWORD@HOST:6379/0"
            raise UnreachableError(f"{shown} refuses this client: {error}", remedy) from error
        if "CERTIFICATE_VERIFY_FAILED" in str(error):
            remedy = "to trust a CA of your own, add it to the URL: ?ssl_ca_certs=CA.pem"
            raise UnreachableError(f"{shown} does not prove who it is: {error}", remedy) from error
        remedy = f"check that Redis runs there and can be reached: redis-cli -u {shown} ping"
        raise UnreachableError(f"{shown} cannot be reached: {error}", remedy) from error


class RedisStore:
    """Keys of a Redis server, which expire by themselves."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._client = redis_client(url)

    def put(self, name: str, data: bytes, keep_seconds: int) -> None:
        """Set a key."""
        with redis_errors(self._url):
            self._client.set(_PREFIX + name, data, ex=keep_seconds)

    def get(self, names: Sequence[tuple[str, int]]) -> list[bytes | None]:
        """Read keys in one round trip."""
        with redis_errors(self._url):
            pipe = self._client.pipeline(transaction=False)
            for name, size in names:
                pipe.getrange(_PREFIX + name, 0, size)  # one byte more than expected
            return [data or None for data in pipe.execute()]

    def keep(self, names: Sequence[str], keep_seconds: int) -> bool:
        """Set the times to live of keys."""
        with redis_errors(self._url):
            pipe = self._client.pipeline(transaction=False)
            for name in names:
                pipe.expire(_PREFIX + name, keep_seconds)
            return all(pipe.execute())

    def delete(self, names: Sequence[str]) -> None:
        """Delete keys."""
        if names:
            with redis_errors(self._url):
                self._client.unlink(*(_PREFIX + name for name in names))

    def delete_folder(self, name: str) -> None:
        """Nothing to do: keys expire."""


class FolderStore:
    """A folder or a bucket, opened by fsspec."""

    def __init__(self, url: str) -> None:
        self._url = url
        if find_spec("fsspec") is None:
            raise MissingProgramError(
                "fsspec is not installed, and `store` needs it", 'pip install "voxmatrix[cluster]"'
            )
        import fsspec

        connect_loopback_directly()  # MinIO and others on this computer
        try:
            self._files, self._root = fsspec.url_to_fs(url)
        except ImportError as error:
            scheme = urlsplit(url).scheme
            raise MissingProgramError(f"the store {_shown(url)}: {error}", f"pip install fsspec[{scheme}]") from error
        except (ValueError, OSError) as error:
            remedy = "choose a folder, or a URL that fsspec knows, e.g. s3://bucket/voxmatrix"
            raise UsageError(f"the store {_shown(url)} cannot be opened: {error}", remedy) from error

    def put(self, name: str, data: bytes, keep_seconds: int) -> None:
        """Write a file."""
        path = self._path(name)
        with self._errors():
            self._files.makedirs(path.rpartition("/")[0], exist_ok=True)
            self._files.pipe_file(path, data)

    def get(self, names: Sequence[tuple[str, int]]) -> list[bytes | None]:
        """Read files."""
        with self._errors():
            return [self._read(name, size) for name, size in names]

    def _read(self, name: str, size: int) -> bytes | None:
        path = self._path(name)
        self._files.invalidate_cache(path.rpartition("/")[0])
        try:
            return bytes(self._files.cat_file(path, start=0, end=size + 1))
        except FileNotFoundError:
            return None

    def keep(self, names: Sequence[str], keep_seconds: int) -> bool:
        """Files are kept anyway: say whether they are there."""
        with self._errors():
            self._files.invalidate_cache()
            return all(self._files.exists(self._path(name)) for name in names)

    def delete(self, names: Sequence[str]) -> None:
        """Delete files."""
        with self._errors():
            for name in names:
                with suppress(FileNotFoundError):
                    self._files.rm_file(self._path(name))

    def delete_folder(self, name: str) -> None:
        """Delete a folder."""
        with self._errors(), suppress(FileNotFoundError):
            self._files.rm(self._path(name), recursive=True)

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Whatever the driver of a file system raises, the store cannot be used now."""
        try:
            yield
        except Exception as error:
            remedy = "check that this computer may read and write there"
            raise UnreachableError(f"the store {_shown(self._url)} cannot be used: {summary(error)}", remedy) from error


def _shown(url: str) -> str:
    return without_password(url) if "://" in url else url
