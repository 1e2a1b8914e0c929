"""A text is the same samples through every door, whatever is marked in it.

Of a voice whose sound depends on nothing but the words, as `/synthesize` has no seed.
"""

import io
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.serve.conftest import Running, running
from tests.toys.family import added, voice_of
from voxmatrix.book.read.plain import read_plain
from voxmatrix.book.units import book_units
from voxmatrix.cli import main
from voxmatrix.config import home
from voxmatrix.errors import BadInputError, Finding
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.style import Output, Style
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.serve.jobs.kinds.speech import SpeechJobRequest
from voxmatrix.serve.settings import ServeSettings
from voxmatrix.speak.batch.messages import SpeakJob
from voxmatrix.speak.batch.worker import speak_job
from voxmatrix.speak.output import speak_to
from voxmatrix.speak.wav import HEADER_BYTES
from voxmatrix.voices.resolve import open_voice
from voxmatrix.work.ledger import open_ledger

SEED = 7
STYLE = Style(seed=SEED, pause_seconds=0.0)
#: With their words as they are heard.
MARKED = {
    "A link [to here](https://example.com/x) follows.": "A link to here follows.",
    "See [the docs][1] now.\n\n[1]: https://example.com/x": "See the docs now.",
    "Use <kbd>Ctrl</kbd> now.": "Use Ctrl now.",
    "The [Kokoro](/kˈOkəɹO/) of [New York](/nuː jɔːɹk/) is here.": "The Kokoro of New York is here.",
    "| Name | Age |\n|---|---|\n| Annika | 52 |": "Name Age\n\nAnnika 52",
    "```py\nprint(1)\n```": "print(1)",
    "Dr. Smith paid $5.20, &amp; left.": "Dr. Smith paid $5.20, & left.",
    "If 2 < 3 and 5 > 4, a*b*c is snake_case_name.": "If 2 < 3 and 5 > 4, a*b*c is snake_case_name.",
    "**All of it** is _old_, `so` to say &lt;b&gt;.": "All of it is old, so to say b.",
}
SMILEY = "\U0001f600"

WORDS = (
    "apple",
    "Bergen",
    "3 boxes",
    "$4.50",
    "of course",
    "x < y",
    "a*b",
    "some_name",
    "1998",
    "na\u00efve",
    "R&D",
    SMILEY,
)
WRAPPED = (
    "{}", "**{}**", "_{}_", "`{}`", "[{}](https://example.com/a_(b))", "![{}](y.png)", "<b>{}</b>", "<kbd>{}</kbd>",
    "<span class='q'>{}</span>", "&quot;{}&quot;", "({})", "~~{}~~", "<!-- no. --> {}", "\u201c{}\u201d", "{}\u2014so",
)  # fmt: skip
#: Paragraphs; all but the first are only markup.
FRAMES = ("{}", "# {}", "> {}", "- [ ] {}", "<p>{}</p>", "```text\n{}\n```", "{}\n=======", "| {} |\n|---|")


def sentence_of(parts: Sequence[tuple[str, str]], frame: str) -> str:
    """A sentence that is long enough for its loudness to be its own."""
    said = " ".join(wrapped.format(word) for wrapped, word in parts)
    return frame.format(f"It is known that {said} was there.")


def fifty() -> list[str]:
    numbers = random.Random(50)
    return [
        sentence_of(
            [(numbers.choice(WRAPPED), numbers.choice(WORDS)) for _ in range(numbers.randint(1, 4))],
            FRAMES[number % len(FRAMES)],
        )
        for number in range(50)
    ]


TEXTS = [*MARKED, *fifty()]


@pytest.fixture(scope="module")
def voice(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VoiceCard]:
    with added():
        yield voice_of(tmp_path_factory.mktemp("voices") / "bells.tones", noise=0.0)


@pytest.fixture(scope="module")
def server(voice: VoiceCard) -> Iterator[Running]:
    given = ServeSettings(voice=voice.path, port=0, device=DeviceRequest(kind="cpu"), threads=1, sentence_pause=0.0)
    with running(given) as server:
        yield server


def spoken(text: str | Iterator[str], voice: VoiceCard, style: Style = STYLE) -> bytes:
    """What `speak` makes of a text, or of one that arrives."""
    speak_to(out := io.BytesIO(), text, voice, style, output=Output(raw=True))
    return out.getvalue()


def _no_warning(finding: Finding) -> None:
    pytest.fail(finding.problem)


def run(voice: VoiceCard, *words: str) -> None:
    assert main.run([*words, "--voice", str(voice.path), "--seed", str(SEED), "--sentence-pause", "0"]) == 0


def samples(path: Path) -> bytes:
    """Those of a WAV or FLAC file."""
    found: bytes = soundfile.read(path, dtype="int16")[0].tobytes()
    return found


def by_speak(texts: Sequence[str], voice: VoiceCard, folder: Path, server: Running) -> Iterator[bytes]:
    for text in texts:
        run(voice, "speak", "--text", text, "--out", str(folder / "a.wav"), "--force")
        yield samples(folder / "a.wav")


def by_a_pipe(texts: Sequence[str], voice: VoiceCard, folder: Path, server: Running) -> Iterator[bytes]:
    """Of characters that arrive one by one."""
    for text in texts:
        yield spoken(iter(text), voice)


def by_a_batch(texts: Sequence[str], voice: VoiceCard, folder: Path, server: Running) -> Iterator[bytes]:
    (folder / "texts").mkdir()
    for number, text in enumerate(texts):
        (folder / "texts" / f"{number}.txt").write_text(text, encoding="utf-8")
    run(voice, "speak", "--batch", str(folder / "texts"), "--out", str(folder / "out"), "--parallel-voices", "1")
    yield from (samples(folder / "out" / f"{number}.wav") for number in range(len(texts)))


