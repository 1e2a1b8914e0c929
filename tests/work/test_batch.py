"""A batch: what fails is named, all else is written, whoever dies or stops it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.models.gpus import T4, computer
from tests.speak import openings
from tests.speak.saying import say
from voxmatrix.errors import Finding, UsageError
from voxmatrix.models.card import Capabilities, VoiceCard
from voxmatrix.models.device import CPU, FoundGpu, SpeakDevice, Warn, python_warning
from voxmatrix.models.style import Output, Runtime, Style
from voxmatrix.speak.batch.items import Item, read_items
from voxmatrix.speak.batch.messages import Failure, Opening, WorkerStart
from voxmatrix.speak.batch.worker import opened_voice
from voxmatrix.speak.output import Speech
from voxmatrix.voices.resolve import resolve
from voxmatrix.work.batch import BatchOutcome, speak_batch
from voxmatrix.work.local_executor import LocalExecutor
from voxmatrix.work.place import place

needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals that kill")
LINES = ["Good morning.", "The birch canoe slid on the smooth planks. Is that so?", "Good night.", "It is 5 o'clock."]


PLAIN, WRITTEN = Style(), Output()


def items_of(*texts: str) -> list[Item]:
    return [Item(id=f"id {number}", name=f"{number:02}", text=text) for number, text in enumerate(texts)]


def fake_card(voice: Path) -> VoiceCard:
    """Of a file that nobody opens."""
    able = Capabilities()
    return VoiceCard(id="voice", family="piper", files=(voice,), rate_hz=16000, languages=("en-us",), capabilities=able)


def speak(
    items: list[Item],
    folder: Path,
    ending: str,
    voice: VoiceCard,
    style: Style = PLAIN,
    *,
    output: Output = WRITTEN,
    threads: int = 0,
    workers: int = 2,
    devices: Sequence[SpeakDevice] = (CPU,),
    warn: Warn = python_warning,
    opening: Opening = opened_voice,
    on_progress: Any = None,
) -> list[BatchOutcome]:
    """Speak a batch with processes of this computer."""
    runtime = Runtime(threads=threads, reproducible=style.seed is not None)

    def start(incoming: Path, most: int) -> LocalExecutor:
        number = max(1, min(workers, most))
        return LocalExecutor(
            voice, style, incoming, runtime, workers=number, devices=devices, warn=warn, opening=opening
        )

    return speak_batch(items, folder, ending, voice, style, output=output, workers=start, on_progress=on_progress)


@pytest.fixture
def batch(tmp_path: Path) -> Any:
    """Speaks texts that say what happens to them, in two processes, into `out`."""
    voice = tmp_path / "voice.onnx"
    voice.touch()

    def run(*texts: str, ending: str = "wav", **more: Any) -> list[BatchOutcome]:
        output = Output(**{name: more.pop(name) for name in ("force", "bitrate") if name in more})
        more.setdefault("opening", openings.obedient)
        return speak(items_of(*texts), tmp_path / "out", ending, fake_card(voice), output=output, **more)

    return run


def written(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "out").iterdir() if path.suffix != ".mark")


def failures(outcomes: list[BatchOutcome]) -> dict[int, Failure]:
    return {place: one.result for place, one in enumerate(outcomes) if isinstance(one.result, Failure)}


@pytest.mark.parametrize("workers", [1, 2, 20])
def test_one_impossible_text_of_ten_loses_only_itself(batch: Any, tmp_path: Path, workers: int) -> None:
    texts = [f"text {number} " + "x" * number for number in range(10)]
    texts[4] = "impossible " + "x" * 100  # the longest, so the first
    done: list[tuple[int, int]] = []

    outcomes = batch(*texts, workers=workers, on_progress=lambda *now: done.append(now))

    assert written(tmp_path) == [f"{number:02}.wav" for number in range(10) if number != 4]
    assert [outcome.item.id for outcome in outcomes] == [f"id {number}" for number in range(10)]
    (place, failure), *others = failures(outcomes).items()
    assert place == 4 and not others
    assert failure.exit_code == 6 and "memory" in failure.problem and failure.remedy == "divide it"
    assert all((tmp_path / "out" / f"{n:02}.wav").read_text() == texts[n] for n in range(10) if n != 4)
    assert done == sorted(done) and done[-1] == (sum(map(len, texts)),) * 2


@pytest.mark.parametrize(
    ("word", "code", "said"),
    [("greedy", 6, "memory"), ("silent", 3, "nothing to speak"), ("odd", 1, "ZeroDivisionError: division by zero")],
)
def test_what_goes_wrong_has_the_code_of_its_kind(batch: Any, tmp_path: Path, word: str, code: int, said: str) -> None:
    outcomes = batch("one", word, "three")

    assert written(tmp_path) == ["00.wav", "02.wav"]
    assert failures(outcomes)[1].exit_code == code and said in failures(outcomes)[1].problem
    assert failures(outcomes)[1].remedy


@needs_signals
@pytest.mark.parametrize(("word", "code", "said"), [("deadly", 6, "was killed"), ("crash", 1, "SIGSEGV")])
def test_a_text_that_kills_two_workers_is_named_and_the_others_go_on(
    batch: Any, tmp_path: Path, word: str, code: int, said: str
) -> None:
    outcomes = batch("one", word, "three", f"{word} too", *["more"] * 6)

    assert written(tmp_path) == ["00.wav", "02.wav", *(f"{number:02}.wav" for number in range(4, 10))]
    assert sorted(failures(outcomes)) == [1, 3]
    assert failures(outcomes)[1].exit_code == code and said in failures(outcomes)[1].problem


GPU = (SpeakDevice(on=FoundGpu(gpu=T4, machine=computer(T4))),)


def test_one_process_speaks_many_texts_at_once_on_a_gpu(batch: Any, tmp_path: Path) -> None:
    outcomes = batch(*"abcdefgh", workers=1, devices=GPU, opening=openings.together)

    assert all(isinstance(one.result, Speech) for one in outcomes)
    assert len({one.out.read_bytes() for one in outcomes}) == 1  # the number of the process


@needs_signals
def test_a_text_that_kills_a_gpus_process_loses_only_itself(batch: Any, tmp_path: Path) -> None:
    outcomes = batch("fine a", "deadly one", "fine b", "fine c", workers=1, devices=GPU)

    assert [isinstance(one.result, Failure) for one in outcomes] == [False, True, False, False]


@needs_signals
def test_a_worker_that_dies_once_costs_nothing_and_leaves_no_half_file(batch: Any, tmp_path: Path) -> None:
    outcomes = batch("one", "unlucky text", "three", workers=1)

    assert not failures(outcomes)
    assert written(tmp_path) == ["00.wav", "01.wav", "02.wav"]
    assert (tmp_path / "out" / "01.wav").read_text() == "unlucky text"


@pytest.mark.parametrize("word", ["full", "forbidden"])
def test_a_full_disk_ends_the_batch_and_what_was_written_stays_named(batch: Any, tmp_path: Path, word: str) -> None:
    outcomes = batch("one " + "x" * 50, word, "c", "d", workers=1)

    assert written(tmp_path) == ["00.wav"] and isinstance(outcomes[0].result, Speech)
    assert sorted(failures(outcomes)) == [1, 2, 3]
    assert {failure.exit_code for failure in failures(outcomes).values()} == {8}
    assert "not started" in failures(outcomes)[3].problem and "free some space" in failures(outcomes)[3].remedy


@pytest.mark.mount
@pytest.mark.parametrize("ending", ["wav", "mp3"])
def test_a_disk_that_is_really_full_keeps_what_was_written(make_onnx: Any, tmp_path: Path, ending: str) -> None:
    disk, voice = tmp_path / "out", make_onnx("tiny", 1, "text")
    texts = ["Good morning. " * 30] + ["Good night. " * count for count in (29, 28)] + ["Bye."] * 3
    disk.mkdir()
    sizes: list[int] = []

    def spoken(size: int) -> list[BatchOutcome]:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk)], check=True)
        try:
            outcomes = speak(items_of(*texts), disk, ending, resolve(voice), Style(seed=1), workers=1)
            assert all(
                outcome.out and outcome.out.is_file() for outcome in outcomes if isinstance(outcome.result, Speech)
            )
            assert len(written(tmp_path)) == len(texts) - len(failures(outcomes))
            sizes.append(max((path.stat().st_size for path in disk.iterdir()), default=0))
            return outcomes
        finally:
            subprocess.run(["umount", "--lazy", str(disk)], check=True)

    assert not failures(spoken(2**28))

    outcomes = spoken(sizes[0] * 3 // 2)

    assert isinstance(outcomes[0].result, Speech) and 1 in failures(outcomes)
    assert failures(outcomes)[1].exit_code == 8 and "No space left" in failures(outcomes)[1].problem


def test_a_voice_that_cannot_be_opened_is_said_of_every_text(batch: Any) -> None:
    outcomes = batch("one", "two", "three", opening=openings.no_voice)

    assert {(failure.problem, failure.exit_code) for failure in failures(outcomes).values()} == {
        ("the voice has no speaker 'bo'", 3)
    }
    assert len(failures(outcomes)) == 3


@needs_signals
def test_workers_that_die_before_they_begin_do_not_go_on_for_ever(batch: Any) -> None:
    outcomes = batch("one", "two", "three", opening=openings.dies_at_once)

    assert len(failures(outcomes)) == 3 and failures(outcomes)[0].exit_code == 6
    assert "opened the voice was killed" in failures(outcomes)[0].problem


def test_with_memory_for_one_worker_that_one_does_it_all(batch: Any, tmp_path: Path) -> None:
    assert not failures(batch(*["text"] * 8, workers=4, opening=openings.one_only))
    assert len(written(tmp_path)) == 8


def test_the_same_batch_again_speaks_what_is_missing_and_with_force_all(batch: Any, tmp_path: Path) -> None:
    batch("one", "silent", "three")
    (tmp_path / "out" / "00.wav").write_text("mine")

    again = batch("one", "now two", "three")
    assert [outcome.result is None for outcome in again] == [True, False, True]
    assert (tmp_path / "out" / "00.wav").read_text() == "mine"
    forced = batch("one", "now two", "three", force=True)
    assert all(isinstance(outcome.result, Speech) for outcome in forced)
    assert (tmp_path / "out" / "00.wav").read_text() == "one"


def test_a_folder_in_the_place_of_a_file_is_named(batch: Any, tmp_path: Path) -> None:
    (tmp_path / "out" / "01.wav").mkdir(parents=True)

    outcomes = batch("one", "two", force=True)

    assert isinstance(outcomes[0].result, Speech) and failures(outcomes)[1].exit_code == 2


def test_a_text_that_was_not_read_is_named_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_bytes(b"one\n\xff\nthree\n")
    (tmp_path / "voice.onnx").touch()
    voice = fake_card(tmp_path / "voice.onnx")
    outcomes = speak(read_items(tmp_path / "list.txt"), tmp_path / "out", "wav", voice, opening=openings.obedient)

    assert written(tmp_path) == ["0001.wav", "0003.wav"]
    assert failures(outcomes)[1].exit_code == 3 and "UTF-8" in failures(outcomes)[1].problem


def test_ctrl_c_while_a_finished_file_is_given_its_place_is_too_late_for_it(
    batch: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*given: Any) -> None:
        monkeypatch.setattr("voxmatrix.work.batch.place", place)
        place(*given)
        raise KeyboardInterrupt

    monkeypatch.setattr("voxmatrix.work.batch.place", interrupted)

    outcomes = batch("one", workers=1)

    assert not failures(outcomes) and written(tmp_path) == ["00.wav"]


@needs_signals
def test_what_a_worker_finishes_while_it_is_stopped_is_kept(batch: Any, tmp_path: Path) -> None:
    def interrupted(*_: int) -> None:
        raise KeyboardInterrupt

    outcomes = batch("one", "two", workers=1, opening=openings.finished_when_stopped, on_progress=interrupted)

    assert list(failures(outcomes)) == [1] and failures(outcomes)[1].exit_code == 130
    assert written(tmp_path) == ["00.wav"]


def test_devices_are_given_round_robin_and_cpus_are_shared(batch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[tuple[str, int]] = []

    class Idle:
        running = ()

        def start(self, start: WorkerStart) -> None:
            begun.append((str(start.device), start.runtime.threads))

        def ready(self, timeout_seconds: float) -> None:
            raise KeyboardInterrupt

        def last_messages(self) -> tuple[()]:
            return ()

        def stop(self) -> None:
            pass

    def started(*texts: str, **more: Any) -> list[tuple[str, int]]:
        begun.clear()
        assert len(failures(batch(*texts, **more))) == len(texts)
        return begun

    monkeypatch.setattr("voxmatrix.work.local_executor.WorkerProcesses", Idle)
    monkeypatch.setattr("voxmatrix.work.local_executor.cpus", lambda: 8)

    cpu, gpu = str(CPU), SpeakDevice(on=FoundGpu(gpu=T4, machine=computer(T4)))
    assert started(*"abcde", workers=3, devices=(CPU, gpu)) == [(cpu, 2), (str(gpu), 2), (cpu, 2)]
    assert started("only one", workers=3, threads=5) == [(cpu, 5)]
    assert started("one", "two", workers=30) == [(cpu, 4)] * 2


def test_a_sentence_that_real_networks_have_no_memory_for_costs_its_own_file_only(tmp_path: Path) -> None:
    texts = [f"Good morning, number {number}." for number in range(10)]
    texts[6] = f"This one {'goes on and ' * 40}on."

    opening = openings.with_memory_for_200_symbols
    outcomes = speak(items_of(*texts), tmp_path / "out", "wav", resolve(), opening=opening)

    assert written(tmp_path) == [f"{number:02}.wav" for number in range(10) if number != 6]
    (failure,) = failures(outcomes).values()
    assert outcomes[6].result == failure and failure.exit_code == 6
    assert "symbols" in failure.problem and failure.remedy


def test_a_device_that_fails_in_many_workers_is_told_once(batch: Any) -> None:
    told: list[Finding] = []

    outcomes = batch(*["text"] * 6, workers=3, opening=openings.on_a_failing_gpu, warn=told.append)

    assert not failures(outcomes)
    assert [finding.problem for finding in told] == [f"{CPU} failed, falling back to the CPU"]


@pytest.mark.parametrize(
    ("more", "said"),
    [({"ending": "doc"}, "mp3"), ({"ending": ""}, "mp3"), ({"ending": "mp3", "bitrate": "many"}, "bit rate")],
)
def test_a_format_that_cannot_be_is_refused_before_anything_is_spoken(batch: Any, more: Any, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        batch("one", **more)

    assert said in str(caught.value)


def test_a_file_is_no_folder(batch: Any, tmp_path: Path) -> None:
    (tmp_path / "out").touch()
    with pytest.raises(UsageError, match="is a file"):
        batch("one")


def test_equal_texts_are_spoken_once_and_written_twice(batch: Any, tmp_path: Path) -> None:
    done: list[tuple[int, int]] = []

    outcomes = batch("same", "other", "same", on_progress=lambda *now: done.append(now))

    assert not failures(outcomes) and written(tmp_path) == ["00.wav", "01.wav", "02.wav"]
    assert (tmp_path / "out" / "00.wav").read_text() == (tmp_path / "out" / "02.wav").read_text() == "same"
    assert done[-1] == (13, 13)


def test_the_speaker_that_was_asked_for_is_stronger_than_that_of_the_text(make_onnx: Any, tmp_path: Path) -> None:
    voice = resolve(make_onnx("tiny", 3, "text"))
    items = [Item(id="who", name="who", text="Hi there.", speaker="bo")]

    def spoken(name: str, style: Style) -> bytes:
        (outcome,) = speak(items, tmp_path / name, "wav", voice, style)
        assert outcome.out
        return outcome.out.read_bytes()

    of_text, asked_for = spoken("text", Style(seed=1)), spoken("asked", Style(seed=1, speaker="anna"))
    say(tmp_path / "bo.wav", "Hi there.", voice.path, seed=1, speaker="bo")
    say(tmp_path / "anna.wav", "Hi there.", voice.path, seed=1, speaker="anna")
    assert of_text == (tmp_path / "bo.wav").read_bytes() != asked_for == (tmp_path / "anna.wav").read_bytes()


@pytest.mark.parametrize("kind", ["onnx", "checkpoint"])
def test_the_same_seed_gives_the_same_files_with_any_number_of_workers(
    make_onnx: Any, make_checkpoint: Any, tmp_path: Path, kind: str
) -> None:
    voice = (make_onnx if kind == "onnx" else make_checkpoint)("tiny", 1, "text")

    def spoken(name: str, workers: int) -> list[bytes]:
        outcomes = speak(items_of(*LINES), tmp_path / name, "wav", resolve(voice), Style(seed=5), workers=workers)
        assert not failures(outcomes)
        return [outcome.out.read_bytes() for outcome in outcomes if outcome.out]

    one, two = spoken("one", 1), spoken("two", 2)
    assert one == two and len(set(one)) == len(LINES)
    out = tmp_path / "alone.wav"
    say(out, LINES[2], voice, seed=5)
    assert out.read_bytes() == one[2]


def test_a_real_voice_names_what_it_cannot_say(make_onnx: Any, tmp_path: Path) -> None:
    voice = make_onnx("tiny", 3, "text")
    items = [*items_of("Good morning.", "🙂🙂", "Good night."), Item(id="who", name="who", text="Hi.", speaker="dora")]

    outcomes = speak(items, tmp_path / "out", "mp3", resolve(voice))

    assert written(tmp_path) == ["00.mp3", "02.mp3"]
    assert "nothing to speak" in failures(outcomes)[1].problem and "no speaker 'dora'" in failures(outcomes)[3].problem


def test_a_damaged_voice_is_said_once_for_all(make_onnx: Any, tmp_path: Path) -> None:
    whole = make_onnx("tiny", 1, "text")
    (tmp_path / "voice.onnx").write_bytes(whole.read_bytes()[:10_000])
    (tmp_path / "voice.onnx.json").write_bytes(Path(f"{whole}.json").read_bytes())

    outcomes = speak(items_of(*LINES), tmp_path / "out", "wav", resolve(tmp_path / "voice.onnx"))

    assert {failure.exit_code for failure in failures(outcomes).values()} == {9} and len(failures(outcomes)) == 4


PROGRAM = """
import signal
import sys
from pathlib import Path
from voxmatrix.speak.batch.items import Item
from voxmatrix.speak.batch.messages import Failure
from tests.speak import openings
from tests.work.test_batch import fake_card, speak
if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as voxmatrix_entrypoint does
    folder, texts = Path(sys.argv[1]), sys.argv[2:]
    items = [Item(id=str(n), name=f"{n:02}", text=text) for n, text in enumerate(texts)]
    outcomes = speak(items, folder / "out", "wav", fake_card(folder / "voice.onnx"), opening=openings.obedient)
    print([one.result.exit_code if isinstance(one.result, Failure) else 0 for one in outcomes])
