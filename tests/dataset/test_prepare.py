import contextlib
import dataclasses
import errno
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.dataset.broken import SENTENCES, build, sound
from voxmatrix.dataset.cache import INDEX_NAME
from voxmatrix.dataset.prepare import prepare
from voxmatrix.dataset.prepared import PrepareSettings, TooFewRecordingsError
from voxmatrix.errors import BadInputError, UnreachableError
from voxmatrix.text.phonemes.phonemizer import TextPhonemizer
from voxmatrix.text.symbols import default_map


def settings(tmp_path: Path, **changes: object) -> PrepareSettings:
    same = PrepareSettings(
        quality="tiny", language="en-us", phoneme_type="text", cache=tmp_path / "cache", workers=2, max_seconds=20.0
    )
    return dataclasses.replace(same, **changes)  # type: ignore[arg-type]


def good(root: Path, count: int = 4, speakers: tuple[str, ...] = ()) -> Path:
    """A folder of good recordings."""
    (root / "wavs").mkdir(parents=True)
    lines = []
    for number, text in enumerate(SENTENCES[:count]):
        sound(text=text)(root / "wavs" / f"{number}.wav")
        lines.append("|".join([f"{number}", *([speakers[number % len(speakers)]] if speakers else []), text]))
    (root / "metadata.csv").write_text("\n".join(lines))
    return root


def test_good_recordings_become_clips_in_the_order_of_their_ids(tmp_path: Path) -> None:
    prepared = prepare(good(tmp_path / "data"), settings(tmp_path))
    assert [clip.id for clip in prepared.clips] == ["0", "1", "2", "3"]
    assert prepared.problems == ()
    assert (prepared.rate_hz, prepared.speakers, prepared.quality) == (16000, (), "tiny")
    for clip in prepared.clips:
        stored = np.load(clip.path)
        assert (stored.dtype, stored.shape) == (np.int16, (clip.samples,))
        assert clip.ids[0] == 1
        assert clip.ids[-1] == 2
        assert clip.speaker is None
    assert prepared.seconds == sum(clip.samples for clip in prepared.clips) / 16000


def test_several_speakers_are_named_and_a_single_one_is_none(tmp_path: Path) -> None:
    prepared = prepare(good(tmp_path / "two", speakers=("bob", "anna")), settings(tmp_path))
    assert prepared.speakers == ("anna", "bob")
    assert [clip.speaker for clip in prepared.clips] == ["bob", "anna", "bob", "anna"]
    alone = prepare(good(tmp_path / "one", speakers=("anna",)), settings(tmp_path))
    assert alone.speakers == ()
    assert {clip.speaker for clip in alone.clips} == {None}


def test_every_kind_of_broken_recording_is_named_or_used(tmp_path: Path) -> None:
    expected = build(tmp_path / "data")
    prepared = prepare(tmp_path / "data", settings(tmp_path, quality="medium"))
    used = {clip.id for clip in prepared.clips}
    for name, wanted in expected.items():
        errors = {problem.kind for problem in prepared.problems if problem.id == name and problem.severity == "error"}
        warnings = {problem.kind for problem in prepared.problems if problem.id == name} - errors
        if wanted == "used":
            assert (name, name in used, errors) == (name, True, set())
        elif wanted.startswith("warning:"):
            assert (name, name in used, errors, warnings) == (name, True, set(), {wanted.partition(":")[2]})
        else:
            assert (name, errors) == (name, {wanted})
    assert len(expected) >= 70
    assert {problem.id for problem in prepared.problems} <= expected.keys()
    for problem in prepared.problems:
        assert problem.place
        assert problem.problem
        assert problem.remedy


def test_too_few_recordings_end_with_exit_code_3_and_everything_that_was_found(tmp_path: Path) -> None:
    data = good(tmp_path / "data", count=3)
    for name in ("0", "2"):
        (data / "wavs" / f"{name}.wav").unlink()
    with pytest.raises(TooFewRecordingsError, match=r"1 of the recordings .*\(2 missing\)") as caught:
        prepare(data, settings(tmp_path))
    assert caught.value.exit_code == 3
    assert isinstance(caught.value, BadInputError)
    assert [problem.id for problem in caught.value.prepared.problems] == ["0", "2"]
    assert [clip.id for clip in caught.value.prepared.clips] == ["1"]


def test_a_metadata_without_any_recording_is_too_few(tmp_path: Path) -> None:
    (tmp_path / "metadata.csv").touch()
    with pytest.raises(TooFewRecordingsError, match="there are no more"):
        prepare(tmp_path, settings(tmp_path))


def _lower_letters(_: TextPhonemizer, sentences: list[str]) -> list[list[str]]:
    return [[letter for letter in sentence if letter.islower()] for sentence in sentences]


def test_the_digest_changes_with_what_is_learned_from_and_with_nothing_else(tmp_path: Path) -> None:
    data = good(tmp_path / "data")
    first = prepare(data, settings(tmp_path)).digest
    os.utime(data / "wavs" / "0.wav", ns=(1, 1))
    assert prepare(data, settings(tmp_path, workers=1)).digest == first
    assert prepare(data, settings(tmp_path, cache=tmp_path / "other")).digest == first
    with pytest.MonkeyPatch.context() as patched:  # a new version that reads the texts in another way
        patched.setattr(TextPhonemizer, "phonemes", _lower_letters)
        assert prepare(data, settings(tmp_path, workers=1, cache=tmp_path / "new")).digest == first
    assert prepare(data, settings(tmp_path, quality="medium")).digest != first
    sound(seed=5, text=SENTENCES[0])(data / "wavs" / "0.wav")
    second = prepare(data, settings(tmp_path)).digest
    (data / "metadata.csv").write_text((data / "metadata.csv").read_text().replace("Glue", "Flue"))
    assert len({first, second, prepare(data, settings(tmp_path)).digest}) == 3


