"""Finished speech to an audiobook, with its certificate: every sentence that is in it."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from voxmatrix.book.content import Book
from voxmatrix.book.join.chapter_files import write_chapter_files
from voxmatrix.book.join.cover import with_usable_cover
from voxmatrix.book.join.finished import FinishedSpeech, JoinSettings
from voxmatrix.book.join.loudness import Levels, SpeechMeter, measure
from voxmatrix.book.join.m4b import write_m4b
from voxmatrix.book.join.sound_file import PER_CHAPTER, WHOLE_BOOK, check_sound_format
from voxmatrix.book.join.timeline import Spoken, Timeline, timeline
from voxmatrix.book.shop.check import Report, check_files
from voxmatrix.book.shop.files import write_shop_files
from voxmatrix.errors import Finding
from voxmatrix.files import link_target, replacing, storage_errors, write_text
from voxmatrix.progress import OnProgress
from voxmatrix.speak.captions import FORMATS


@dataclass(frozen=True)
class Origin:
    """A file that an audiobook was made of."""

    name: str
    sha256: str
    provenance: Mapping[str, Any] = field(default_factory=dict)  # what else is known of it
    path: Path | None = None  # where it is, if more is needed of it

    def to_json(self) -> dict[str, Any]:
        """The values as JSON."""
        return {"name": self.name, "sha256": self.sha256, **self.provenance}


def manifest_path(out: Path) -> Path:
    """The certificate of the audiobook `out`."""
    return out.with_name(f"{out.stem}.manifest.json")


def write_manifest(
    line: Timeline,
    levels: Levels,
    *,
    book: Origin,
    voice: Origin,
    cast: Sequence[Origin] = (),
    out: Path,
    checked: Mapping[str, Any] | None = None,
    shop: Report | None = None,
) -> Path:
    """Write the certificate, with the result of a check of the speech and of files for a shop, if there was one.

    `levels` exist only if every sentence was read and was what was promised.

    Raises:
        UnreachableError: the file cannot be written.
    """
    path = manifest_path(out)
    content = _content(line, levels, book, voice, cast) | ({"checked": dict(checked)} if checked is not None else {})
    content |= {"shop": shop.to_json()} if shop else {}
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    with replacing(path) as file:
        file.write(text.encode("utf-8", "backslashreplace"))  # half a character, \ud83d, is written as in JSON
    return path


def text_sha256(text: str) -> str:
    """The checksum of a sentence, over its UTF-8."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _content(line: Timeline, levels: Levels, book: Origin, voice: Origin, cast: Sequence[Origin]) -> dict[str, Any]:
    return {
        "book": book.to_json(),
        "voice": voice.to_json(),
        **({"cast": [one.to_json() for one in cast]} if cast else {}),
        "complete": True,
        "chapters": [
            {
                "index": chapter.chapter.index,
                "title": chapter.chapter.title,
                "start_seconds": round(line.seconds(chapter.start), 3),
                "seconds": round(line.seconds(chapter.end - chapter.start), 3),
            }
            for chapter in line.chapters
        ],
        "units": [
            {
                "chapter": sentence.spoken.chapter,
                "index": sentence.spoken.index,
                "text": sentence.spoken.text,
                "voice": sentence.spoken.voice or voice.name,
                **_speaker(sentence.spoken),
                "start_seconds": round(line.seconds(sentence.start), 3),
                "text_sha256": text_sha256(sentence.spoken.text),
                "samples": sentence.spoken.samples,
                "rate_hz": sentence.spoken.rate_hz,
                "audio_sha256": sentence.spoken.sha256,
                "loudness_lufs": loudness,
            }
            for sentence, loudness in zip(line.sentences, levels.sentences_lufs, strict=True)
        ],
    }


def _speaker(spoken: Spoken) -> dict[str, str]:
    """Who says a sentence, and how that is known, if it is."""
    return {key: value for key, value in (("who", spoken.who), ("rule", spoken.rule)) if value}


@dataclass(frozen=True, kw_only=True)
class Joined:
    """The files of a finished audiobook, and its length."""

    sound: tuple[Path, ...]  # the file of the book; or one per chapter, and their playlist
    manifest: Path
    others: tuple[Path, ...]  # subtitles, EPUB
    seconds: float
    findings: tuple[Finding, ...]
    shop: Report | None = None  # the files as a shop measures them


