"""A training from end to end, with a voice small enough for it."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.train.conftest import Fit
from tests.train.runs import assert_bit_equal, content, rows
from tests.train.synthetic import prepared_set
from voxmatrix.errors import MemoryExhaustedError, UnreachableError
from voxmatrix.machine.detect import detect
from voxmatrix.train import fit as fit_module
from voxmatrix.train.checkpoint import files as checkpoint_files
from voxmatrix.train.step import stepper


def test_a_training_leaves_all_that_the_next_command_needs(run: Fit) -> None:
    result = run(max_steps=12, log_every=4, validate_every=6, checkpoint_every=5)

    there = {path.name for path in result.out.iterdir() if not path.name.startswith(".")}
    steps = {checkpoint_files.step_name(5), checkpoint_files.step_name(10)}
    assert there == {
        "last.ckpt",
        "best.ckpt",
        "voice.json",
        "run.json",
        "metrics.csv",
        "telemetry.jsonl",
        "tensorboard",
        "samples",
        *steps,
    }
    assert {path.name for path in (result.out / "samples").iterdir()} == {
        f"step-{step:09}.{kind}" for step in (6, 10, 12) for kind in ("wav", "png")
    }
    assert [row["step"] for row in rows(result.out)] == ["4", "6", "8", "10", "12", "12"]
    config = json.loads((result.out / "voice.json").read_text())
    assert (config["audio"]["sample_rate"], config["num_symbols"], config["num_speakers"]) == (16000, 256, 1)
    assert content(result.last)["voxmatrix"]["card"] == config
    assert result.steps == 12
    assert result.losses["mel"] > 0


def test_a_run_that_is_stopped_and_goes_on_ends_bit_equal_to_one_that_never_stopped(run: Fit, tmp_path: Path) -> None:
    whole = run(out=tmp_path / "whole", max_steps=11)
    for steps in (2, 5, 6, 11):
        parts = run(out=tmp_path / "parts", max_steps=steps)
    assert_bit_equal(parts.last, whole.last)
    assert content(parts.last)["voxmatrix"]["progress"]["step"] == 11


def test_workers_do_not_change_what_is_learned(run: Fit, tmp_path: Path) -> None:
    alone = run(out=tmp_path / "alone", max_steps=5)
    helped = run(out=tmp_path / "helped", max_steps=5, workers=2)
    assert_bit_equal(alone.last, helped.last)


def test_what_may_change_at_a_resume_does_not_change_what_is_learned(run: Fit, tmp_path: Path) -> None:
    whole = run(out=tmp_path / "whole", max_steps=6)
    run(out=tmp_path / "parts", max_steps=3, validate_every=1, checkpoint_every=1, log_every=1, keep=1)
    parts = run(out=tmp_path / "parts", max_steps=6, batch_size="auto", accumulation="auto")
    assert_bit_equal(parts.last, whole.last)


def test_a_disk_that_fills_up_during_training_leaves_the_last_good_checkpoint(
    run: Fit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    whole = run(out=tmp_path / "whole", max_steps=6)
    real = checkpoint_files.write

    def full_at_step_4(path: Path, to_write: Any) -> None:
        if to_write["global_step"] == 4:
            raise UnreachableError(f"cannot write {path}: No space left on device", "free some space there")
        real(path, to_write)

    with monkeypatch.context() as patched, pytest.raises(UnreachableError, match="No space left"):
        patched.setattr(checkpoint_files, "write", full_at_step_4)
        run(max_steps=6, checkpoint_every=2)
    assert content(tmp_path / "run" / "last.ckpt")["global_step"] == 2
    assert_bit_equal(run(max_steps=6, checkpoint_every=2).last, whole.last)


def test_memory_that_runs_out_beside_the_passes_is_said_with_what_is_kept(
    run: Fit, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(max_steps=2)

    def too_much(*_: Any, **__: Any) -> None:
        raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB")

    monkeypatch.setattr(stepper, "update", too_much)
    with pytest.raises(MemoryExhaustedError, match=r"step 3.*20 MiB were requested.*last\.ckpt has") as caught:
        run(max_steps=4)
    assert "`quality`" in caught.value.remedy
    assert "`device=cpu`" not in caught.value.remedy  # it is the CPU that is short of memory


def test_memory_that_runs_out_while_a_run_is_opened_has_the_same_exit_code(
    run: Fit, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_much(*_: Any, **__: Any) -> None:
        raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB")

    for name in ("open_run", "make_loop"):
        with monkeypatch.context() as full, pytest.raises(MemoryExhaustedError, match=r"to begin.*20 MiB were"):
            full.setattr(fit_module, name, too_much)
            run(max_steps=2)
    assert run(max_steps=2).steps == 2


def test_several_speakers_and_bfloat16_train(run: Fit, tmp_path: Path) -> None:
    several = prepared_set(tmp_path / "several", speakers=("ann", "bob", "cyd"))
    result = run(prepared=several, max_steps=2, precision="bf16")
    assert content(result.last)["state_dict"]["model_g.emb_g.weight"].size(0) == 3
    assert json.loads((result.out / "voice.json").read_text())["speaker_id_map"] == {"ann": 0, "bob": 1, "cyd": 2}


@pytest.mark.gpu
def test_a_gpu_trains_in_every_precision(run: Fit, tmp_path: Path) -> None:
    for precision in ("32", "bf16", "16"):
        result = run(
            out=tmp_path / precision, device="cuda:0", precision=precision, max_steps=12, machine=detect().machine
        )
        assert result.losses["mel"] > 0
