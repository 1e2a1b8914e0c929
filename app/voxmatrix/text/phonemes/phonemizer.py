"""From a sentence to phonemes: through espeak-ng as Piper uses it, or letter by letter without it."""

import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Protocol

from voxmatrix.closing import Closeable
from voxmatrix.errors import BadInputError, Finding, MissingProgramError, UsageError
from voxmatrix.text.lazy_pattern import lazy_pattern
from voxmatrix.text.phonemes.clause_marks import MARKS, marks
from voxmatrix.text.phonemes.espeak import Clause, Espeak, LineServer, other_version, outdated
from voxmatrix.text.phonemes.given import without_misaki
from voxmatrix.text.phonemes.piper_tts import PIPER_TYPES, PiperTts
from voxmatrix.text.phonemes.scripts import parts
from voxmatrix.text.symbols import BOS, EOS, GIVEN_PHONEMES, PAD, letters
from voxmatrix.wording import quoted

_GIVEN = lazy_pattern(GIVEN_PHONEMES)
#: Tones of Chinese and Thai, which other voices have no sounds for, and a part of `ts.`, which is no pause.
_TONES = lazy_pattern(r"[\dɜ.]")
_AFTER_WORDS = lazy_pattern(r"[\W_]*\Z")
_LANGUAGE_FLAG = lazy_pattern(r"\([^)]+\)")
#: Piper puts a space after some marks.
_AFTER = dict.fromkeys(",:;", " ")
#: espeak-ng names other quotes in Ukrainian, Polish and Kyrgyz, and this one in no language.
_UNREAD_QUOTE = "\u201c"
#: Control characters are commands to espeak-ng; surrogates, private use and line separators cannot be spoken.
_UNSPEAKABLE = frozenset({"Cc", "Cs", "Co", "Zl", "Zp"})


class Phonemizer(Protocol):
    """Anything that turns sentences into phonemes."""

    def phonemes(self, sentences: list[str]) -> list[list[str]]:
        """The phonemes of each sentence, one per code point; none when nothing in it can be spoken."""
        ...

    @property
    def processes(self) -> Collection[int]:
        """The IDs of the processes that are kept open."""
        ...

    def warning(self) -> Finding | None:
        """What makes every sentence sound wrong, if anything does."""
        ...

    def close(self) -> None:
        """Release what is held."""
        ...


