"""Voices that teach: how many processes or computers speak for them changes nothing, and what is said is kept."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from tests.distil.student.conftest import SMALL
from tests.distil.student.teaching import quiet, settings_of, small
from tests.toys.engines import install_engine, write_toy_voice
from tests.toys.family import tones, voice_of  # noqa: F401 (a fixture)
from tests.work.cluster.conftest import redis_server, start_worker  # noqa: F401 (fixtures)
from tests.work.cluster.processes import ClusterWorker, RedisServer
from voxmatrix.cli import main
from voxmatrix.distil.student import run
from voxmatrix.distil.student.corpus import read_corpus
from voxmatrix.distil.student.run import teach
from voxmatrix.distil.student.teacher import STYLE, VoiceTeacher, check_teacher
from voxmatrix.errors import BadInputError, InterruptedRunError
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.style import Runtime, Style
from voxmatrix.piper.config import VoiceConfig
from voxmatrix.piper.files import config_path
from voxmatrix.progress import OnProgress
from voxmatrix.text.front import Sentence
from voxmatrix.text.prompts import sentence_list
from voxmatrix.text.spoken import SpokenText
from voxmatrix.voices.resolve import open_voice, resolve
from voxmatrix.work.cluster.celery_executor import CeleryExecutor
from voxmatrix.work.executor import Executor
from voxmatrix.work.ledger import open_ledger
from voxmatrix.work.local_executor import LocalExecutor

pytestmark = pytest.mark.usefixtures("tones")
SENTENCES = [Sentence(text=f"It is line {number}{', and more' * (number % 7)}.") for number in range(120)]


@pytest.fixture
def voice(tmp_path: Path) -> VoiceCard:
    return voice_of(tmp_path / "anna.tones", may_teach=True)


def processes(voice: VoiceCard, number: int = 1) -> Callable[[Path, int], Executor]:
    """Workers on this computer."""

    def start(incoming: Path, _most: int) -> Executor:
        return LocalExecutor(voice, STYLE, incoming, Runtime(threads=1, reproducible=True), workers=number)

    return start


def nothing(done: int, of: int) -> None: ...


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.npz")}


def test_only_what_is_wanted_is_said_and_by_many_as_by_one(voice: VoiceCard, tmp_path: Path) -> None:
    def said(number: int) -> dict[str, bytes]:
        folder, progress = tmp_path / str(number), list[tuple[int, int]]()
        teacher = VoiceTeacher([voice], processes(voice, number))
        teacher.speak(SENTENCES, folder, 60.0, lambda done, of: progress.append((done, of)))
        assert progress == sorted(progress) and progress[-1] == (60, 60)
        return files(folder)

    assert said(1) == said(2)
    seconds = [one.frames / 80 for one in read_corpus(tmp_path / "1")]
    assert sum(seconds) >= 60 > sum(seconds[:-24]) and len(seconds) < len(SENTENCES)
    assert len(list((tmp_path / "1" / "speech").rglob("*.wav"))) < len(SENTENCES)


def test_progress_knows_when_there_are_fewer_sentences_than_are_wanted(voice: VoiceCard, tmp_path: Path) -> None:
    progress: list[tuple[int, int]] = []
    teacher = VoiceTeacher([voice], processes(voice))
    teacher.speak(SENTENCES[:30], tmp_path, 10_800.0, lambda done, of: progress.append((done, of)))
    said = sum(one.frames for one in read_corpus(tmp_path)) / 80
    assert progress[-1] == (round(said), round(said))
    assert all(0 <= done <= of < 3 * said for done, of in progress)


def test_what_was_said_before_an_interruption_is_not_said_again(voice: VoiceCard, tmp_path: Path) -> None:
    def interrupted(done: int, of: int) -> None:
        if done:
            raise KeyboardInterrupt

    def deliveries() -> dict[str, object]:
        with open_ledger(tmp_path / "speech") as ledger:
            return dict(ledger.deliveries())

    teacher = VoiceTeacher([voice], processes(voice))
    with pytest.raises(InterruptedRunError):
        teacher.speak(SENTENCES[:48], tmp_path, 600.0, interrupted)
    kept = deliveries()
    teacher.speak(SENTENCES[:48], tmp_path, 600.0, nothing)

    assert kept and kept.items() <= deliveries().items() and len(deliveries()) == 48
    VoiceTeacher([voice], processes(voice)).speak(SENTENCES[:48], tmp_path / "at once", 600.0, nothing)
    assert files(tmp_path) == files(tmp_path / "at once")


def test_sentences_that_cannot_be_said_are_left_out_unless_none_can(voice: VoiceCard, tmp_path: Path) -> None:
    teacher, fails = VoiceTeacher([voice], processes(voice)), [Sentence(text=f"{n} always fails") for n in "ab"]
    teacher.speak([SENTENCES[0], *fails, SENTENCES[1]], tmp_path, 600.0, nothing)

    assert [one.frames > 0 for one in read_corpus(tmp_path)] == [True, False, False, True]
    with pytest.raises(BadInputError, match=r"anna can say none of 2 sentences: .*this text always fails"):
        teacher.speak(fails, tmp_path / "none", 600.0, nothing)


def test_several_voices_speak_in_turn_as_each_does_alone(voice: VoiceCard, tmp_path: Path) -> None:
    other = voice_of(tmp_path / "bo.tones", may_teach=True, rate_hz=24_000, speakers={"one": 300})
    teacher = VoiceTeacher([voice, other], processes(voice, 2))
    teacher.speak(SENTENCES[:20], tmp_path / "both", 600.0, nothing)

    assert teacher.speakers == ["anna", "bo"] and teacher.facts["teacher"] == "anna + bo"
    both, alone = read_corpus(tmp_path / "both"), []
    for one in (voice, other):
        VoiceTeacher([one], processes(one)).speak(SENTENCES[:20], tmp_path / one.id, 600.0, nothing)
        alone.append(read_corpus(tmp_path / one.id))
    for place, speech in enumerate(both):
        assert abs(speech.frames - alone[place // 5 % 2][place].frames) <= 1
        assert np.median(speech.hz) == pytest.approx(np.median(alone[place // 5 % 2][place].hz), rel=0.05)


@pytest.mark.espeak
def test_a_student_of_several_voices_has_their_names(voice: VoiceCard, tmp_path: Path) -> None:
    other = voice_of(tmp_path / "bo.tones", may_teach=True, speakers={"one": 300})
    text, out = tmp_path / "text.txt", tmp_path / "duo.onnx"
    text.write_text("\n\n".join(sentence_list("harvard")[:60]), encoding="utf-8")
    with small():
        teach(settings_of(text, out, VoiceTeacher([voice, other], processes(voice))), quiet)

    made = resolve(out)
    assert made.speakers == {"anna": 0, "bo": 1} and made.num_speakers == 2
    with closing(open_voice(made)) as opened:
        waves = [
            np.concatenate(
                [one() for one in opened.say(SpokenText("It is late.", ""), Style(speaker=name), 1).segments]
            )
            for name in made.speakers
        ]
    assert all(map(len, waves)) and not np.array_equal(*waves)


def test_voices_of_other_languages_or_of_one_name_do_not_teach_together(voice: VoiceCard) -> None:
    for other, problem in (
        (replace(voice, id="cara", languages=("sv",)), "anna speaks en-us, and cara sv"),
        (voice, "have the same name: anna, anna"),
    ):
        with pytest.raises(BadInputError, match=problem):
            VoiceTeacher([voice, other], processes(voice))


@pytest.mark.espeak
def test_an_engine_that_says_other_words_is_refused_with_the_reason(tmp_path: Path) -> None:
    install_engine()
    voice = resolve(write_toy_voice("bell"))
    text, short = tmp_path / "text.txt", [one.rstrip(".") for one in sentence_list("harvard")[:60]]
    text.write_text(".\n\n".join(map(", ".join, zip(short[::2], short[1::2], strict=True))), encoding="utf-8")
    settings = replace(settings_of(text, tmp_path / "a.onnx", VoiceTeacher([voice], processes(voice))), force=False)

    with small() as patch, pytest.raises(BadInputError, match=r"of \d+ words, \d\d% are not recognised"):
        patch.setattr(run, "recogniser", lambda language: lambda samples, rate_hz: "the")
        teach(settings, quiet)

    assert not settings.out.exists()


def test_a_teacher_most_of_whose_sentences_are_silent_is_refused() -> None:
    tone = 0.1 * np.sin(np.arange(48_000) / 10).astype(np.float32)
    said = [(f"This is sentence {number}.", tone * (number > 5)) for number in range(10)]
    with pytest.raises(BadInputError, match=r"most sentences are not, e\.g\. it is silent"):
        check_teacher(said, None)
    check_teacher(said[4:], lambda samples, rate_hz: "This is sentence.")


@pytest.mark.espeak
@pytest.mark.redis
@pytest.mark.slow
def test_a_cluster_that_loses_a_worker_teaches_the_same_voice(
    voice: VoiceCard,
    tmp_path: Path,
    redis_server: RedisServer,  # noqa: F811
    start_worker: Callable[..., ClusterWorker],  # noqa: F811
) -> None:
    text = tmp_path / "text.txt"
    text.write_text("\n\n".join(sentence_list("harvard")[:60]), encoding="utf-8")
    first, _ = (start_worker(redis_server.url, name, seconds=0.1) for name in ("a", "b"))
    calls = count()

    @contextmanager
    def killing(_activity: object, title: str, *_: object) -> Iterator[OnProgress]:
        def progress(done: int, of: int) -> None:
            if title == "speaking" and done and next(calls) == 0:
                os.kill(first.process.pid, signal.SIGKILL)

        yield progress

    made = []
    for workers, show in ((processes(voice), quiet), (partial(_cluster, redis_server.url, voice), killing)):
        out = tmp_path / f"{len(made)}.onnx"
        with small():
            teach(settings_of(text, out, VoiceTeacher([voice], workers)), show)
        made.append((out.read_bytes(), VoiceConfig.read(config_path(out)).made_by))

    assert next(calls) > 0 and first.process.poll() is not None
    assert made[0] == made[1]


def _cluster(url: str, voice: VoiceCard, incoming: Path, _most: int) -> Executor:
    return CeleryExecutor(url, voice, incoming)


@pytest.mark.espeak
@pytest.mark.redis
@pytest.mark.slow
def test_the_command_teaches_over_a_cluster(
    voice: VoiceCard,
    tmp_path: Path,
    redis_server: RedisServer,  # noqa: F811
    start_worker: Callable[..., ClusterWorker],  # noqa: F811
) -> None:
    text, out = tmp_path / "text.txt", tmp_path / "student.onnx"
    text.write_text("\n\n".join(sentence_list("harvard")[:60]), encoding="utf-8")
    other = voice_of(tmp_path / "bo.tones", may_teach=True, speakers={"one": 300})
    start_worker(redis_server.url, "a", seconds=0.0)
    words = ["distil", str(voice.path), str(other.path), "--out", str(out), "--text", str(text), "--cluster"]
    more = ["--steps", "1", "--force", "--threads", "1"]  # two would wait for each other where others use a core

    with small() as patch:
        patch.setattr(run, "TeachSettings", partial(run.TeachSettings, sizes=SMALL))
        patch.setattr("voxmatrix.cli.distil.bundled_folders", tuple)  # whose student has other sizes
        assert main.run([*words, redis_server.url, *more]) == 0

    config = VoiceConfig.read(config_path(out))
    assert config.made_by["teacher"] == "anna + bo" and config.speaker_id_map == {"anna": 0, "bo": 1}


@pytest.mark.parametrize("cluster", [[], ["--cluster", "redis://127.0.0.1:1/0"]])
def test_a_voice_whose_licence_is_not_known_to_allow_it_may_not_teach(
    cluster: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    voice = voice_of(tmp_path / "bo.tones")

    assert main.run(["distil", str(voice.path), "--out", str(tmp_path / "student.onnx"), *cluster]) == 3

    assert "the voice bo may not teach: its licence (unknown)" in capsys.readouterr().err
    assert not (tmp_path / "student.distil").exists()
