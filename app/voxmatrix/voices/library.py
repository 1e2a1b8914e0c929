"""The library: voices that can be downloaded, of all families that have some."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from voxmatrix.errors import BadInputError, Finding, VoxmatrixError
from voxmatrix.models.card import LANGUAGE_MARK
from voxmatrix.models.library import Library, LibraryVoice, License
from voxmatrix.progress import OnProgress
from voxmatrix.voices.families import families
from voxmatrix.voices.resolve import installed


def libraries() -> dict[str, Library[Any]]:
    """The library of each family that has one, by the name of the family."""
    return {family.name: library for family in families() if (library := family.library)}


def library_of(name: str) -> Library[Any]:
    """The library for a voice of this name. The last one also gets the names that none knows, as with families."""
    known = libraries()
    family = known.get(name.partition("/")[0])
    if family is not None and family.together:
        return family
    return next((library for library in known.values() if library.has(name)), [*known.values()][-1])


def search(text: str = "", language: str = "") -> tuple[list[LibraryVoice], Finding | None]:
    """The voices in whose names and languages all words of a text occur, and why some are missing, if they are.

    `language` is a tag, de or en-GB, and means all of its countries if it has none.
    """
    found: dict[str, LibraryVoice] = {}
    problems: dict[str, str] = {}  # each with its remedy
    for library in libraries().values():
        try:
            found |= library.voices()
        except VoxmatrixError as error:
            problems[f"{library.title}'s voices are not listed: {error.problem}"] = error.remedy
    words, tag = text.casefold().split(), language.replace("_", "-").lower()
    remedy = "; ".join(dict.fromkeys(problems.values()))
    problem = Finding(problem="; ".join(problems), remedy=remedy, severity="warning") if problems else None
    return [voice for voice in found.values() if _matches(voice, words, tag)], problem


def _matches(voice: LibraryVoice, words: list[str], tag: str) -> bool:
    facts = (voice.name, voice.title, voice.language, voice.language_name, voice.quality, voice.gender)
    about = " ".join(facts).casefold()
    return all(word in about for word in words) and f"{voice.language}-".startswith(f"{tag}-" if tag else "")


def is_public(name: str) -> bool:
    """Whether this could be the name of a voice, or of all voices of a family, that can be downloaded."""
    return any((library.together and name == family) or library.has(name) for family, library in libraries().items())


def find(name: str) -> LibraryVoice:
    """The voice of this name; the first one for the name of a family.

    Raises:
        BadInputError: there is none.
        UnreachableError: the index cannot be fetched.
    """
    voices: Mapping[str, LibraryVoice] = library_of(name).voices() if is_public(name) else {}
    if voices and name in libraries():
        return next(iter(voices.values()))
    if name not in voices:
        known = libraries().items()
        together = [f"; {family} means all of {library.title}'s" for family, library in known if library.together]
        remedy = f"voxmatrix voices search lists them{''.join(together)}"
        raise BadInputError(f"there is no voice {name!r} to download", remedy)
    return voices[name]


def license_of(voice: LibraryVoice, url: str = "") -> License:
    """The licence of a voice, for which its model card may be fetched.

    Raises:
        As `install`.
    """
    return libraries()[voice.family].license_of(voice, url)


def install(
    name: str, *, exact: bool = False, url: str = "", accepted: bool, on_progress: OnProgress = lambda done, total: None
) -> list[str]:
    """Download a voice, and return the names of all that came; one that is there is not downloaded again.

    `exact`: the files that are nearer to the original. `url`: of a mirror. `accepted`: whatever the licence says.

    Raises:
        BadInputError: there is no such voice, or as `Library.install`.
        DamagedFileError, UnreachableError, UsageError: as `Library.install`.
    """
    voice = find(name)
    library = libraries()[voice.family]
    library.install(voice, exact=exact, url=url, accepted=accepted, on_progress=on_progress)
    return names_of(voice.family) if library.together else [voice.name]


def install_from(name: str, source: Path, *, exact: bool = False, accepted: bool) -> list[str]:
    """Install from a folder, without a network, and return the names of all voices that came.

    `exact`: only the files that are nearer to the original will do.

    Raises:
        As `Library.install_from`.
    """
    library = library_of(name)
    library.install_from(name, source, exact=exact, accepted=accepted)
    return names_of(name.partition("/")[0]) if library.together else [name]


def add(files: Sequence[Path], name: str) -> None:
    """Copy a voice of these files into the folder of voices under this name.

    Raises:
        As `Library.add`.
    """
    if not any(library.add(files, name) for library in libraries().values()):
        raise BadInputError(f"{', '.join(file.name for file in files)}: not the files of a voice", "add other files")


def names_of(family: str) -> list[str]:
    """The installed voices of a family."""
    return [name for name, (known, _) in installed().items() if known.name == family]


def missing(name: str) -> str:
    """What to download for the voice, or the mixture, of this name; "" if nothing, or if it is no public voice.

    A mixture, or a voice in another language (af_heart@e), comes with all voices of its family.
    """
    if not name or Path(name).exists() or name in installed():
        return ""
    family, slash, _ = name.partition("/")
    if slash and family in libraries() and libraries()[family].together:
        comes = is_public(name.partition(LANGUAGE_MARK)[0]) or "+" in name
        return family if comes and not names_of(family) else ""
    return name if is_public(name) else ""
