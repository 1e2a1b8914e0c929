"""From sentences in words to the ids that a voice reads: phonemise, number."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from voxmatrix.closing import Closeable
from voxmatrix.errors import BadInputError, Finding
from voxmatrix.text.phonemes.phonemizer import Phonemizer, phonemizer
from voxmatrix.text.spoken import SpokenText
from voxmatrix.text.symbols import Clusters, merged, to_ids
from voxmatrix.text.words import Word, heard_words
from voxmatrix.wording import quoted

#: Sentences that are pronounced at once. Most of what a single one takes is the way to espeak-ng's process and back.
_TOGETHER = 16


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """One sentence ready for a voice: its text as normalised, its phonemes, its ids. No ids: it cannot be spoken."""

    text: str
    phonemes: Sequence[str] = ()
    ids: Sequence[int] = ()
    unknown: frozenset[str] = frozenset()  # phonemes that the voice has no symbol for, which are left out
    finding: Finding | None = None  # why it cannot be spoken


#: Turns the phonemes of a sentence into ids, and names those that it leaves out.
Number = Callable[[Sequence[str]], tuple[Sequence[int], set[str]]]


class FrontEnd(Closeable):
    """What stands between sentences and a network. Thread-safe."""

    def __init__(self, phonemizer: Phonemizer, number: Number, clusters: Clusters = frozenset()) -> None:
        self._phonemizer = phonemizer
        self._number = number
        self._clusters = clusters

    @property
    def processes(self) -> Collection[int]:
        """The IDs of the programs that are kept open."""
        return self._phonemizer.processes

    def warnings(self) -> tuple[Finding, ...]:
        """What makes every sentence sound wrong, if anything does."""
        warning = self._phonemizer.warning()
        return (warning,) if warning else ()

    def close(self) -> None:
        """End the programs that were kept open."""
        self._phonemizer.close()

    def sentence(self, text: SpokenText) -> Sentence:
        """One sentence, ready or with the reason why it cannot be spoken."""
        (ready,) = self._ready([text])
        return ready

    def words(self, text: SpokenText, sentence: Sentence, language: str) -> list[Word]:
        """The words of a sentence as they are written, each with its phonemes."""

        def pronounce(words: Sequence[str]) -> Iterator[Sequence[str]]:
            return (ready.phonemes for ready in self._ready([SpokenText(word, word) for word in words]))

        return heard_words(text.source, text.text, sentence.phonemes, language, pronounce)

    def sentences(self, texts: Iterable[SpokenText]) -> Iterator[Sentence]:
        """Many sentences, as they become ready. Those that cannot be spoken are left out."""
        texts, size = iter(texts), 1  # the first is wanted at once; further ones together take half the time
        while batch := list(islice(texts, size)):
            yield from (sentence for sentence in self._ready(batch) if sentence.ids)
            size = min(2 * size, _TOGETHER)

    def _ready(self, texts: list[SpokenText]) -> list[Sentence]:
        try:
            phonemes = self._phonemizer.phonemes([text.text for text in texts])
        except BadInputError as error:
            if len(texts) > 1:
                return [sentence for text in texts for sentence in self._ready([text])]
            return [Sentence(text=texts[0].text, finding=Finding(problem=error.problem, remedy=error.remedy))]
        return [self._numbered(text.text, found) for text, found in zip(texts, phonemes, strict=True)]

    def _numbered(self, text: str, phonemes: list[str]) -> Sentence:
        phonemes = merged(phonemes, self._clusters) if self._clusters else phonemes
        ids, unknown = self._number(phonemes)
        known = [phoneme for phoneme in phonemes if phoneme not in unknown]
        if any(phoneme.isalpha() for phoneme in known):  # a letter among the marks
            return Sentence(text=text, phonemes=known, ids=ids, unknown=frozenset(unknown))
        finding = Finding(
            problem=f"nothing in {quoted(text)} can be pronounced; it is left out",
            remedy="write it in words, or remove it",
            severity="warning",
        )
        return Sentence(text=text, unknown=frozenset(unknown), finding=finding)


def front_end(
    language: str,
    phoneme_type: str,
    id_map: Mapping[str, Sequence[int]],
    clusters: Clusters = frozenset(),
    *,
    learned: str = "",
) -> FrontEnd:
    """The front end of one of Piper's voices. `language` is the voice of espeak-ng, e.g. `en-us`.

    `learned`: the version of the espeak-ng that the voice has learned from, if that is known.

    Raises:
        UsageError: there is no such type, or that cannot be the name of a voice.
    """
    return FrontEnd(phonemizer(phoneme_type, language, learned), partial(to_ids, id_map=id_map), clusters)
