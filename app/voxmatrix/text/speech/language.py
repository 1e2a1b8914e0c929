"""How speech is written in a language: the tables of `text/speech.toml`."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

#: What a dash at the beginning of a paragraph opens; "": nothing.
Dash = Literal["", "incises", "turns"]

#: How long the narrator's words between two commas are.
_MAX_INCISE = 160
_TITLE = r"(?:M|MM|Mme|Mlle|Mr|Mrs|Dr|Hr|Sr|Sra|St|D)\."
_NAME = rf"\s+(?:{_TITLE}|[\"'\u2018\u2019\u201d\u00bb]?[A-Z\u00c0-\u00de\u0141\u015a\u017b\u0179\u0106])"
_REST = rf"(?:(?<=[\s.]){_TITLE}|[^,.;:!?\u2026\u2014\u2013\u00bb\u201d\"]){{0,{_MAX_INCISE}}}?"
_ENDS = r"(?=\s*(?:[,.;:!?\u2026\u2014\u2013\u00bb\u201d\"]|$))"
#: The narrator's clause may be followed by another, which is no question.
_ASIDE = (
    rf"[^,.;:!?\u2026\u2014\u2013\u00bb\u201d\"]{{0,{_MAX_INCISE}}}"
    r"(?=\s*(?:[,.;:!\u2026\u2014\u2013\u00bb\u201d\"]|$))"
)
#: What an incise stands behind.
_AFTER = r",!?.;\u2026\u2014\u2013\u00bb\u201d\""


@dataclass(frozen=True)
class SpeechOfLanguage:
    """How speech is written in a language."""

    dash: Dash = ""
    #: The narrator's words in the middle of speech, e.g. `dit-il`, as the group `said`; None: such are not known.
    incise: re.Pattern[str] | None = None
    #: How the narrator's words begin behind a dash; None where dashes have no turns.
    narrates: re.Pattern[str] | None = None
    #: A verb of saying; None: none is known.
    says: re.Pattern[str] | None = None


@cache
def speech_of(language: str) -> SpeechOfLanguage:
    """The table of a language, e.g. `sv` or `es-MX`; without one, only quotation marks are known."""
    table = _tables().get(language.lower().replace("_", "-").split("-")[0], {})
    if "verbs" not in table:
        return SpeechOfLanguage(table.get("dash", ""))
    verbs = "|".join(table["verbs"])
    verb = f"{table.get('before', '')}(?:{verbs})"
    capital = rf"(?<=[!?\u2026]\s)(?=[A-Z\u00c0-\u00de])(?i:{verbs})"
    said = rf"(?:{verb}|{capital})(?!\w)(?:{table['subject']}|{_NAME}|{_ENDS}){_REST}{_ENDS}"
    if "aside" in table:
        said += rf"(?:,\s*(?:{table['aside']}){_ASIDE})?"
    incise = re.compile(rf"[{table.get('after', _AFTER)}]\s*(?<!\w)(?P<said>{said})")
    narrates = table.get("narrates")
    behind_dash = re.compile(rf"{verb}\b|{narrates}", re.IGNORECASE) if narrates else None
    says = re.compile(rf"(?<!\w)(?:{verbs})(?!\w)", re.IGNORECASE)
    return SpeechOfLanguage(table.get("dash", ""), incise, behind_dash, says)


@cache
def _tables() -> dict[str, dict[str, Any]]:
    return tomllib.loads(Path(__file__).parents[1].joinpath("speech.toml").read_text(encoding="utf-8"))
