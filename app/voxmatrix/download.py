"""Download files of known content: resumed where an earlier try ended, and checked before they are used.

The variables of Hugging Face's own programs are understood: HF_ENDPOINT (a mirror), HF_TOKEN and HF_HUB_OFFLINE.
"""

import http.client
import ipaddress
import shutil
import ssl
import urllib.error
import urllib.request
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import voxmatrix
from voxmatrix.config import environment
from voxmatrix.errors import BadInputError, DamagedFileError, UnreachableError, UsageError
from voxmatrix.files import digest, link_target, storage_errors
from voxmatrix.progress import OnProgress
from voxmatrix.proxy import opener, proxy_remedy, with_proxy
from voxmatrix.wording import summary

_TIMEOUT_SECONDS, _SMALL_TIMEOUT_SECONDS = 30.0, 10.0
_CHUNK = 1 << 18
#: Connections that are cut are taken up again this many times without progress in between.
_TRIES = 3
_AGAIN = "run the same command again: it continues where it was"
#: The hub names the commit of a file in this header.
_COMMIT = "X-Repo-Commit"


@dataclass(frozen=True, kw_only=True)
class RemoteFile:
    """A file to download: its name, also in the URL, its size in bytes and its SHA-256, or else its MD5."""

    name: str
    size: int
    sha256: str = ""
    md5: str = ""

    @property
    def algorithm(self) -> str:
        """The name of its checksum in hashlib."""
        return "sha256" if self.sha256 else "md5"

    def is_at(self, path: Path) -> bool:
        """Whether this file is there, complete and unchanged."""
        right = path.is_file() and path.stat().st_size == self.size
        return right and digest(path, self.algorithm) == (self.sha256 or self.md5)


def hub_endpoint() -> str:
    """The address of the model hub: HF_ENDPOINT, or Hugging Face.

    Raises:
        UsageError: it is no URL.
    """
    endpoint = (environment().get("HF_ENDPOINT") or "https://huggingface.co").rstrip("/")
    if not endpoint.startswith(("https://", "http://")):
        raise UsageError(f"HF_ENDPOINT is {endpoint!r}", "set it to a URL that begins with https:// or http://")
    return endpoint


def check_online(offline: str = "") -> None:
    """Check that downloads are allowed. `offline` is the remedy for who has no network.

    Raises:
        UnreachableError: HF_HUB_OFFLINE forbids them.
    """
    if environment().get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE"):
        raise UnreachableError("HF_HUB_OFFLINE is set, so nothing is downloaded", _or("unset it", offline))


def download(
    file: RemoteFile,
    url: str,
    folder: Path,
    on_progress: OnProgress = lambda done, total: None,
    *,
    offline: str = "",
) -> Path:
    """The file in this folder, downloaded from `url`/NAME if it is not there.

    `on_progress` is told bytes. `offline` is the remedy for who has no network.

    Raises:
        BadInputError: the server does not have the file.
        DamagedFileError: the server has another file of that name; what was downloaded is removed.
        UnreachableError: no connection, no permission, or no space. What was downloaded is kept.
    """
    path = link_target(folder / file.name)
    part = path.with_name(f"{path.name}.part")
    if file.is_at(path):
        return path
    check_online(offline)
    with storage_errors(part):
        part.parent.mkdir(parents=True, exist_ok=True)
        check_space(part.parent, file.size - _size(part))
    address, tries = f"{url.rstrip('/')}/{quote(file.name)}", 0
    while (done := _size(part)) < file.size:
        try:
            _append(address, part, file, on_progress)
        except (http.client.HTTPException, OSError, ValueError) as error:
            tries = 1 if _size(part) > done else tries + 1
            if tries == _TRIES or isinstance(error, urllib.error.HTTPError | ssl.SSLError | ValueError):
                raise _unreachable(address, error, offline) from error
    return _checked(file, part, path, address)