class EspeakPhonemizer(Closeable):
    """One espeak-ng kept open for one voice. Its start overlaps with whatever comes before the first sentence."""

    def __init__(self, voice: str, *, tie: str = "", convert: Callable[[str], str] = str, learned: str = "") -> None:
        """`convert` turns the phonemes of a sentence, not those in [[brackets]], into another alphabet than IPA;
        `learned` is the version of the espeak-ng that a voice has learned from, "" if that is not known.
        """
        self.espeak = Espeak(voice, tie=tie)
        self._others: dict[str, Espeak] = {}  # started for the first word in another script
        self._tie, self._convert, self._learned = tie, convert, learned
        self._language = voice.lower().split("-")[0]
        self._vowels: PiperTts | None = None  # started for the first text without vowel signs

    def phonemes(self, sentences: list[str]) -> list[list[str]]:
        """The phonemes of each sentence with its punctuation, as Piper's EspeakPhonemizer gives them.

        Raises:
            BadInputError: one cannot be pronounced: espeak-ng crashes on it, cannot read it, or it is Arabic without
                vowel signs, and piper-tts, which adds them, is not installed.
        """
        in_ipa = self._convert is str
        return _with_given([*map(without_misaki, sentences)] if in_ipa else sentences, self._by_script)

    def _by_script(self, texts: list[str]) -> list[list[str]]:
        """The phonemes of each text. Words in the script of another language are read by its voice."""
        split = [parts(text, self.espeak.voice) for text in texts]
        asked = [part for found in split for part in found]
        if len(asked) == len(texts) and not any(voice for voice, _ in asked):
            return self._pronounced(texts)
        spoken = {
            voice: iter(self._read_by(voice, [part.text.strip() for part in asked if part.voice == voice]))
            for voice in dict.fromkeys(part.voice for part in asked)
        }
        return [_spaced([(part.text, next(spoken[part.voice])) for part in found]) for found in split]

    def _read_by(self, voice: str | None, texts: list[str]) -> list[list[str]]:
        if voice == "":
            return self._pronounced(texts)
        try:
            read = [] if voice is None else self._other(voice).ask(texts)
        except UsageError:  # an older espeak-ng
            read = []
        found = []
        for text, clauses in zip(texts, read or [[] for _ in texts], strict=True):
            toneless = [(_TONES.sub("", phonemes), end) for phonemes, end in clauses]
            phonemes = list(self._convert(_punctuated(text, toneless)))
            found.append(phonemes if any(map(str.isalpha, phonemes)) else _unread(text))
        return found

    def _other(self, voice: str) -> Espeak:
        if voice not in self._others:
            self._others[voice] = Espeak(voice, tie=self._tie)
        return self._others[voice]

    def _pronounced(self, texts: list[str]) -> list[list[str]]:
        if self._language == "ar":
            texts = self._with_vowels(texts)
        if self._language == "ja":
            for text in texts:
                refuse_kanji(text)
        texts = [text.replace('"', _UNREAD_QUOTE) for text in texts]
        pairs = zip(texts, self.espeak.ask(texts), strict=True)
        return [list(self._convert(_punctuated(text, clauses))) for text, clauses in pairs]

    def _with_vowels(self, texts: list[str]) -> list[str]:
        bare = [text for text in texts if not has_vowels(text)]
        if not bare:
            return texts
        self._vowels = self._vowels or PiperTts("arabic")
        try:
            vowelled = dict(zip(bare, self._vowels.ask(bare), strict=True))
        except MissingProgramError as error:
            raise BadInputError(
                f"{quoted(bare[0])} has no vowel signs, without which espeak-ng pronounces Arabic as consonants only; "
                "piper-tts, which adds them, is not installed",
                f"add them (tashkeel), or {error.remedy}",
            ) from error
        return [vowelled.get(text, text) for text in texts]

    @property
    def processes(self) -> Collection[int]:
        """Those of espeak-ng, and that which adds vowel signs."""
        return [program.pid for program in self._programs()]

    def warning(self) -> Finding | None:
        """An espeak-ng that is too old, or another one."""
        return outdated(self.espeak.version) or other_version(self.espeak.version, self._learned)

    def close(self) -> None:
        """End the processes."""
        for program in self._programs():
            program.close()

    def _programs(self) -> list[LineServer]:
        return [self.espeak, *list(self._others.values()), *([self._vowels] if self._vowels else [])]


class PiperPhonemizer(Closeable):
    """A phonemizer of piper-tts, for the phoneme types that only it has."""

    def __init__(self, phoneme_type: str) -> None:
        self._piper = PiperTts(phoneme_type)

    def phonemes(self, sentences: list[str]) -> list[list[str]]:
        """The phonemes of each sentence, as piper-tts gives them.

        Raises:
            BadInputError: piper-tts fails on one.
            MissingProgramError: a package that it needs is not installed.
        """
        return _with_given(sentences, self._piper.ask)

    @property
    def processes(self) -> Collection[int]:
        """That of piper-tts."""
        return [self._piper.pid]

    def warning(self) -> None:
        """Nothing can be wrong."""

    def close(self) -> None:
        """End the process."""
        self._piper.close()


class TextPhonemizer:
    """Letters as phonemes, for voices that need no espeak-ng."""

    processes: Collection[int] = ()

    def phonemes(self, sentences: list[str]) -> list[list[str]]:
        """Lower-case letters with their accents apart (NFD), without the symbols that frame a sentence."""
        return _with_given(sentences, lambda texts: [_letters(text) for text in texts])

    def warning(self) -> None:
        """Nothing can be wrong."""

    def close(self) -> None:
        """Nothing is held."""


def phonemizer(phoneme_type: str, voice: str, learned: str = "") -> Phonemizer:
    """The phonemizer of a voice: `espeak` with its espeak-ng voice, `text`, or one of piper-tts.

    Raises:
        UsageError: there is no such type, or that cannot be the name of a voice.
    """
    if phoneme_type == "espeak":
        return EspeakPhonemizer(voice, learned=learned)
    if phoneme_type == "text":
        return TextPhonemizer()
    if phoneme_type in PIPER_TYPES:
        return PiperPhonemizer(phoneme_type)
    raise UsageError(f"there is no phoneme type {phoneme_type!r}", "choose espeak or text")


