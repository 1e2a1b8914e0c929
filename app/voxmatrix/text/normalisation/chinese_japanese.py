"""Numbers, dates, money and units of Mandarin and Japanese in words, by wetext (Apache-2.0), where it is installed.

Without it espeak-ng reads the digits of its own voices, and engines get them as they are written.
"""

import importlib.util
import threading
from functools import cache
from typing import Any

from voxmatrix.text.lazy_pattern import lazy_pattern

#: Of espeak-ng and as tags; others of China, such as yue, are said in another way.
_LANGUAGES = {"cmn": "zh", "zh": "zh", "ja": "ja"}
#: wetext reads nothing else, and other text stays as it is to the letter.
_READ = lazy_pattern(r"[\d\uff10-\uff19%\uff05\u2103\u2109]")
_LOCK = threading.Lock()


def is_read(language: str) -> bool:
    """Whether numbers of this language are read here: a voice of espeak-ng or a language tag."""
    return _base(language) in _LANGUAGES and importlib.util.find_spec("wetext") is not None


def say_numbers(text: str, language: str) -> str:
    """The text with its numbers in words; `is_read` must be true of its language."""
    if _READ.search(text) is None:
        return text
    with _LOCK:  # wetext says nothing of threads
        return str(_normalizer(_LANGUAGES[_base(language)]).normalize(text))


def _base(language: str) -> str:
    return language.lower().replace("_", "-").partition("-")[0]


@cache
def _normalizer(language: str) -> Any:
    from wetext import Normalizer

    return Normalizer(lang=language, operator="tn")
