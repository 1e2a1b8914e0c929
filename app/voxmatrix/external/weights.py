"""Weights of engines: fetched from the hub at one commit, or copied from a folder; checked, kept read-only, remembered.

A folder is named by the digest of its files; DIGEST.json beside it says where they are from and who accepted what.
"""

import hashlib
import json
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from getpass import getuser
from pathlib import Path
from typing import Any

from voxmatrix.config import home
from voxmatrix.download import RemoteFile, check_space, download, hub_endpoint, read_remote
from voxmatrix.errors import BadInputError, DamagedFileError, UsageError
from voxmatrix.external.installed import weights_folder
from voxmatrix.external.manifest import FileTable, LicenceTable, Manifest, WeightsTable, is_inside, weights_digest
from voxmatrix.files import digest, read_errors, storage_errors, write_text
from voxmatrix.progress import OnProgress

_OFFLINE = "give `weights` a folder with the files"
_MAX_LISTING_BYTES = 2**24
#: Of a file whose SHA-256 the hub does not name, as it does for those in LFS: it is fetched to be digested.
_MAX_SMALL_BYTES = 2**25
#: What no engine reads.
_NOT_FETCHED = (".gitattributes", ".md", ".png", ".jpg", ".wav", ".mp3", ".bin", ".pt", ".pth", ".onnx", ".gguf")
_READ_ONLY = stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH
_FOLDER_READ_ONLY = _READ_ONLY | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH


def check_licence(name: str, licence: LicenceTable | None, *, accepted: bool) -> None:
    """Check that the licence of weights was accepted, if it has to be.

    Raises:
        UsageError: it has to be, and was not.
    """
    if licence is None or not licence.accept or accepted:
        return
    raise UsageError(
        f"the licence of {name} has to be accepted: {restrictions(licence)}",
        f"read it{f' ({licence.url})' if licence.url else ''}, then set `accept_licence`",
    )


def restrictions(licence: LicenceTable) -> str:
    """The name of a licence, and what it does not allow."""
    limits = [] if licence.commercial else ["no commercial use"]
    limits += [f"also {'for' if licence.commercial else 'of'} what is spoken"] if licence.outputs_restricted else []
    limits += [] if licence.may_teach else ["it may not teach other voices"]
    return f"{licence.name} ({', '.join(limits)})" if limits else licence.name


def fetch(engine: str, weights: WeightsTable, licence: LicenceTable | None, on_progress: OnProgress) -> str:
    """Download weights, and return their digest. What is there already is not downloaded again.

    Raises:
        BadInputError: the hub does not have them.
        DamagedFileError: a file is not what it should be.
        UnreachableError: no connection, no permission, or no space; what was downloaded is kept for the next try.
    """
    revision, files = _pinned(weights) if weights.files else _listed(weights)
    digests = {name: file.sha256 for name, file in files.items()}
    found = weights_digest(digests)
    if weights_folder(found).is_dir():
        return found
    part = home() / "cache" / "downloads" / found
    done, total = 0, sum(file.bytes for file in files.values())
    with storage_errors(part):
        part.mkdir(parents=True, exist_ok=True)
        check_space(part, total - sum(path.stat().st_size for path in part.rglob("*") if path.is_file()))

    def advance(before: int, got: int, _total: int) -> None:
        on_progress(before + got, total)

    for name, file in files.items():
        path, address = part / name, _address(weights, revision, name)
        remote = RemoteFile(name=path.name, size=file.bytes, sha256=file.sha256)
        download(remote, address.rpartition("/")[0], path.parent, partial(advance, done), offline=_OFFLINE)
        done += file.bytes
    _keep(part, found)
    about = {"engine": engine, "id": weights.id, "repo": weights.repo, "revision": revision}
    _record(found, about, licence, files)
    return found


def check_available(weights: WeightsTable) -> None:
    """Check that the hub has weights whose files it has to name.

    Raises:
        As `fetch`.
    """
    if weights.repo and not weights.files:
        _commit(weights.repo)


def copy(engine: str, weights: WeightsTable, licence: LicenceTable | None, source: Path) -> str:
    """Take weights from a folder, and return their digest.

    Raises:
        BadInputError: the folder cannot be read, or is empty.
        DamagedFileError: a file is not that of the manifest.
        UnreachableError: no space.
    """
    with read_errors(source):
        paths = {path.relative_to(source).as_posix(): path for path in sorted(source.rglob("*")) if path.is_file()}
    if not paths:
        raise BadInputError(f"{source} has no files", "choose the folder with the weights")
    wanted = weights.files
    if wanted:
        if missing := [name for name in wanted if name not in paths]:
            raise BadInputError(f"{source} lacks {', '.join(missing[:5])}", "choose a folder with all files")
        paths = {name: paths[name] for name in wanted}
    files = {name: FileTable(sha256=digest(path), bytes=path.stat().st_size) for name, path in paths.items()}
    for name, file in wanted.items():
        if files[name].sha256 != file.sha256:
            raise DamagedFileError(
                f"{source / name} is not the file of {weights.id}: its SHA-256 is {files[name].sha256}, "
                f"not {file.sha256}",
                "copy or download it again",
            )
    found = weights_digest({name: file.sha256 for name, file in files.items()})
    if weights_folder(found).is_dir():
        return found
    part = home() / "cache" / "downloads" / found
    with storage_errors(part):
        part.mkdir(parents=True, exist_ok=True)
        check_space(part, sum(file.bytes for file in files.values()))
        for name, path in paths.items():
            (part / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, part / name)
    _keep(part, found)
    _record(found, {"engine": engine, "id": weights.id, "folder": str(source)}, licence, files)
    return found


