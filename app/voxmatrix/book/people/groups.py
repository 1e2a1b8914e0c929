"""Which names mean the same person: Elizabeth Bennet, Miss Elizabeth and Lizzy."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from voxmatrix.book.people.names import Names
from voxmatrix.book.people.words import Language, Sex

#: A name belongs to the most frequent of several people if that one is named so many times as often as the next.
_FAR_MORE = 4
#: Between these shares of male and female pronouns, the sex is unknown.
_LEAN = 1.5


class Groups:
    """The people of a text by their names: `of[name]` is the main name of the person."""

    def __init__(self, names: Names, narration: str, words: Language) -> None:
        self._names, self._words = names, words
        self._pronouns = pronouns_behind(((one.end, one.name) for one in names.mentions), narration, words)
        self._people = names.people()
        self._titled: defaultdict[str, list[str]] = defaultdict(list)  # people with a title and one word, by that
        for name in self._people:
            title, rest = names.parts(name)
            if title and len(rest) == 1:
                self._titled[rest[0]].append(name)
        self.of: dict[str, str] = {}
        self._add_full_names()
        self._firsts, self._lasts = self._index()
        count = names.count
        for name in sorted(self._people - self.of.keys(), key=lambda name: (not names.parts(name)[0], -count[name])):
            title, rest = names.parts(name)
            if len(rest) > 1:
                self.of[name] = name
            else:
                self.of[name] = self._of_titled(name, title, rest[0]) if title else self._of_word(name)
        self._follow_chains()

    def _add_full_names(self) -> None:
        """Names of two words and more, of people: those with the same last name and given name are one person."""
        names = self._names
        full = [
            name
            for name, count in names.count.items()
            if count > 1
            and len(names.parts(name)[1]) > 1
            and not names.is_place(name)
            and self._is_person(name)
            and not self._is_two(name)
        ]
        for name in sorted(full, key=lambda name: (-names.count[name], name)):
            self.of[name] = next((other for other in self.of.values() if self._same(name, other)), name)

    def _is_two(self, full: str) -> bool:
        """Whether two names that meet in a sentence look like one: `then saw Anna Bernard`."""
        first, *_, last = self._names.parts(full)[1]
        count = self._names.count
        return self._words.nouns_have_capitals and count[full] * _FAR_MORE < min(count[first], count[last])

    def _is_person(self, full: str) -> bool:
        rest = self._names.parts(full)[1]
        titles = (self._names.parts(one)[0] for word in rest for one in self._titled[word])
        return not self._people.isdisjoint((full, *rest)) or not self._words.common_titles.isdisjoint(titles)

    def _same(self, name: str, other: str) -> bool:
        (title, rest), (_, others) = self._names.parts(name), self._names.parts(other)
        given = self._words.long_form
        return (
            others[-1].lower() == rest[-1].lower()
            and given(others[0]) == given(rest[0])
            and {self._lean(name), self._lean(other)} != {"m", "f"}
            and (title not in self._words.wives or self._lean(other) == "f")
        )

    def _index(self) -> tuple[Mapping[str, list[str]], Mapping[str, list[str]]]:
        """The people with full names, by given and by last names in small letters."""
        firsts: defaultdict[str, list[str]] = defaultdict(list)
        lasts: defaultdict[str, list[str]] = defaultdict(list)
        for person in dict.fromkeys(self.of.values()):
            rest = self._names.parts(person)[1]
            for given in {rest[0].lower(), self._words.long_form(rest[0])}:
                firsts[given].append(person)
            lasts[rest[-1].lower()].append(person)
        return firsts, lasts

    def _of_word(self, name: str) -> str:
        """The person of one word: a given name, a short form, or a last name alone."""
        count, word = self._names.count, name.lower()
        given = self._words.long_form(word)
        own = self._firsts.get(word, [])
        fits = own or (self._firsts.get(given, []) if count[name] <= count[given.capitalize()] else [])
        fits = fits or self._lasts.get(word, [])
        if len(fits) != 1 and not own:
            titled = sorted(self._titled[name])
            men = [one for one in titled if self._words.title_sex(one.split()[0]) != "f"]
            fits = titled if len(titled) == 1 else men if len(men) == 1 else fits
            fits = fits or self._longer_form(name, given)
        by_count = sorted(fits, key=lambda person: -count[person])
        if len(fits) == 1 or (fits and count[by_count[0]] > _FAR_MORE * count[by_count[1]]):
            return by_count[0]
        return name

    def _longer_form(self, name: str, given: str) -> list[str]:
        count = self._names.count
        return [
            one for one in sorted(self._people) if one != name and one.lower() == given and count[one] > count[name]
        ]

    def _of_titled(self, name: str, title: str, word: str) -> str:
        """The person of a title and one word: Mr Bennet, Miss Elizabeth."""
        count, sex = self._names.count, self._words.title_sex(title)
        fits = [one for one in self._lasts.get(word.lower(), []) if not sex or self._lean(one) in ("", sex)]
        known = [one for one in fits if self._count_of(one) * 3 >= count[name]]
        if known or len(fits) > 1:
            fits = known
        else:
            fits = [one for one in fits if self._may_be(one, name, title)]
            if title in self._words.with_given_name:
                fits += self._firsts.get(word.lower(), [])
        return fits[0] if len(fits) == 1 and (sex != "f" or title in self._words.maidens) else name

    def _may_be(self, person: str, name: str, title: str) -> bool:
        """Not if both `Mr John Smith` and `Mr Smith` are frequent: they are father and son."""
        whole = f"{title} {' '.join(self._names.parts(person)[1])}"
        return self._names.count[whole] < 10 or self._names.count[name] < 10

    def _count_of(self, person: str) -> int:
        return max(self._names.count[person], self._names.count[self._names.parts(person)[1][0]])

    def _lean(self, name: str) -> Sex:
        """The sex that the title, or else the pronouns behind a name and its parts, speak for."""
        title, rest = self._names.parts(name)
        if sex := self._words.title_sex(title):
            return sex
        votes: Counter[Sex] = Counter()
        for one in {name, rest[0], " ".join(rest)}:
            votes.update(self._pronouns.get(one, {}))
        return "m" if votes["m"] > _LEAN * votes["f"] else "f" if votes["f"] > _LEAN * votes["m"] else ""

    def _follow_chains(self) -> None:
        """Let every name lead to a main name, which leads to itself."""
        for name in list(self.of):
            seen = {name}
            while (main := self.of.get(self.of[name], self.of[name])) != self.of[name] and main not in seen:
                seen.add(main)
                self.of[name] = main
            self.of.setdefault(self.of[name], self.of[name])


def pronouns_behind(mentions: Iterable[tuple[int, str]], narration: str, words: Language) -> dict[str, Counter[Sex]]:
    """How often a male or a female pronoun is next behind each name, of pairs of end and name."""
    votes: defaultdict[str, Counter[Sex]] = defaultdict(Counter)
    for end, name in mentions:
        if match := words.patterns.pronoun_next.match(narration, end, end + 100):
            votes[name][words.pronouns[match[1].lower()]] += 1
    return votes