"""


def wait_for_the_end_of(group: int) -> None:
    """Until no process of it is left."""
    while True:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return


@needs_signals
def test_asked_to_stop_it_leaves_whole_files_only_and_no_process(tmp_path: Path, batch: Any) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(tmp_path), "endless " + "x" * 9, "one", "two"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    out = tmp_path / "out"
    while not all((out / name).exists() for name in ("01.wav", "02.wav")):
        assert process.poll() is None, process.communicate()
    time.sleep(0.5)  # the endless text is the longest, and so was begun first
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does

    said, errors = process.communicate(timeout=60)

    assert (said.strip(), errors) == ("[130, 0, 0]", "")
    assert written(tmp_path) == ["01.wav", "02.wav"]
    wait_for_the_end_of(process.pid)
    outcomes = batch("now it ends", "one", "two")
    assert isinstance(outcomes[0].result, Speech) and outcomes[1].result is None is outcomes[2].result


@needs_signals
def test_workers_end_when_the_process_that_started_them_is_killed(tmp_path: Path, batch: Any) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(tmp_path), "endless", "unlucky"],
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},  # nobody is left to clean it
    )
    while not (tmp_path / "out" / "01.wav").exists():  # its worker has been told that there is no more
        assert process.poll() is None
    process.kill()
    process.wait()
    os.killpg(process.pid, signal.SIGTERM)  # who sleeps ends now, whole
    wait_for_the_end_of(process.pid)
    assert written(tmp_path) == ["01.wav"]