def row_for(manifest: Manifest, folder: Path) -> WeightsTable:
    """Which weights of the engine those in a folder are like: those of the same family, else the first.

    Raises:
        BadInputError: the engine has none of their family.
    """
    family = ""
    if (folder / "config.json").is_file():
        try:
            family = str(json.loads((folder / "config.json").read_text(encoding="utf-8")).get("model_type", ""))
        except (ValueError, AttributeError) as error:
            raise BadInputError(
                f"{folder / 'config.json'} is no configuration: {error}", "choose another folder"
            ) from error
    rows = [row for row in manifest.weights if row.family == family or not row.family]
    if not rows:
        known = ", ".join(dict.fromkeys(row.family for row in manifest.weights))
        raise BadInputError(f"{folder} has weights of {family or 'no known family'}", f"choose those of {known}")
    return rows[0]


def remove(found: str) -> None:
    """Remove weights."""
    folder = weights_folder(found)
    with storage_errors(folder):
        for path in (folder, *folder.rglob("*")):
            if path.is_dir():
                path.chmod(0o755)
        shutil.rmtree(folder, ignore_errors=True)
        _record_path(found).unlink(missing_ok=True)


def _pinned(weights: WeightsTable) -> tuple[str, Mapping[str, FileTable]]:
    if not weights.revision:
        raise BadInputError(f"the manifest names no revision of {weights.id}", "choose a folder of the files")
    return weights.revision, weights.files


def _listed(weights: WeightsTable) -> tuple[str, Mapping[str, FileTable]]:
    """The commit of the newest files, and the digests that the hub names for them."""
    if not weights.repo:
        raise BadInputError(f"the manifest names no repository of {weights.id}", "choose a folder of the files")
    commits, files = [], {}
    for place, repository in {"": weights.repo, **weights.parts}.items():
        commit = weights.revision if not place and weights.revision else _commit(repository)
        commits.append(commit)
        folder = f"{weights.folder}/" if weights.folder and not place else ""
        for entry in _entries(repository, commit):
            name = entry["path"].removeprefix(folder)
            inside = entry["path"].startswith(folder) and is_inside(name)
            if entry.get("type") != "file" or not inside or not _is_needed(name, weights):
                continue
            lfs = entry.get("lfs")
            files[f"{place}/{name}" if place else name] = (
                FileTable(sha256=lfs["oid"], bytes=lfs["size"])
                if lfs
                else _small(f"{hub_endpoint()}/{repository}/resolve/{commit}/{entry['path']}", entry)
            )
    if not files:
        raise BadInputError(f"{weights.repo} has no weights", "choose others, or a folder of the files")
    return "+".join(commits), files


def _is_needed(name: str, weights: WeightsTable) -> bool:
    return name in weights.only if weights.only else not name.endswith(_NOT_FETCHED)


def _commit(repository: str) -> str:
    return str(_json(f"{hub_endpoint()}/api/models/{repository}/revision/main")["sha"])


def _entries(repository: str, commit: str) -> Iterator[dict[str, Any]]:
    yield from _json(f"{hub_endpoint()}/api/models/{repository}/tree/{commit}?recursive=true&expand=false")


def _json(address: str) -> Any:
    content, _ = read_remote(address, _MAX_LISTING_BYTES, offline=_OFFLINE)
    try:
        return json.loads(content)
    except ValueError as error:
        raise DamagedFileError(f"{address} is no list of files: {error}", "check HF_ENDPOINT") from error


def _small(address: str, entry: Mapping[str, Any]) -> FileTable:
    """A file outside of LFS: the hub names the digest that git has for it."""
    content, _ = read_remote(address, _MAX_SMALL_BYTES, offline=_OFFLINE)
    found = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    if found != entry["oid"]:
        raise DamagedFileError(
            f"{address} is not the file that was expected: its digest in git is {found}, not {entry['oid']}",
            "run the same command again; if it fails again, the file was changed or a proxy changes it",
        )
    return FileTable(sha256=hashlib.sha256(content).hexdigest(), bytes=len(content))


def _address(weights: WeightsTable, revision: str, name: str) -> str:
    """The URL of a file."""
    commits = revision.split("+")
    places = enumerate(weights.parts.items(), start=1)
    for number, (place, repository) in sorted(places, key=lambda one: -len(one[1][0])):  # one may be in another
        if name.startswith(f"{place}/"):
            return f"{hub_endpoint()}/{repository}/resolve/{commits[number]}/{name.removeprefix(f'{place}/')}"
    folder = f"{weights.folder}/" if weights.folder else ""
    return f"{hub_endpoint()}/{weights.repo}/resolve/{commits[0]}/{folder}{name}"


def _keep(part: Path, found: str) -> None:
    """Move complete weights to their place, where nobody may write."""
    folder = weights_folder(found)
    with storage_errors(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        for path in part.rglob("*"):
            path.chmod(_FOLDER_READ_ONLY if path.is_dir() else _READ_ONLY)
        shutil.move(part, folder)
        folder.chmod(_FOLDER_READ_ONLY)


def _record_path(found: str) -> Path:
    return weights_folder(found).with_name(f"{found}.json")


def _record(found: str, about: Mapping[str, str], licence: LicenceTable | None, files: Mapping[str, FileTable]) -> None:
    accepted = {"at": datetime.now(UTC).replace(microsecond=0).isoformat(), "by": _user()}
    content = {
        **about,
        "licence": {**licence.model_dump(exclude_defaults=True), "accepted": accepted} if licence else None,
        "files": {name: file.model_dump() for name, file in files.items()},
    }
    write_text(_record_path(found), json.dumps(content, indent=2) + "\n")


def _user() -> str:
    try:
        return getuser()
    except (KeyError, OSError):  # a container runs as a number
        return str(os.getuid())
