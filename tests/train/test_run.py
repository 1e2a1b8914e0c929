"""How a run is opened: anew, again, or not at all."""

import json
from dataclasses import replace

import pytest

from tests.train.asking import HERE
from tests.train.conftest import Fit
from tests.train.runs import Notes, content
from voxmatrix.dataset.prepared import PreparedSet
from voxmatrix.errors import BadInputError, MemoryExhaustedError, NoDeviceError, UsageError
from voxmatrix.train.checkpoint import files as checkpoint_files


def test_a_resumed_run_says_from_where(run: Fit) -> None:
    notes = Notes()
    run(max_steps=2)
    run(max_steps=3, progress=notes)
    assert notes.starts[0].came_from == "resuming from last.ckpt, step 2"
    assert notes.starts[0].step == 2


def test_other_settings_are_refused_and_the_run_is_left_alone(run: Fit) -> None:
    last = run(max_steps=2).last
    before = last.read_bytes()
    with pytest.raises(UsageError, match="batch_size was 4, is 3"):
        run(max_steps=4, batch_size=3)
    assert last.read_bytes() == before


def test_other_recordings_are_refused(run: Fit, prepared: PreparedSet) -> None:
    run(max_steps=2)
    with pytest.raises(UsageError, match="the recordings"):
        run(max_steps=4, prepared=replace(prepared, digest="one more"))


def test_a_run_of_an_earlier_version_is_resumed_although_it_recorded_the_data_in_another_way(run: Fit) -> None:
    out = run(max_steps=2).out
    recorded = json.loads((out / "run.json").read_text())
    recorded["recipe"]["recordings"] = recorded["recipe"].pop("data")
    (out / "run.json").write_text(json.dumps(recorded))
    assert run(max_steps=3).steps == 3


def test_fresh_moves_the_old_run_aside_and_begins_anew(run: Fit) -> None:
    first = run(max_steps=3)
    old = first.last.read_bytes()
    second = run(max_steps=2, batch_size=3, fresh=True)
    assert second.steps == 2
    assert (second.out / "previous-1" / "last.ckpt").read_bytes() == old
    run(max_steps=1, fresh=True)
    assert (second.out / "previous-2" / "last.ckpt").is_file()


def test_fresh_in_an_empty_folder_moves_nothing(run: Fit) -> None:
    assert not list(run(max_steps=1, fresh=True).out.glob("previous-*"))


def test_an_empty_set_is_bad_input(run: Fit, prepared: PreparedSet) -> None:
    with pytest.raises(BadInputError, match="no recordings"):
        run(prepared=replace(prepared, clips=()))


def test_memory_that_cannot_suffice_ends_the_training_before_the_kernel_does(run: Fit) -> None:
    with pytest.raises(MemoryExhaustedError, match="only 200 MiB") as refused:
        run(machine=replace(HERE, memory_mib=200, available_mib=150))
    assert refused.value.exit_code == 6
    assert "`quality`" in refused.value.remedy


def test_a_device_that_is_not_there_is_said(run: Fit) -> None:
    with pytest.raises(NoDeviceError, match="cuda:99"):
        run(device="cuda:99")


@pytest.mark.parametrize(("device", "precision"), [("gpu0", "32"), ("cuda:x", "32"), ("cpu", "16")])
def test_a_device_or_precision_that_makes_no_sense_is_usage(run: Fit, device: str, precision: str) -> None:
    with pytest.raises(UsageError):
        run(device=device, precision=precision)


def test_a_run_killed_before_its_last_file_was_written_has_it_after_a_resume(run: Fit) -> None:
    done = run(max_steps=4, checkpoint_every=2)
    behind = done.out / "step-000000002.ckpt"
    checkpoint_files.same_file(behind, done.last)  # the best of step 4 is there, the last is that of step 2
    behind.unlink()

    again = run(max_steps=4, checkpoint_every=2)

    assert again.steps == 4
    assert content(again.last)["global_step"] == 4
