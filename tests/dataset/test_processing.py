import os
import shutil
import threading
import time
from pathlib import Path

import pytest
import soundfile

from tests.dataset.broken import speech
from voxmatrix.dataset import processing
from voxmatrix.dataset.cache import Cache
from voxmatrix.dataset.folder import Recording
from voxmatrix.dataset.processing import ProcessedRecording, Processor, run_in_threads
from voxmatrix.dataset.pronunciation import Pronunciation
from voxmatrix.dataset.sound import SoundFacts


def recording(path: Path, text: str = "Some words.") -> Recording:
    return Recording(id=path.stem, path=path, text=text, speaker=None, line=path.name)


@pytest.fixture
def recordings(tmp_path: Path) -> list[Recording]:
    for number in range(5):
        soundfile.write(tmp_path / f"{number}.wav", speech(1.0, 16000, seed=number), 16000)
    return [recording(tmp_path / f"{number}.wav", f"Sentence {number}.") for number in range(5)]


def make(folder: Path, recordings: list[Recording], workers: int = 2) -> tuple[list[ProcessedRecording], int]:
    """What is known of the recordings, and how many of them were worked on."""
    steps: list[tuple[int, int]] = []
    with Cache(folder, soundfacts=SoundFacts, spoken=Pronunciation) as cache:
        made = Processor(cache, 16000, "en-us", "text").process(
            recordings, workers, lambda done, total: steps.append((done, total))
        )
    assert steps[-1] == (len(recordings), len(recordings))
    assert [done for done, _ in steps] == list(range(steps[0][0], len(recordings) + 1))
    return made, len(steps) - 1


def test_a_second_run_makes_nothing(tmp_path: Path, recordings: list[Recording]) -> None:
    first, worked = make(tmp_path / "cache", recordings)
    assert worked == 5
    assert [one.recording.id for one in first] == ["0", "1", "2", "3", "4"]
    assert all(one.sound.samples and one.spoken.phonemes and one.sha256 for one in first)
    assert make(tmp_path / "cache", recordings) == (first, 0)


def test_an_inserted_recording_redoes_nothing_else(tmp_path: Path, recordings: list[Recording]) -> None:
    first, _ = make(tmp_path / "cache", recordings[1:])
    second, worked = make(tmp_path / "cache", recordings)
    assert worked == 1
    assert second[1:] == first


