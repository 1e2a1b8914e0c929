"""Fields of requests that only some voices know: speed and settings."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from voxmatrix.errors import UsageError
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.style import MAX_KNOBS, Style
from voxmatrix.serve.errors import ApiError

#: Settings of the voice by name, as its capabilities list them.
Knobs = Annotated[
    dict[Annotated[str, Field(max_length=256)], Annotated[float, Field(allow_inf_nan=False)]],
    Field(max_length=MAX_KNOBS, examples=[{"noise": 0.5}]),
]
_CastName = Annotated[
    str, Field(min_length=1, max_length=100, pattern=r"^[^|\[\]:#\s\x00-\x1f\x7f][^|\[\]:\x00-\x1f\x7f]*$")
]
#: Voices by the names in `[voice:NAME]`, and before lines (`NAME: …`).
Cast = Annotated[
    dict[_CastName, Annotated[str, Field(min_length=1, max_length=256)]],
    Field(max_length=100, examples=[{"Anna": "alloy"}]),
]


def check_fields(voice: VoiceCard, *, speed: float, knobs: Mapping[str, float], **single: float | None) -> None:
    """Check that the voice can speak like this. `single` are knobs with a field of their own.

    Raises:
        ApiError: it cannot; the error names the field.
    """
    own = {name: Style(knobs={name: value}) for name, value in single.items() if value is not None}
    entries = {f"knobs.{name}": Style(knobs={name: value}) for name, value in knobs.items()}
    for param, style in {"speed": Style(speed=speed), **own, **entries}.items():
        try:
            voice.check(style)
        except UsageError as error:
            message = f"{error.problem}; {error.remedy}"
            raise ApiError(400, message, param=param, code="invalid_value") from error