def read_remote(address: str, max_bytes: int, *, offline: str = "") -> tuple[bytes, str]:
    """A small file whose content is not known, and its commit if the server is a hub. `offline` as in `download`.

    Raises:
        BadInputError: the server does not have the file, or it is larger.
        UnreachableError: no connection, or no permission.
    """
    check_online(offline)
    try:
        with _opener().open(_request(address), timeout=_SMALL_TIMEOUT_SECONDS) as answer:
            content, commit = answer.read(max_bytes + 1), answer.headers.get(_COMMIT, "")
    except (http.client.HTTPException, OSError, ValueError) as error:
        raise _unreachable(address, error, offline) from error
    if len(content) > max_bytes:
        raise BadInputError(f"{address} has more than {max_bytes:,} bytes", "check the URL")
    return content, commit


def _request(address: str) -> urllib.request.Request:
    headers = {"User-Agent": f"voxmatrix/{voxmatrix.__version__}", "Accept-Encoding": "identity"}
    return _with_token(urllib.request.Request(address, headers=headers))


def _with_token(request: urllib.request.Request) -> urllib.request.Request:
    """The request with the hub's token, if it goes to the hub: it redirects to other hosts, which must not get it.

    Raises:
        UsageError: everybody on the way to the hub could read the token.
    """
    token = environment().get("HF_TOKEN", "").strip()
    if token and request.full_url.startswith(f"{hub_endpoint()}/"):
        if request.type != "https" and not _is_this_computer(urlsplit(request.full_url).hostname or ""):
            raise UsageError(
                f"HF_ENDPOINT is {hub_endpoint()!r}, so that HF_TOKEN would be sent unencrypted",
                "set HF_ENDPOINT to a URL that begins with https://, or unset HF_TOKEN",
            )
        request.add_unredirected_header("Authorization", f"Bearer {token}")
    return request


def _is_this_computer(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class _Redirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *given: Any) -> urllib.request.Request | None:
        request = super().redirect_request(*given)
        return request and _with_token(request)


@cache
def _opener() -> urllib.request.OpenerDirector:
    return opener(_Redirects)


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
    request = _request(address)
    if done:
        request.add_header("Range", f"bytes={done}-")
    with _opener().open(request, timeout=_TIMEOUT_SECONDS) as answer:
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
    if not file.is_at(part):
        found = f"{part.stat().st_size:,} bytes with the {file.algorithm} {digest(part, file.algorithm)}"
        part.unlink()
        raise DamagedFileError(
            f"{address} is not the file that was expected: it has {found}, not {file.size:,} bytes with "
            f"{file.sha256 or file.md5}",
            "run the same command again; if it fails again, the file was changed or a proxy changes it",
        )
    with storage_errors(path):
        part.replace(path)
    return path


def _or(remedy: str, offline: str) -> str:
    return f"{remedy}; without a network: {offline}" if offline else remedy


def _unreachable(address: str, error: Exception, offline: str) -> BadInputError | UnreachableError:
    if isinstance(error, UnreachableError):
        return error
    if isinstance(error, urllib.error.HTTPError):
        error.close()
        if error.code in (http.HTTPStatus.NOT_FOUND, http.HTTPStatus.GONE):
            return BadInputError(f"{address} does not exist", _or("check the URL", offline))
        if error.code in (http.HTTPStatus.UNAUTHORIZED, http.HTTPStatus.FORBIDDEN):
            problem = f"{with_proxy(address)} answers {error.code} ({error.reason})"
            return UnreachableError(
                f"{problem}: it is private, or its conditions must be accepted",
                "accept them on its page, and set HF_TOKEN to a token of your account",
            )
        problem = f"{with_proxy(address)} answers {error.code} ({error.reason})"
        return UnreachableError(problem, proxy_remedy(address, f"try later: {_AGAIN}"))
    if isinstance(error, ValueError):
        return BadInputError(f"{address} is not a URL: {error}", "check it")
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    why = summary(reason) if isinstance(reason, Exception) else str(reason)
    return UnreachableError(
        f"cannot download {with_proxy(address)}: {why}",
        _or(proxy_remedy(address, f"check the network (a proxy is set by HTTPS_PROXY), and {_AGAIN}"), offline),
    )