def by_a_worker(texts: Sequence[str], voice: VoiceCard, folder: Path, server: Running) -> Iterator[bytes]:
    with closing(open_voice(voice)) as opened:
        for text in texts:
            job = SpeakJob(text=text, out=folder / "a.wav", style=STYLE, output=Output())
            speak_job(opened, _no_warning, job, lambda _: None)
            yield samples(job.out)


def by_the_api(texts: Sequence[str], voice: VoiceCard, folder: Path, server: Running) -> Iterator[bytes]:
    for text in texts:
        yield server.speak(input=text, seed=SEED).content[HEADER_BYTES:]


def by_pipers_door(texts: Sequence[str], voice: VoiceCard, folder: Path, server: Running) -> Iterator[bytes]:
    for text in texts:
        yield server.post("/synthesize", {"text": text}).content[HEADER_BYTES:]


def by_words_of_a_job(texts: Sequence[str], voice: VoiceCard, folder: Path, server: Running) -> Iterator[bytes]:
    """What a job of the page is told, in this process."""
    for number, text in enumerate(texts):
        place = folder / str(number)
        request = SpeechJobRequest(kind="speech", text=text, seed=SEED, sentence_pause=0.0, format="wav")
        assert main.run([*request.work(server.services.jobs.sources, place).words]) == 0
        yield samples(place / "speech.wav")


DOORS = (by_speak, by_a_pipe, by_a_batch, by_a_worker, by_the_api, by_pipers_door, by_words_of_a_job)


@pytest.mark.parametrize("door", DOORS, ids=lambda door: str(door.__name__))
def test_every_door_says_the_same(
    door: Callable[..., Iterator[bytes]], voice: VoiceCard, server: Running, tmp_path: Path
) -> None:
    said = list(door(TEXTS, voice, tmp_path, server))
    wanted = [spoken(text, voice) for text in TEXTS]
    assert [text for text, one, other in zip(TEXTS, said, wanted, strict=True) if one != other] == []
    assert said[: len(MARKED)] == [spoken(words, voice) for words in MARKED.values()]


def test_a_book_says_the_same(voice: VoiceCard, tmp_path: Path) -> None:
    path, out = tmp_path / "marked.txt", tmp_path / "marked.m4b"
    path.write_text("\n\n".join(TEXTS), encoding="utf-8")
    run(voice, "book", str(path), "--out", str(out), "--parallel-voices", "1", "--no-level")

    style = Style(seed=SEED, pause_seconds=0.0, levelled=False)
    units = list(book_units(read_plain(path, ()), voice.language, voice.digest, style))
    (job,) = home().glob("jobs/book-*")
    with open_ledger(job) as ledger:
        said = [samples(ledger.audio(delivery.key)) for unit in units if (delivery := ledger.delivery(unit.unit.key))]
    assert len(said) == len(units)
    assert b"".join(said) == b"".join(spoken(text, voice, style) for text in TEXTS)


@settings(max_examples=examples(100))
@given(
    st.lists(
        st.builds(
            sentence_of,
            st.lists(st.tuples(st.sampled_from(WRAPPED), st.sampled_from(WORDS) | st.text(max_size=6)), max_size=4),
            st.sampled_from(FRAMES),
        ),
        min_size=1,
        max_size=3,
    ).map("\n\n".join)
)
def test_any_text_is_the_same_through_any_door(voice: VoiceCard, server: Running, text: str) -> None:
    wanted = spoken(text, voice)
    assert server.speak(input=text, seed=SEED).content[HEADER_BYTES:] == wanted
    assert server.post("/synthesize", {"text": text}).content[HEADER_BYTES:] == wanted
    assert spoken(iter([text]), voice) == wanted


def sections(path: Path) -> list[str]:
    """The parts of a page, none longer than a text of the API may be."""
    found: list[str] = []
    for paragraph in path.read_text(encoding="utf-8").split("\n\n"):
        if found and len(found[-1]) + len(paragraph) < 4000:
            found[-1] += f"\n\n{paragraph}"
        else:
            found.append(paragraph[:4000])
    return found


def test_the_pages_of_the_repository_are_the_same_through_any_door(voice: VoiceCard, server: Running) -> None:
    root = Path(__file__).parents[2]
    for path in [root / "README.md", root / "docs/training.md", *sorted((root / "tests/text/data").glob("*.txt"))]:
        for text in sections(path):
            wanted = spoken(text, voice)
            assert server.speak(input=text, seed=SEED).content[HEADER_BYTES:] == wanted
            assert server.post("/synthesize", {"text": text}).content[HEADER_BYTES:] == wanted


@pytest.mark.parametrize("text", [SMILEY, "***", "<!-- no -->", "[pause:1ms]", "```py\n```"])
def test_where_somebody_listens_a_text_without_words_is_a_moment_of_silence_and_where_speech_is_kept_an_error(
    text: str, voice: VoiceCard, server: Running, tmp_path: Path
) -> None:
    moment = bytes(2 * voice.rate_hz // 4)
    assert server.speak(input=text, seed=SEED).content[HEADER_BYTES:] == moment
    assert server.post("/synthesize", {"text": text}).content[HEADER_BYTES:] == moment
    for given_text in (text, iter([text])):
        with pytest.raises(BadInputError, match="there is nothing to speak"):
            spoken(given_text, voice)
    with closing(open_voice(voice)) as opened, pytest.raises(BadInputError, match="there is nothing to speak"):
        speak_job(opened, _no_warning, SpeakJob(text=text, out=tmp_path / "a.wav", style=STYLE, output=Output()), print)
    assert not list(tmp_path.iterdir())
