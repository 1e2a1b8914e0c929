"""The speed of phonemes beside Piper's, on a long text, in characters per second of CPU."""

import resource
import statistics
from collections.abc import Callable, Iterator

from piper.phonemize_espeak import EspeakPhonemizer as Piper

from tools.make_samples import corpus_sentences
from voxmatrix.text.phonemes.phonemizer import EspeakPhonemizer

CHARACTERS = 900_000
#: As many sentences at once as `FrontEnd` gives.
TOGETHER = 16
ROUNDS = 3
VOICE = "en-us"


def figures() -> dict[str, float | int | str]:
    """Phonemise the same sentences with both, interleaved, children included."""
    sentences = list(_sentences())
    characters = sum(map(len, sentences))
    piper = Piper()
    seconds: dict[str, list[float]] = {"ours": [], "piper": [], "piper_whole_text": []}

    def by_ours() -> None:
        with EspeakPhonemizer(VOICE) as phonemizer:
            for start in range(0, len(sentences), TOGETHER):
                phonemizer.phonemes(sentences[start : start + TOGETHER])

    def by_piper() -> None:
        for sentence in sentences:
            piper.phonemize(VOICE, sentence)

    def by_piper_at_once() -> None:
        piper.phonemize(VOICE, "\n".join(sentences))

    for _ in range(ROUNDS):
        for name, work in zip(seconds, (by_ours, by_piper, by_piper_at_once), strict=True):
            seconds[name].append(_cpu_seconds(work))
    speeds = {name: characters / statistics.median(taken) for name, taken in seconds.items()}
    return {
        "characters": characters,
        **{f"{name}_characters_per_cpu_second": round(speed) for name, speed in speeds.items()},
        "ratio": round(speeds["ours"] / speeds["piper"], 2),
        "ratio_to_whole_text": round(speeds["ours"] / speeds["piper_whole_text"], 2),
        "wanted": "ratios at least 0.7",
    }


def _sentences() -> Iterator[str]:
    """The same sentences in every run, CHARACTERS or slightly more together."""
    length = 0
    for sentence in corpus_sentences():
        yield sentence
        length += len(sentence)
        if length >= CHARACTERS:
            return


def _cpu_seconds(work: Callable[[], None]) -> float:
    """The CPU time of this process and of the child processes that ended meanwhile."""
    before = _used()
    work()
    return _used() - before


def _used() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)