def join_book(
    book: Book,
    spoken: Iterable[Spoken],
    out: Path,
    settings: JoinSettings,
    *,
    source: Origin,
    voice: Origin,
    cast: Sequence[Origin] = (),
    meter: SpeechMeter | None = None,
    checked: Mapping[str, Any] | None = None,
    on_progress: OnProgress = lambda done, total: None,
) -> Joined:
    """Join the speech of a book to `out`: `B.m4b`, or with another extension a file per chapter in the folder `B`.

    The certificate `B.manifest.json` appears last: where it is, every sentence is in the audiobook. `meter` may have
    measured the speech already; `cast` are the voices beside that of the narrator, and `checked` is added to the
    certificate. Progress is reported twice, in sentences that are measured and then in chapters, or parts of a long
    file, that are written.

    Raises:
        UsageError: the extension or the bit rate is not supported.
        BadInputError: a sentence is missing, or nothing is spoken.
        DamagedFileError: the speech of a sentence is not what was promised.
        MissingProgramError: ffmpeg is not installed.
        UnreachableError: the disk is full, or a file cannot be written.
        VoxmatrixError: ffmpeg was killed.
    """
    check_sound_format(out, settings.bitrate, (*WHOLE_BOOK, *PER_CHAPTER))
    line = timeline(book.chapters, spoken, settings.pauses)
    levels = measure(line, on_progress, meter)
    speech = FinishedSpeech(book=with_usable_cover(book), line=line, levels=levels, settings=settings)
    with storage_errors(out):
        link_target(manifest_path(out)).unlink(missing_ok=True)  # it would be that of an earlier audiobook
    sound = _write_sound(speech, out, on_progress)
    others, findings = _write_others(speech, out, source.path)
    shop = check_files(sound[:-1], settings.shop, on_progress) if settings.shop else None  # but the playlist
    manifest = write_manifest(line, levels, book=source, voice=voice, cast=cast, out=out, checked=checked, shop=shop)
    return Joined(
        sound=sound,
        manifest=manifest,
        others=others,
        seconds=line.seconds(line.samples),
        findings=tuple(findings)
        if speech.book.cover or not book.cover
        else (_no_cover(book.cover.media_type), *findings),
        shop=shop,
    )


def _write_sound(speech: FinishedSpeech, out: Path, on_progress: OnProgress) -> tuple[Path, ...]:
    extension = out.suffix.lower().removeprefix(".")
    if extension in WHOLE_BOOK:
        return (write_m4b(speech, out, on_progress),)
    if speech.settings.shop:
        return write_shop_files(speech, speech.settings.shop, out.with_suffix(""), on_progress)
    return write_chapter_files(speech, out.with_suffix(""), extension, on_progress)


def _write_others(speech: FinishedSpeech, out: Path, source: Path | None) -> tuple[tuple[Path, ...], list[Finding]]:
    written: list[Path] = []
    findings: list[Finding] = []
    if speech.settings.subtitles:
        named = speech.settings.subtitle_speakers
        captions = speech.line.captions_with_speakers() if named else speech.line.captions
        for name in ("srt", "vtt"):
            written.append(out.with_suffix(f".{name}"))
            write_text(written[-1], FORMATS[name](captions))
    if speech.settings.overlay:
        from voxmatrix.book.join.overlay.write import write_overlay  # with lxml and all of urllib: 0.1 s
        from voxmatrix.book.read import as_epub

        written.append(overlay_path(out, source))
        with as_epub(source) as epub:
            findings = write_overlay(speech, written[-1], source=epub)
    return tuple(written), findings


def overlay_path(out: Path, source: Path | None) -> Path:
    """Where the EPUB to read along of the audiobook `out` is written: never over the book itself."""
    path = out.with_suffix(".epub")
    same = source is not None and path.exists() and source.exists() and path.samefile(source)
    return out.with_name(f"{out.stem}.read-along.epub") if same else path


def _no_cover(media_type: str) -> Finding:
    return Finding(
        problem=f"the cover ({media_type or 'of unknown type'}) cannot be shown by players, so it is left out",
        remedy="convert it to JPEG or PNG in the book, e.g. with Calibre, and run the same command again",
        severity="warning",
    )
