"""The whole way from written text to ids: split into sentences, normalise, phonemise, number."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from voxmatrix.closing import Closing
from voxmatrix.errors import BadInputError, Finding
from voxmatrix.text.lexicon import Lexicon
from voxmatrix.text.phonemes.phonemizer import phonemizer
from voxmatrix.text.spoken import SpokenText, spoken_sentences
from voxmatrix.text.symbols import to_ids
from voxmatrix.wording import quoted

#: Sentences that are pronounced at once. Most of what a single one takes is the way to espeak-ng's process and back.
_TOGETHER = 16


@dataclass(frozen=True)
class Sentence:
    """One sentence ready for a voice: its text as normalised, its phonemes, its ids."""

    text: str
    phonemes: list[str]
    ids: list[int]
    written: int  # characters of the text before it was normalised; 0 if it goes on with the sentence before it


class FrontEnd(Closing):
    """What stands between text and a voice. What could not be spoken is in `findings`, each thing once."""

    def __init__(
        self,
        language: str,
        phoneme_type: str,
        id_map: Mapping[str, Sequence[int]],
        lexicon: Lexicon | None = None,
    ) -> None:
        """`language` is the voice of espeak-ng, e.g. `en-us`."""
        self.language = language
        self.findings: list[Finding] = []
        self._id_map = id_map
        self._lexicon = lexicon or Lexicon()
        self._phonemizer = phonemizer(phoneme_type, language)
        self._missing: set[str] = set()

    def renew(self, lexicon: Lexicon) -> None:
        """Another text begins, with these pronunciations; nothing was found in it yet. Programs stay open."""
        self._lexicon = lexicon
        self.findings = []
        self._missing = set()

    def warnings(self) -> tuple[Finding, ...]:
        """What makes every sentence sound wrong, if anything does."""
        warning = self._phonemizer.warning()
        return (warning,) if warning else ()

    def close(self) -> None:
        """End the programs that were kept open."""
        self._phonemizer.close()

    def sentences(self, text: str) -> Iterator[Sentence]:
        """The sentences of a text as they become ready. One that cannot be spoken is left out and becomes a finding."""
        sentences = spoken_sentences(self._lexicon.apply(text), self.language)
        size = 1  # the first is wanted at once; further ones together take half the time
        while batch := list(islice(sentences, size)):
            for sentence, phonemes in self._pronounced(batch):
                ready = self._numbered(sentence, phonemes)
                if _speakable(ready.phonemes):
                    yield ready
                else:
                    self.findings.append(
                        Finding(
                            problem=f"nothing in {quoted(sentence.text)} can be pronounced; it is left out",
                            remedy="write it in words, or remove it",
                            severity="warning",
                        )
                    )
            size = min(2 * size, _TOGETHER)

    def _pronounced(self, sentences: list[SpokenText]) -> list[tuple[SpokenText, list[str]]]:
        try:
            phonemes = self._phonemizer.phonemes([sentence.text for sentence in sentences])
            return list(zip(sentences, phonemes, strict=True))
        except BadInputError as error:
            if len(sentences) > 1:
                return [pair for sentence in sentences for pair in self._pronounced([sentence])]
            self.findings.append(Finding(problem=error.problem, remedy=error.remedy))
            return []

    def _numbered(self, sentence: SpokenText, phonemes: list[str]) -> Sentence:
        ids, missing = to_ids(phonemes, self._id_map)
        place = quoted(sentence.text)
        for phoneme in sorted(missing - self._missing):
            self.findings.append(
                Finding(
                    problem=f"the voice has no symbol {phoneme!r} (first seen in {place}); it is left out",
                    remedy="leave it so, or train a voice whose table has it",
                    severity="warning",
                )
            )
        self._missing |= missing
        known = [phoneme for phoneme in phonemes if phoneme not in missing]
        return Sentence(sentence.text, known, ids, sentence.written)


def _speakable(phonemes: list[str]) -> bool:
    """Whether there is a letter among the marks."""
    return any(phoneme.isalpha() for phoneme in phonemes)
