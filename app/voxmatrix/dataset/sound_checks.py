"""What can be heard to be wrong with a recording: the rules for `prepare`, `segment`, `clone` and the recorder.

Each limit lies between what clean recordings have and what a fault makes of them, measured with four synthetic speakers
in rooms of their own and with faults of two strengths (docs/inside/measured-by-hand.md): about as far from either, in
the unit of the limit. What depends on the room, the microphone or the voice is compared with the other recordings.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from voxmatrix.audio.measures.measures import Measures
from voxmatrix.errors import Severity
from voxmatrix.transcripts.lines import ProblemKind

#: A recording whose loudest 20 ms are below this is silent.
SILENT_DBFS = -60.0
#: Fractions of samples clipped at full scale: audible (warning), and harmful to the voice (error).
CLIPPED_WARNING, CLIPPED_ERROR = 0.0002, 0.01
#: Waves with a flat top at the peak. Clean recordings have 2 at most, clipped ones 10.
_FLAT_TOPS = 5
#: How far the noise is below the speech: what the voice would learn, and what drowns it.
NOISY_DB, DROWNED_DB = 25.0, 12.0
#: Quieter speech is drowned by the noise of most sound cards; and quieter than the others by so much is another take.
QUIET_DBFS, _QUIETER_DB = -38.0, 12.0
#: Mains hum so far below the speech is heard in pauses; nearer, it covers speech.
_HUM_DB, _LOUD_HUM_DB = 40.0, 15.0
#: The mean of the samples, of full scale.
OFFSET = 0.02
#: The spectrum of a telephone ends at 3.4 to 4 kHz; that of the others is so much wider.
_NARROW_HZ, _NARROWER = 5500.0, 0.7
#: In less speech there may be no s, f or t, which alone have high frequencies.
_HIGH_SECONDS = 1.0
#: The fastest fading of speech in dB a second: that of a tiled room, of a room that echoes among others that do not.
_ECHO_DB, _MORE_ECHO_DB, _MORE_ECHO = 150.0, 200.0, 0.45
_LONG_PAUSE_SECONDS = 1.5
#: Without speech before or behind it, and so much longer than in the other recordings.
_NO_SPEECH_SECONDS, _LONGER_SECONDS = 2.0, 1.5
#: Speech this close to the loud parts at either end was cut off. If more than a part of the recordings is, they were
#: trimmed on purpose.
_CUT_DB, _TRIMMED_PART = 20.0, 0.2
#: The number of recordings from which on there is something usual.
MIN_COMPARED = 8
#: Times as high as the others' median pitch, at least, and so many of their deviations. Of one speaker, sentences are
#: within 1.17 times.
_OTHER_PITCH, _PITCH_DEVIATIONS = 1.35, 6.0
#: Ratio of standard deviation to median absolute deviation in a normal distribution.
MAD_TO_SIGMA = 1.4826
#: With these faults, it is not known how long somebody speaks: noise and echo fill the pauses.
UNCLEAR: frozenset[ProblemKind] = frozenset(("noisy", "hum", "echo"))
_AGAIN = "record it again in a quiet room, near the microphone"


class Fault(NamedTuple):
    """Something that is wrong with a sound."""

    kind: ProblemKind
    problem: str
    remedy: str
    severity: Severity = "warning"


@dataclass(frozen=True, kw_only=True)
class Usual:
    """The medians of the recordings of one speaker."""

    speech_dbfs: float
    edge_hz: float
    decay_db: float
    voice_hz: float
    other_pitch: float  # a voice that is so many times higher or lower is another one
    before_seconds: float
    after_seconds: float
    starts_cut: bool  # most have no silence at the beginning
    ends_cut: bool

    @classmethod
    def of(cls, measured: Sequence[Measures]) -> "Usual | None":
        """What is usual in these recordings; None if they are too few."""
        if len(measured) < MIN_COMPARED:
            return None
        pitches = [one.voice_hz for one in measured if one.voice_hz and not one.hum_hz]
        usual_hz = median(pitches) if pitches else 0.0
        deviation = MAD_TO_SIGMA * median(abs(math.log(one / usual_hz)) for one in pitches) if pitches else 0.0
        return cls(
            speech_dbfs=median(one.speech_dbfs for one in measured),
            edge_hz=median(one.edge_hz for one in measured),
            decay_db=median(one.decay_db for one in measured),
            voice_hz=usual_hz,
            other_pitch=max(_OTHER_PITCH, math.exp(_PITCH_DEVIATIONS * deviation)),
            before_seconds=median(one.before_seconds for one in measured),
            after_seconds=median(one.after_seconds for one in measured),
            starts_cut=_mean(_is_cut(one, one.first_dbfs) for one in measured) > _TRIMMED_PART,
            ends_cut=_mean(_is_cut(one, one.last_dbfs) for one in measured) > _TRIMMED_PART,
        )


def faults(one: Measures, usual: Usual | None = None) -> Iterator[Fault]:
    """What is wrong with the sound of a recording that is not silent. Clipping at full scale is `clipping`."""
    yield from _of_level(one, usual)
    yield from _of_noise(one)
    yield from _of_room(one, usual)
    yield from _of_times(one, usual)


def clipping(fraction: float, flat_tops: int) -> Fault | None:
    """The fault of a recording with this fraction of its samples clipped at full scale, or with flat tops below it."""
    remedy = "lower the recording level and record it again"
    if fraction >= CLIPPED_WARNING:
        severity: Severity = "error" if fraction >= CLIPPED_ERROR else "warning"
        return Fault("clipped", f"{fraction:.2%} of its samples are clipped at full scale", remedy, severity)
    if flat_tops >= _FLAT_TOPS:
        return Fault("clipped", f"{flat_tops} of its waves are cut off at the same level: it was clipped", remedy)
    return None


def pitch_ratio(one: Measures, usual: Usual | None) -> float:
    """How many times as high as usual the voice is; 1 if it is not another one."""
    if usual is None or one.hum_hz or not one.voice_hz or not usual.voice_hz:
        return 1.0
    ratio = one.voice_hz / usual.voice_hz
    return ratio if max(ratio, 1 / ratio) >= usual.other_pitch else 1.0


def _of_level(one: Measures, usual: Usual | None) -> Iterator[Fault]:
    louder = "raise the recording level, or move closer"
    if one.speech_dbfs < QUIET_DBFS:
        yield Fault("quiet", f"its speech is quiet: {one.speech_dbfs:.0f} dBFS", louder)
    elif usual and one.speech_dbfs < usual.speech_dbfs - _QUIETER_DB:
        what = f"its speech is {usual.speech_dbfs - one.speech_dbfs:.0f} dB quieter than in the other recordings"
        yield Fault("quiet", what, louder)
    if abs(one.offset) >= OFFSET:
        what = f"its samples are off centre by {one.offset:+.2f} of full scale (DC); that is removed"
        yield Fault("offset", what, "check the microphone's cable and the sound card")


def _of_noise(one: Measures) -> Iterator[Fault]:
    if one.hum_hz and one.speech_dbfs - one.hum_dbfs < _HUM_DB:
        below = one.speech_dbfs - one.hum_dbfs
        what = f"it hums at {one.hum_hz:.0f} Hz (mains), {below:.0f} dB below the speech"
        remedy = "plug the microphone into another socket, or unplug the charger, and record it again"
        yield Fault("hum", what, remedy, "error" if below < _LOUD_HUM_DB else "warning")
    if one.snr_db < NOISY_DB:
        what = f"its noise is only {one.snr_db:.0f} dB below the speech; the voice would learn it"
        yield Fault("noisy", what, _AGAIN, "error" if one.snr_db < DROWNED_DB else "warning")
    if one.clicks:
        several = f", and {one.clicks - 1} more" if one.clicks > 1 else ""
        what = f"it has a click at {one.click_seconds:.2f} s{several}"
        yield Fault("click", what, "cut it out, or start and stop the recording with the keyboard")


def _of_room(one: Measures, usual: Usual | None) -> Iterator[Fault]:
    if not one.edge_hz:
        return  # too short to be measured
    narrow = one.edge_hz < _NARROW_HZ or (usual is not None and one.edge_hz < _NARROWER * usual.edge_hz)
    if narrow and one.active_seconds >= _HIGH_SECONDS:
        than = f"; that of the others at {usual.edge_hz / 1000:.1f} kHz" if usual else ""
        what = f"its sound ends at {one.edge_hz / 1000:.1f} kHz, as over a telephone{than}"
        yield Fault("narrow-band", what, "record it at 44100 Hz, not over a telephone or a headset in calls")
    if one.snr_db < NOISY_DB:
        return  # noise hides how speech fades
    more = usual and one.decay_db < min(_MORE_ECHO_DB, _MORE_ECHO * usual.decay_db)
    if one.decay_db < _ECHO_DB or more:
        what = f"it echoes: words take {60 / max(one.decay_db, 1):.1f} s to fade away"
        yield Fault("echo", what, "record it again in a room with carpets, curtains or beds, near the microphone")


def _of_times(one: Measures, usual: Usual | None) -> Iterator[Fault]:
    if one.pause_seconds >= _LONG_PAUSE_SECONDS:
        what = f"it has a pause of {one.pause_seconds:.1f} s at {one.pause_at:.1f} s"
        yield Fault("long-pause", what, "cut the pause out, or split the recording there")
    if one.snr_db < NOISY_DB:
        return  # what stands at the ends may then be noise
    before, after = (usual.before_seconds, usual.after_seconds) if usual else (0.0, 0.0)
    for where, seconds, others in (("before", one.before_seconds, before), ("behind", one.after_seconds, after)):
        if seconds >= _NO_SPEECH_SECONDS and seconds >= others + _LONGER_SECONDS:
            what = f"it has {seconds:.1f} s without speech {where} its words, which are cut off"
            yield Fault("no-speech", what, "nothing needs to be done")
    for end, level, trimmed in (
        ("beginning", one.first_dbfs, usual is not None and usual.starts_cut),
        ("end", one.last_dbfs, usual is not None and usual.ends_cut),
    ):
        if not (trimmed or one.clicks) and _is_cut(one, level):
            yield Fault("cut-off", f"its {end} is cut off", "leave a moment of silence there")


def _is_cut(one: Measures, level_dbfs: float) -> bool:
    return level_dbfs > one.speech_dbfs - _CUT_DB


def median(values: Iterable[float]) -> float:
    """The median; of an even number of values, the upper middle one. (Importing `statistics` would take longer.)"""
    ordered = sorted(values)
    return ordered[len(ordered) // 2]


def _mean(values: Iterable[bool]) -> float:
    some = list(values)
    return sum(some) / len(some)
