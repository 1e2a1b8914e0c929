"""Written text to its sentences in words. It is split before numbers are read: `It was in 1998. 3 left.`"""

from collections.abc import Iterator

from voxmatrix.text.lines import unwrap
from voxmatrix.text.normalisation.normalise import normalise
from voxmatrix.text.sentences import shortened, split


def spoken_sentences(text: str, language: str) -> Iterator[str]:
    """The sentences of a text in words, as they become ready; none is longer than MAX_CHARACTERS."""
    for sentence in split(unwrap(text), language):
        yield from shortened(normalise(sentence, language))
