"""Download files of known content: resumed where an earlier try ended, and checked before they are used."""

import hashlib
import http.client
import shutil
import ssl
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import voxmatrix
from voxmatrix.errors import BadInputError, DamagedFileError, UnreachableError
from voxmatrix.files import digest, storage_errors
from voxmatrix.progress import OnProgress
from voxmatrix.wording import summary

_TIMEOUT_SECONDS = 30.0
_CHUNK = 1 << 18
#: Connections that are cut are taken up again this many times without progress in between.
_TRIES = 3
_AGAIN = "run the same command again: it continues where it was"


@dataclass(frozen=True, kw_only=True)
class RemoteFile:
    """A file to download: its name, also in the URL, its size in bytes and its SHA-256."""

    name: str
    size: int
    sha256: str


def download(file: RemoteFile, url: str, folder: Path, on_progress: OnProgress = lambda done, total: None) -> Path:
    """The file in this folder, downloaded from `url`/NAME if it is not there. `on_progress` is told bytes.

    Raises:
        BadInputError: the server does not have the file.
        DamagedFileError: the server has another file of that name; what was downloaded is removed.
        UnreachableError: no connection, or no space. What was downloaded is kept.
    """
    path, part = folder / file.name, folder / f"{file.name}.part"
    if path.is_file() and path.stat().st_size == file.size and digest(path) == file.sha256:
        return path
    with storage_errors(part):
        folder.mkdir(parents=True, exist_ok=True)
        check_space(folder, file.size - _size(part))
    address, tries = f"{url.rstrip('/')}/{file.name}", 0
    while (done := _size(part)) < file.size:
        try:
            _append(address, part, file, on_progress)
        except (http.client.HTTPException, OSError) as error:
            tries = 1 if _size(part) > done else tries + 1
            if tries == _TRIES or isinstance(error, urllib.error.HTTPError | ssl.SSLError):
                raise _unreachable(address, error) from error
    return _checked(file, part, path, address)


def check_space(folder: Path, needed: int) -> None:
    """Check that the disk has room for this many bytes.

    Raises:
        UnreachableError: it has not.
    """
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise UnreachableError(
            f"{folder} has {free >> 20} MiB free, and {needed >> 20} MiB are needed", "free some space there"
        )


def _append(address: str, part: Path, file: RemoteFile, on_progress: OnProgress) -> None:
    """Continue a file, or begin it anew if the server cannot continue it."""
    done = _size(part)
    headers = {"User-Agent": f"voxmatrix/{voxmatrix.__version__}", "Accept-Encoding": "identity"}
    if done:
        headers["Range"] = f"bytes={done}-"
    request = urllib.request.Request(address, headers=headers)
    with urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS) as answer:
        continues = answer.status == http.HTTPStatus.PARTIAL_CONTENT
        done = done if continues else 0
        with storage_errors(part), part.open("ab" if continues else "wb") as target:
            while chunk := answer.read(min(_CHUNK, file.size + 1 - done)):
                target.write(chunk)
                done += len(chunk)
                on_progress(min(done, file.size), file.size)
                if done > file.size:
                    return  # another file, as its sum will tell
    if done < file.size:
        raise http.client.IncompleteRead(b"", file.size - done)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _checked(file: RemoteFile, part: Path, path: Path, address: str) -> Path:
    hashed = hashlib.sha256()
    with part.open("rb") as content:
        while chunk := content.read(_CHUNK):
            hashed.update(chunk)
    if part.stat().st_size != file.size or hashed.hexdigest() != file.sha256:
        part.unlink()
        raise DamagedFileError(
            f"{address} is not the file that was expected: its SHA-256 is {hashed.hexdigest()}, not {file.sha256}",
            "run the same command again; if it fails again, the file was changed or a proxy changes it",
        )
    with storage_errors(path):
        part.replace(path)
    return path


def _unreachable(address: str, error: Exception) -> BadInputError | UnreachableError:
    if isinstance(error, UnreachableError):
        return error
    if isinstance(error, urllib.error.HTTPError):
        if error.code in (http.HTTPStatus.NOT_FOUND, http.HTTPStatus.GONE):
            return BadInputError(f"{address} does not exist", "check the URL, or use `from` with a folder of the files")
        return UnreachableError(f"{address} answers {error.code} ({error.reason})", f"try later: {_AGAIN}")
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    why = summary(reason) if isinstance(reason, Exception) else str(reason)
    return UnreachableError(
        f"cannot download {address}: {why}",
        f"check the network (a proxy is set by HTTPS_PROXY), and {_AGAIN}; without a network, use `from` with a folder "
        "of the files",
    )