def _punctuated(text: str, clauses: list[Clause]) -> str:
    spoken = "".join(
        (_LANGUAGE_FLAG.sub("", phonemes) if "(" in phonemes else phonemes) + mark + _AFTER.get(mark, "")
        for (phonemes, _), mark in zip(clauses, marks(text, [end for _, end in clauses]), strict=True)
    )
    return unicodedata.normalize("NFD", spoken)


def _unread(text: str) -> list[str]:
    """A text that no voice reads, as one phoneme, which no voice has: so it is named where it is left out."""
    words = text[: -len(_tail(text)) or None]
    return [*filter(None, [words]), *(mark for mark in _tail(text) if mark in MARKS.values())]


def _tail(text: str) -> str:
    """The marks and spaces behind the last word."""
    return _AFTER_WORDS.search(text)[0]  # type: ignore[index] # it may be empty


def _spaced(read: Iterable[tuple[str, list[str]]]) -> list[str]:
    """The phonemes of a sentence from those of its parts, with a space where one is in the text."""
    found: list[str] = []
    space = False
    for text, phonemes in read:
        found += [" "] if space and found and found[-1] != " " and phonemes else []
        found += phonemes
        space = " " in _tail(text)
    return found


def _letters(text: str) -> list[str]:
    return [letter for letter in letters(text) if letter not in (PAD, BOS, EOS)]


def _with_given(sentences: list[str], pronounce: Callable[[list[str]], list[list[str]]]) -> list[list[str]]:
    """The phonemes of each sentence, those in [[brackets]] as they are, with a space where one is, as Piper has it."""
    split = [_GIVEN.split(_plain(sentence)) for sentence in sentences]
    pronounced = iter(pronounce([text for parts in split for text in _texts(parts)]))
    return [_joined(parts, pronounced) for parts in split]


def _texts(parts: list[str]) -> list[str]:
    """What is to be pronounced of a sentence, whose parts are in turn text and given phonemes."""
    return parts if len(parts) == 1 else [text.strip() for text in parts[::2] if text.strip()]


def _joined(parts: list[str], pronounced: Iterator[list[str]]) -> list[str]:
    if len(parts) == 1:
        return next(pronounced)
    found: list[str] = []
    for number, part in enumerate(parts):
        if number % 2 == 0:
            found += next(pronounced) if part.strip() else []
        else:
            before, after = (
                " " if space else "" for space in (parts[number - 1][-1:] == " ", parts[number + 1][:1] == " ")
            )
            found += [*before, *part.strip(), *after]
    return found


def _plain(text: str) -> str:
    """One line without the characters that nobody can speak."""
    if not text.isprintable():
        text = "".join(" " if unicodedata.category(character) in _UNSPEAKABLE else character for character in text)
    return " ".join(text.split())


_LETTER = lazy_pattern("[\u0621-\u063a\u0641-\u064a]")
_VOWEL_SIGN = lazy_pattern("[\u064b-\u0652\u0670]")
#: Text with all its signs has more than one for two letters; text with a few to avoid confusion has fewer than this.
_MIN_SIGNS_PER_LETTER = 0.25


def has_vowels(sentence: str) -> bool:
    """Whether an Arabic sentence is written with vowel signs. Most vowels are not, and espeak-ng pronounces what is."""
    return len(_VOWEL_SIGN.findall(sentence)) >= len(_LETTER.findall(sentence)) * _MIN_SIGNS_PER_LETTER


_KANJI = lazy_pattern("[\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")


def refuse_kanji(sentence: str) -> None:
    """Refuse a Japanese sentence in which espeak-ng would say the English words "Chinese letter".

    Raises:
        BadInputError: it contains kanji.
    """
    if kanji := _KANJI.search(sentence):
        raise BadInputError(
            f"espeak-ng cannot read kanji ({kanji[0][:8]} in {quoted(sentence)}): it says 'Chinese letter' for each",
            "write it in kana, or use a voice of Piper whose phonemes are of type japanese",
        )
