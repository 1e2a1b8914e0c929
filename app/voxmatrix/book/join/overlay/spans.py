"""Put the sentences of a document into elements with an id, without another change of its markup."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from lxml import etree

from voxmatrix.book.join.overlay.places import Stretch
from voxmatrix.book.join.overlay.words import PARAGRAPH_END, WHOLE, Flat
from voxmatrix.book.read.markup import local_name

XHTML = "http://www.w3.org/1999/xhtml"
#: Formulas and drawings have an id of their own: a span around them may change how they are shown.
_WITH_ID = ("math", "svg")


class Mark(NamedTuple):
    """A sentence, or a part of one, in an element of a document, and how many letters it has."""

    sentence: int
    anchor: str
    letters: int


def free_prefix(root: etree._Element) -> str:
    """How ids of sentences begin, so that no id of the document does."""
    prefix = "sentence"
    taken = [str(found) for element in root.iter() if (found := element.get("id"))]
    while any(found.startswith(prefix) for found in taken):
        prefix += "_"
    return prefix


def put_spans(root: etree._Element, flat: Flat, stretches: Sequence[Stretch], name: Callable[[int], str]) -> list[Mark]:
    """Put the text of sentences into spans; `name` gives the id of a sentence. The marks are in the order of the text.

    A sentence that begins or ends within an element, `<em>Yes. No,</em> he said`, gets several spans: no element of the
    author's is divided.
    """
    marker = _Marker(flat, stretches)
    marker.visit(root)
    marks: list[Mark] = []
    used: Counter[int] = Counter()
    for sentence, _, letters, element in sorted(marker.marked, key=lambda mark: mark[:2]):
        if not element.get("id"):
            earlier = used[sentence]
            used[sentence] += 1
            element.set("id", name(sentence) + (f"-{earlier + 1}" if earlier else ""))
        marks.append(Mark(sentence, str(element.get("id")), letters))
    return marks


class _Run:
    """What of the content of an element belongs to a sentence."""

    def __init__(self, sentence: int, start: int) -> None:
        self.sentence, self.start = sentence, start
        self.content: list[str | etree._Element] = []
        self.letters = 0


_Content = list[str | etree._Element | _Run]


class _Marker:
    def __init__(self, flat: Flat, stretches: Sequence[Stretch]) -> None:
        #: Sentences with their places in the flat text, their letters and their elements.
        self.marked: list[tuple[int, int, int, etree._Element]] = []
        self._flat, self._stretches = flat, stretches
        self._starts = [stretch.start for stretch in stretches]
        self._ends = [stretch.end for stretch in stretches]

    def visit(self, element: etree._Element) -> None:
        start, end = self._flat.places[element]
        if local_name(element) in WHOLE:
            self._mark_whole(element, start, end)
            return
        content: _Content = []
        self._add_text(content, element.text or "", start)
        for child in list(element):
            _, end = self._flat.places[child]
            tail, child.tail = child.tail or "", None
            self._add_child(content, child)
            self._add_text(content, tail, end + (self._flat.text[end : end + 1] == PARAGRAPH_END))
        self._write(element, content)

    def _within(self, start: int, end: int) -> Sequence[Stretch]:
        """The stretches that have some of this text."""
        return self._stretches[bisect_right(self._ends, start) : bisect_left(self._starts, end)]

    def _add_text(self, content: _Content, text: str, start: int) -> None:
        done = 0
        for stretch in self._within(start, start + len(text)):
            begin, end = max(stretch.start - start, done), min(stretch.end - start, len(text))
            if begin > done:
                content.append(text[done:begin])
            self._add_to_run(content, stretch, start + begin, text[begin:end], text[begin:end])
            done = end
        if done < len(text):
            content.append(text[done:])

    def _add_child(self, content: _Content, child: etree._Element) -> None:
        start, end = self._flat.places[child]
        text = self._flat.text[start:end]
        stretches = self._within(start, end)
        if not text.strip():  # nothing that is read: within a sentence, part of it
            around = self._within(start - 1, end + 1)
            inner = len(around) == 1 and around[0].start < start and end < around[0].end
            if inner and child not in self._flat.apart and isinstance(content[-1] if content else None, _Run):
                self._add_to_run(content, around[0], start, child, "")
            else:
                content.append(child)
        elif len(stretches) == 1 and child not in self._flat.apart and _is_all_of(text, start, stretches[0]):
            self._add_to_run(content, stretches[0], start, child, text)
        else:
            if stretches:
                self.visit(child)
            content.append(child)

    def _add_to_run(
        self, content: _Content, stretch: Stretch, start: int, part: str | etree._Element, text: str
    ) -> None:
        run = content[-1] if content else None
        if not isinstance(run, _Run) or run.sentence != stretch.sentence:
            run = _Run(stretch.sentence, start)
            content.append(run)
        run.content.append(part)
        run.letters += sum(map(str.isalnum, text))

    def _write(self, element: etree._Element, content: _Content) -> None:
        """Replace the content of an element, with runs in spans."""
        element.text = None
        for child in list(element):
            element.remove(child)
        for part in content:
            if isinstance(part, _Run):
                self._write_run(element, part)
            else:
                _append(element, part)

    def _write_run(self, element: etree._Element, run: _Run) -> None:
        first = run.content[0]
        if isinstance(first, str):  # of an element that begins or ends within a sentence
            run.content[0] = first.lstrip()
            _append(element, first[: len(first) - len(first.lstrip())])
        content = [part for part in run.content if not isinstance(part, str) or part]
        if not run.letters:
            for part in content:
                _append(element, part)
        elif len(content) == 1 and not isinstance(content[0], str) and local_name(content[0]) in _WITH_ID:
            _append(element, content[0])
            self.marked.append((run.sentence, run.start, run.letters, content[0]))
        else:
            span = etree.SubElement(element, f"{{{XHTML}}}span")
            self.marked.append((run.sentence, run.start, run.letters, span))
            for part in content:
                _append(span, part)

    def _mark_whole(self, element: etree._Element, start: int, end: int) -> None:
        """Several sentences are in an element that gets no spans."""
        for stretch in self._within(start, end):
            begin, stop = max(start, stretch.start), min(end, stretch.end)
            self.marked.append((stretch.sentence, begin, max(1, stop - begin), element))


def _is_all_of(text: str, start: int, stretch: Stretch) -> bool:
    """Whether a stretch has the whole text of an element, which is in one paragraph."""
    begin = start + len(text) - len(text.lstrip())
    end = start + len(text.rstrip())
    return stretch.start <= begin and end <= stretch.end and PARAGRAPH_END not in text


def _append(element: etree._Element, part: str | etree._Element) -> None:
    if not isinstance(part, str):
        element.append(part)
    elif len(element):
        element[-1].tail = (element[-1].tail or "") + part
    else:
        element.text = (element.text or "") + part
