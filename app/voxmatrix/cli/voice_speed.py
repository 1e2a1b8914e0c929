"""`voxmatrix voices speed`: how fast a voice speaks here, and the words for how long something takes with it."""

from typing import TYPE_CHECKING

from voxmatrix.cli.parameters import options
from voxmatrix.cli.terminal.messages import echo, print_json

if TYPE_CHECKING:
    from voxmatrix.speak.speed import VoiceSpeed


def command(voice: options.VoicePath = "", as_json: options.AsJson = False) -> None:
    """Show how fast a voice speaks on this computer's CPUs. It is measured once, in seconds, and kept."""
    from voxmatrix.speak.speed import speed_of
    from voxmatrix.voices.resolve import resolve

    card = resolve(voice)
    speed = speed_of(card)
    if as_json:
        print_json({"voice": card.id, **wire(speed)})
        return
    echo(f"{card.id} speaks {between(f'{speed.slow:.1f}', f'{speed.fast:.1f}')} times as fast as it is heard")


def wire(speed: "VoiceSpeed") -> dict[str, float]:
    """A speed as JSON: `speed`, and `speed_if_free` while the CPUs have nothing else to do."""
    return {"speed": round(speed.slow, 2), "speed_if_free": round(speed.fast, 2)}


def between(low: str, high: str) -> str:
    """A range in words."""
    return low if low == high else f"{low} to {high}"
