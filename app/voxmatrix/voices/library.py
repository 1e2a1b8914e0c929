"""The library: voices that can be downloaded, of all families that have some."""

from pathlib import Path

from voxmatrix.errors import BadInputError, Finding, VoxmatrixError
from voxmatrix.kokoro import install as kokoro
from voxmatrix.kokoro.family import NAME as KOKORO
from voxmatrix.models.library import LibraryVoice, License
from voxmatrix.piper import library as piper
from voxmatrix.piper.files import PUBLIC_NAME
from voxmatrix.progress import OnProgress
from voxmatrix.voices.resolve import installed


def search(text: str = "", language: str = "") -> tuple[list[LibraryVoice], Finding | None]:
    """The voices in whose names and languages all words of a text occur, and why some are missing, if they are.

    `language` is a tag, de or en-GB, and means all of its countries if it has none.
    """
    found, problem = dict(kokoro.public_voices()), None
    try:
        found |= piper.public_voices()
    except VoxmatrixError as error:
        problem = Finding(
            problem=f"Piper's voices are not listed: {error.problem}", remedy=error.remedy, severity="warning"
        )
    words, tag = text.casefold().split(), language.replace("_", "-").lower()
    return [voice for voice in found.values() if _matches(voice, words, tag)], problem


def _matches(voice: LibraryVoice, words: list[str], tag: str) -> bool:
    facts = (voice.name, voice.title, voice.language, voice.language_name, voice.quality, voice.gender)
    about = " ".join(facts).casefold()
    return all(word in about for word in words) and f"{voice.language}-".startswith(f"{tag}-" if tag else "")


def is_public(name: str) -> bool:
    """Whether this could be the name of a voice, or of all voices of a family, that can be downloaded."""
    return name == KOKORO or name in kokoro.public_voices() or PUBLIC_NAME.fullmatch(name) is not None


def find(name: str) -> LibraryVoice:
    """The voice of this name; the first one for the name of a family.

    Raises:
        BadInputError: there is none.
        UnreachableError: the index cannot be fetched.
    """
    of_kokoro = kokoro.public_voices()
    if name == KOKORO:
        return next(iter(of_kokoro.values()))
    found = of_kokoro.get(name) or (piper.public_voices().get(name) if PUBLIC_NAME.fullmatch(name) else None)
    if found is None:
        raise BadInputError(
            f"there is no voice {name!r} to download",
            "voxmatrix voices search lists them; kokoro means all of Kokoro's",
        )
    return found


def license_of(voice: LibraryVoice, url: str = "") -> License:
    """The licence of a voice, for which its model card may be fetched.

    Raises:
        As `install`.
    """
    if isinstance(voice, piper.PublicVoice):
        return piper.license_of(voice, url)
    return License(words=voice.license, permissive=True)


def install(
    name: str, *, exact: bool = False, url: str = "", accepted: bool, on_progress: OnProgress = lambda done, total: None
) -> list[str]:
    """Download a voice, and return the names of all that came; one that is there is not downloaded again.

    `exact`: for Kokoro, the network in float32. `url`: of a mirror. `accepted`: whatever the licence says.

    Raises:
        BadInputError: there is no such voice, or the server does not have a file.
        DamagedFileError: a file is not what it should be.
        UnreachableError: no connection, no permission, or no space; what was downloaded is kept for the next try.
        UsageError: the licence is not accepted, or another process downloads.
    """
    voice = find(name)
    if isinstance(voice, piper.PublicVoice):
        piper.install(voice, url=url, accepted=accepted, on_progress=on_progress)
        return [voice.name]
    kokoro.install(exact=exact, url=url, on_progress=on_progress)
    return names_of(voice.family)


def install_from(name: str, source: Path, *, exact: bool = False, accepted: bool) -> list[str]:
    """Install from a folder, without a network, and return the names of all voices that came.

    `exact`: only Kokoro's network in float32 will do.

    Raises:
        As `install`.
    """
    if name == KOKORO or name.startswith(f"{KOKORO}/"):
        kokoro.install_from(source, exact=exact)
        return names_of(KOKORO)
    piper.install_from(name, source, accepted=accepted)
    return [name]


def names_of(family: str) -> list[str]:
    """The installed voices of a family."""
    return [name for name, (known, _) in installed().items() if known.name == family]


def missing(name: str) -> str:
    """What to download for the voice, or the mixture, of this name; "" if nothing, or if it is no public voice.

    A mixture, or a voice in another language (af_heart@e), comes with Kokoro.
    """
    if not name or Path(name).exists() or name in installed():
        return ""
    family, slash, _ = name.partition("/")
    if slash and family == KOKORO:
        return "" if names_of(KOKORO) or not (is_public(name.partition("@")[0]) or "+" in name) else KOKORO
    return name if is_public(name) else ""