def test_a_changed_file_redoes_one_file(
    tmp_path: Path, recordings: list[Recording], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = make(tmp_path / "cache", recordings)
    soundfile.write(recordings[2].path, speech(1.5, 16000, seed=9), 16000)
    read = _spy(monkeypatch)
    second, worked = make(tmp_path / "cache", recordings)
    assert (worked, read) == (1, [recordings[2].path])
    assert second[2].sound.samples > first[2].sound.samples
    assert [*second[:2], *second[3:]] == [*first[:2], *first[3:]]


def test_a_touched_file_and_a_moved_folder_are_recognised_by_their_content(
    tmp_path: Path, recordings: list[Recording], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = make(tmp_path / "cache", recordings)
    os.utime(recordings[1].path, ns=(1, 1))
    read = _spy(monkeypatch)
    assert make(tmp_path / "cache", recordings) == (first, 1)
    (tmp_path / "moved").mkdir()
    moved = [recording(Path(shutil.copy(one.path, tmp_path / "moved")), one.text) for one in recordings]
    second, worked = make(tmp_path / "cache", moved)
    assert worked == 5
    assert [one.sound_key for one in second] == [one.sound_key for one in first]
    assert read == []


def test_a_changed_text_reads_no_sound(
    tmp_path: Path, recordings: list[Recording], monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path / "cache", recordings)
    read = _spy(monkeypatch)
    made, worked = make(tmp_path / "cache", [recording(recordings[0].path, "Others."), *recordings[1:]])
    assert (worked, read, made[0].spoken.phonemes) == (1, [], "others.")


@pytest.mark.parametrize("damage", [lambda path: path.unlink(), lambda path: path.write_bytes(path.read_bytes()[:-2])])
def test_a_damaged_clip_is_found_and_made_again(tmp_path: Path, recordings: list[Recording], damage: object) -> None:
    first, _ = make(tmp_path / "cache", recordings)
    damage(Cache.clip_path(tmp_path / "cache", first[3].sound_key))  # type: ignore[operator]
    assert make(tmp_path / "cache", recordings) == (first, 1)
    assert make(tmp_path / "cache", recordings) == (first, 0)


def test_the_same_bytes_are_made_once(
    tmp_path: Path, recordings: list[Recording], monkeypatch: pytest.MonkeyPatch
) -> None:
    copies = [recording(Path(shutil.copy(recordings[0].path, tmp_path / f"copy{number}.wav"))) for number in range(8)]
    read = _spy(monkeypatch)
    made, _ = make(tmp_path / "cache", copies, workers=4)
    assert len(read) == 1
    assert len({one.sound_key for one in made}) == 1
    assert all(one.sound.samples for one in made)


def test_a_file_that_changes_while_it_is_read_is_not_remembered(
    tmp_path: Path, recordings: list[Recording], monkeypatch: pytest.MonkeyPatch
) -> None:
    original = processing.make_sound

    def meanwhile(path: Path, *rest: object, **how: object) -> object:
        facts = original(path, *rest, **how)  # type: ignore[arg-type]
        os.utime(path, ns=(5, 5))
        return facts

    monkeypatch.setattr(processing, "make_sound", meanwhile)
    made, _ = make(tmp_path / "cache", recordings[:1])
    assert made[0].sound.fault == "unreadable"
    assert "changed while" in made[0].sound.problem
    monkeypatch.undo()
    assert not make(tmp_path / "cache", recordings[:1])[0][0].sound.fault


def test_a_file_that_vanishes_while_it_is_read_is_said_so(
    tmp_path: Path, recordings: list[Recording], monkeypatch: pytest.MonkeyPatch
) -> None:
    original = processing.make_sound

    def meanwhile(path: Path, *rest: object, **how: object) -> object:
        facts = original(path, *rest, **how)  # type: ignore[arg-type]
        path.unlink()
        return facts

    monkeypatch.setattr(processing, "make_sound", meanwhile)
    assert make(tmp_path / "cache", recordings[:1])[0][0].sound.fault == "unreadable"


def test_a_file_that_is_gone_is_said_so(tmp_path: Path) -> None:
    (one,), _ = make(tmp_path / "cache", [recording(tmp_path / "none.wav")])
    assert (one.sha256, one.sound.fault) == ("", "missing")


def test_an_error_ends_the_work_and_keeps_what_was_made(
    tmp_path: Path, recordings: list[Recording], monkeypatch: pytest.MonkeyPatch
) -> None:
    original = processing.make_sound

    def failing(path: Path, *rest: object, **how: object) -> object:
        if path == recordings[3].path:
            raise RuntimeError("disk on fire")
        return original(path, *rest, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(processing, "make_sound", failing)
    with pytest.raises(RuntimeError, match="on fire"):
        make(tmp_path / "cache", recordings, workers=1)
    monkeypatch.undo()
    assert make(tmp_path / "cache", recordings)[1] < 5


def test_few_items_wait_at_a_time_and_each_is_done_once() -> None:
    taken, done, most = 0, 0, 0
    lock = threading.Lock()

    def items() -> object:
        nonlocal taken
        for number in range(200):
            taken += 1
            yield number

    def work(number: int) -> None:
        nonlocal done, most
        time.sleep(0.0002)
        with lock:
            done += 1
            most = max(most, taken - done)

    assert len(list(run_in_threads(work, items(), 3))) == 200  # type: ignore[arg-type]
    assert done == 200
    assert most <= 3 * 4 + 4


def _spy(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that are decoded from now on."""
    read: list[Path] = []
    original = processing.make_sound

    def spying(path: Path, *rest: object, **how: object) -> object:
        read.append(path)
        return original(path, *rest, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(processing, "make_sound", spying)
    return read
