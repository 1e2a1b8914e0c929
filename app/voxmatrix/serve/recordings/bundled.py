"""The prompt lists that come with voxmatrix: one sentence per line, written for it."""

from dataclasses import dataclass
from functools import cache

from voxmatrix.text.prompts import sentence_list


@dataclass(frozen=True, kw_only=True)
class BundledList:
    """A list to choose. `id` is what requests call it."""

    id: str
    title: str
    language: str
    prompts: tuple[str, ...]


@cache
def bundled_lists() -> dict[str, BundledList]:
    """All lists by id."""
    known = (("en", "Everyday English", "en-US"), ("sv", "Vardaglig svenska", "sv-SE"))
    return {id: BundledList(id=id, title=title, language=tag, prompts=sentence_list(id)) for id, title, tag in known}
