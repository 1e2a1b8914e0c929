"""The names of people in a text: where they stand, and how often."""

import re
from collections import Counter
from dataclasses import dataclass

from voxmatrix.book.people.words import Language

_SMALL_WORD = re.compile(r"\b[a-z\u00df-\u00ff][\w-]{1,40}")
_POSSESSIVE = re.compile(r"['\u2019]s?\Z")
#: A name has a small letter at most in this share of the times.
_MAX_SMALL = 3
#: In languages whose nouns have capitals, a name has a determiner at most in this share of the times.
_MAX_DETERMINED = 4
#: Rather a person than a place if verbs of saying stand beside it in at least one of so many cases.
_SAID_SHARE = 6


@dataclass(frozen=True)
class Mention:
    """A name in the narration."""

    start: int
    end: int
    name: str


class Names:
    """The names in a text: what stands in it, and what is said of whom.

    Args:
        text: all of it, a paragraph a line.
        narration: the same, with quotation marks for all that is spoken.
        words: of the language.
    """

    def __init__(self, text: str, narration: str, words: Language) -> None:
        self._words = words
        self._known = self._capitals(text, narration)
        name = words.patterns.name
        self.mentions = [Mention(m.start(), m.end(), key) for m in name.finditer(narration) if (key := self.key(m[0]))]
        #: By name, in the narration and in all of the text.
        self.count = Counter(mention.name for mention in self.mentions)
        self.count.update(key for m in name.finditer(text) if (key := self.key(m[0])))
        self.said = Counter(
            key for m in words.patterns.said_name.finditer(narration) if (key := self.key(m[1] or m[2]))
        )
        self._at = Counter(key for m in words.patterns.place.finditer(narration) if (key := self.key(m[1])))

    def key(self, raw: str) -> str:
        """A name as it is counted: without dots, `'s`, and words that are no names. "": it names nobody."""
        words, titles = self._words, self._words.titles
        parts = [self._plain(part) for part in raw.split()]
        for place in range(1, len(parts)):
            if parts[place] in titles and parts[place - 1] not in titles:
                parts = parts[:place]
                break
        while parts and not self._begins_name(parts):
            parts = parts[1:]
        while parts and parts[-1] not in self._known:
            parts = parts[:-1]
        if any(part in words.nobody and part not in titles for part in parts):
            return ""
        return " ".join(parts)

    def is_name(self, word: str) -> bool:
        """Whether a word with a capital is a name, and does not just begin sentences."""
        return word in self._known

    def people(self) -> set[str]:
        """Names that are those of people: they say something, or have a title."""
        found = {name for name in self.count if self.said[name] or (self._titled(name) and self.count[name] > 1)}
        return {name for name in found if self._titled(name) or self.said[name] * _SAID_SHARE > self._at[name]}

    def is_place(self, name: str) -> bool:
        """Whether a name is rather that of a place."""
        at, count = self._at[name], self.count[name]
        return (at * 3 > count and not self.said[name]) or name.rsplit(maxsplit=1)[-1] in self._words.places

    def parts(self, name: str) -> tuple[str, list[str]]:
        """The title of a name, if it has one, and the rest."""
        words = name.split()
        title = words[0] if len(words) > 1 and words[0] in self._words.titles else ""
        return title, [word for word in words[1 if title else 0 :] if word not in self._words.particles]

    def _plain(self, part: str) -> str:
        """A part of a name without what the grammar adds to it."""
        words = self._words
        part = _POSSESSIVE.sub("", part.rstrip("."))
        if words.elided and (match := words.elided.match(part)):
            part = part[match.end() :]
        if words.genitive and part.endswith(words.genitive) and part[: -len(words.genitive)] in self._known:
            part = part[: -len(words.genitive)]
        return words.title_forms.get(part, part)

    def _titled(self, name: str) -> bool:
        return name.split(maxsplit=1)[0] in self._words.titles

    def _begins_name(self, parts: list[str]) -> bool:
        first, more = parts[0], len(parts) > 1
        if more and first in self._words.fond:
            return False
        return first in self._known or (more and first in self._words.titles)

    def _capitals(self, text: str, narration: str) -> set[str]:
        """Words that have a capital within sentences, and seldom a small letter."""
        text = text.replace("\n", " ")
        small = Counter(_SMALL_WORD.findall(text))
        large = Counter(m[1] for m in self._words.patterns.capital.finditer(text))
        found = {
            word
            for word, count in large.items()
            if len(word) > 1
            and word not in self._words.nobody
            and count * _MAX_SMALL > small[word.lower()]
            and not (word.isupper() and len(word) > 3)
        }
        if not self._words.nouns_have_capitals:
            return found
        determined = Counter(m[1] for m in self._words.patterns.determined.finditer(text))
        return {
            word
            for word in found & self._said_or_titled(narration)
            if determined[word] * _MAX_DETERMINED <= large[word]
        }

    def _said_or_titled(self, narration: str) -> set[str]:
        """Words that stand beside a verb of saying, or behind a title."""
        words = self._words
        called: Counter[str] = Counter()
        for match in words.patterns.name.finditer(narration):
            first, *more = match[0].split()
            if first in words.titles or first in words.title_forms:
                names = [word for word in more if word not in words.titles | words.particles]
                called.update(names[:1])
        found = {word for word, count in called.items() if count > 1}
        for match in words.patterns.said_name.finditer(narration):
            found.update((match[1] or match[2]).split())
        return found
