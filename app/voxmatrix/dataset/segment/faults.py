"""What is wrong with the sound of the clips: the checks of `prepare`, while the recording can still be made again."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from voxmatrix.audio.long import LongRecording
from voxmatrix.audio.measures.measure import measure
from voxmatrix.audio.measures.measures import Measures
from voxmatrix.dataset.segment.output import Segment
from voxmatrix.dataset.sound_checks import Usual, clipping, faults

#: Cuts are in pauses, which may be short.
_OF_CUTS = ("cut-off", "no-speech")


def with_faults(segments: Sequence[Segment], opened: Sequence[LongRecording]) -> list[Segment]:
    """Segments whose used clips have the faults of their sound, compared with those of the same speaker."""
    measured: dict[int, Measures] = {}
    for place, one in enumerate(segments):
        if not one.reason:
            recording = opened[one.recording]
            measured[place] = measure(recording.read(one.start, one.end), recording.rate_hz)
    by_speaker: defaultdict[str, list[Measures]] = defaultdict(list)
    for place, facts in measured.items():
        by_speaker[segments[place].speaker].append(facts)
    usual = {speaker: Usual.of(some) for speaker, some in by_speaker.items()}
    found = list(segments)
    for place, facts in measured.items():
        one = segments[place]
        some = filter(None, (clipping(0.0, facts.flat_tops), *faults(facts, usual[one.speaker])))
        found[place] = replace(one, faults=tuple(fault._asdict() for fault in some if fault.kind not in _OF_CUTS))
    return found