def test_letters_that_no_table_knows_get_a_place_in_a_voice_without_espeak(tmp_path: Path) -> None:
    data = good(tmp_path / "data")
    text = "Быстрая лиса прыгает через собаку."
    sound(text=text)(data / "wavs" / "ru.wav")
    with (data / "metadata.csv").open("a", encoding="utf-8") as file:
        file.write(f"\nru|{text}")
    prepared = prepare(data, settings(tmp_path, language="ru"))
    assert prepared.problems == ()
    assert prepared.id_map["б"]


def test_problems_stand_errors_first_in_the_order_of_the_lines(tmp_path: Path) -> None:
    data = good(tmp_path / "data", count=12)
    for name in ("10", "2"):
        (data / "wavs" / f"{name}.wav").unlink()
    sound(rate_hz=8000, text=SENTENCES[0])(data / "wavs" / "0.wav")
    found = prepare(data, settings(tmp_path)).problems
    assert [(problem.severity, problem.id) for problem in found] == [("error", "2"), ("error", "10"), ("warning", "0")]


def test_the_tables_of_the_index_keep_their_names_so_that_older_caches_are_read(tmp_path: Path) -> None:
    prepare(good(tmp_path / "data"), settings(tmp_path))
    with contextlib.closing(sqlite3.connect(tmp_path / "cache" / INDEX_NAME)) as index:
        tables = {name for (name,) in index.execute("select name from sqlite_master where type = 'table'")}
    assert {"files", "soundfacts_75fabd5e", "spoken_916606d5"} < tables


@pytest.mark.parametrize("damage", [b"", b"rubbish" * 999])
def test_a_damaged_index_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    data = good(tmp_path / "data")
    first = prepare(data, settings(tmp_path))
    (tmp_path / "cache" / INDEX_NAME).write_bytes(damage)
    assert prepare(data, settings(tmp_path)) == first


def test_an_index_that_is_damaged_inside_is_made_anew(tmp_path: Path) -> None:
    data = good(tmp_path / "data", count=12)
    first = prepare(data, settings(tmp_path))
    index = tmp_path / "cache" / INDEX_NAME
    whole = index.read_bytes()
    index.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    assert prepare(data, settings(tmp_path)) == first


def test_a_full_disk_is_exit_code_8_and_the_next_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = good(tmp_path / "data")
    written = []

    def fsync(file: int) -> None:
        written.append(file)
        if len(written) > 2:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("voxmatrix.files.os.fsync", fsync)
    with pytest.raises(UnreachableError, match="No space left") as caught:
        prepare(data, settings(tmp_path))
    assert caught.value.exit_code == 8
    monkeypatch.undo()
    assert not list((tmp_path / "cache").rglob("*.part"))
    assert len(prepare(data, settings(tmp_path)).clips) == 4


def test_preparing_is_killed_at_any_moment_and_goes_on(tmp_path: Path) -> None:
    data = good(tmp_path / "data", count=12)
    whole = prepare(data, settings(tmp_path, cache=tmp_path / "whole"))
    program = (
        "import sys; from pathlib import Path\n"
        "from voxmatrix.dataset.prepare import prepare\nfrom voxmatrix.dataset.prepared import PrepareSettings\n"
        "prepare(Path(sys.argv[1]), PrepareSettings(quality='tiny', language='en-us', phoneme_type='text',"
        " cache=Path(sys.argv[2]), workers=2), lambda done, total: print(done, flush=True))\n"
    )
    for killed_at in ("0", "3", "7", "11"):
        with subprocess.Popen(
            [sys.executable, "-c", program, str(data), str(tmp_path / "cache")], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout
            for line in process.stdout:
                if int(line) >= int(killed_at):
                    break
            process.send_signal(signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
    after = prepare(data, settings(tmp_path))
    assert after.digest == whole.digest
    for ours, theirs in zip(after.clips, whole.clips, strict=True):
        assert np.array_equal(np.load(ours.path), np.load(theirs.path))


def test_two_programs_prepare_the_same_folder_at_a_time(tmp_path: Path) -> None:
    data = good(tmp_path / "data", count=12)
    program = (
        "import sys; from pathlib import Path\n"
        "from voxmatrix.dataset.prepare import prepare\nfrom voxmatrix.dataset.prepared import PrepareSettings\n"
        "print(prepare(Path(sys.argv[1]), PrepareSettings(quality='tiny', language='en-us', phoneme_type='text',"
        " cache=Path(sys.argv[2]), workers=2)).digest)\n"
    )
    command = [sys.executable, "-c", program, str(data), str(tmp_path / "cache")]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    digests = {process.communicate()[0].strip() for process in both}
    assert [process.returncode for process in both] == [0, 0]
    assert digests == {prepare(data, settings(tmp_path)).digest}


@pytest.mark.espeak
def test_with_espeak_ids_are_of_phonemes(tmp_path: Path) -> None:
    prepared = prepare(good(tmp_path / "data"), settings(tmp_path, phoneme_type="espeak"))
    assert prepared.id_map == default_map("espeak")
    assert default_map("espeak")["ʃ"][0] in prepared.clips[1].ids  # Glue the sheet …


@pytest.mark.espeak
def test_with_espeak_every_kind_of_broken_recording_is_named_or_used(tmp_path: Path) -> None:
    expected = build(tmp_path / "data")
    prepared = prepare(tmp_path / "data", settings(tmp_path, quality="medium", phoneme_type="espeak"))
    left_out = {problem.id for problem in prepared.problems if problem.severity == "error"}
    assert left_out == {name for name, wanted in expected.items() if wanted != "used" and ":" not in wanted}
