"""A child on a device: it has the device by a name that cannot slip, it ends in time, and how it ended is said."""

import os
import sys
from pathlib import Path

import pytest

from voxmatrix.compute.child import json_objects, place, run_child, send_json
from voxmatrix.machine.facts import Gpu


def test_a_cuda_gpu_is_the_only_one_of_its_child_whatever_its_number() -> None:
    where = place(Gpu(index=3, kind="cuda", uuid="GPU-aaaa"))
    assert (where.device, where.environment["CUDA_VISIBLE_DEVICES"]) == ("cuda:0", "GPU-aaaa")


@pytest.mark.parametrize(
    ("gpu", "device"),
    [(Gpu(index=2, kind="cuda"), "cuda:2"), (Gpu(index=1, kind="directml", uuid="x"), "directml:1"), (None, "cpu")],
)
def test_others_keep_their_number(gpu: Gpu | None, device: str) -> None:
    assert place(gpu).device == device


def test_the_child_imports_this_app_and_nothing_of_the_folder_where_a_person_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit(5)")
    monkeypatch.chdir(tmp_path)
    ended = run_child(["-c", "import json, voxmatrix; print(voxmatrix.__file__)"], place(None).environment, 60)
    assert (ended.code, ended.failure) == (0, "")
    assert Path(ended.stdout.strip()) == Path(__file__).parents[2] / "app" / "voxmatrix" / "__init__.py"


def test_a_child_that_hangs_is_stopped_and_what_it_said_before_is_kept() -> None:
    ended = run_child(["-c", "import time; print('{}', flush=True); time.sleep(600)"], place(None).environment, 3)
    assert (ended.code, ended.stdout) == (None, "{}\n")
    assert ended.failure == "it did not finish within 3 s and was stopped"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals")
def test_a_child_that_dies_is_named_with_its_signal() -> None:
    ended = run_child(["-c", "import os; os.abort()"], place(None).environment, 60)
    assert (ended.code, ended.failure) == (-6, "its process was terminated by SIGABRT")


def test_the_last_line_of_its_complaint_is_kept_and_not_without_end() -> None:
    ended = run_child(["-c", "raise SystemExit('first\\n' + 'ö' * 5000)"], place(None).environment, 60)
    assert ended.failure == "its process exited with code 1: " + "ö" * 300


def test_a_line_is_one_json_object(capsys: pytest.CaptureFixture[str]) -> None:
    send_json({"started": "matmul\nand more", "count": 2})
    said = capsys.readouterr().out
    assert said.count("\n") == 1
    assert list(json_objects(said)) == [{"started": "matmul\nand more", "count": 2}]


def test_only_objects_are_read() -> None:
    said = '[W1] hello\n{"a": 1}\n[2]\n3\nnull\n{"cut": \n' + "[" * 100_000 + '\n{"b": NaN}'
    assert [list(row) for row in json_objects(said)] == [["a"], ["b"]]


def test_lines_are_told_as_they_come_and_whole() -> None:
    told: list[str] = []
    words = "import time\nprint('o', end='', flush=True); time.sleep(1); print('ne\\ntwo\\nthr', end='')"
    ended = run_child(["-c", words], place(None).environment, 60, on_line=told.append)
    assert told == ["one", "two"]
    assert ended.stdout == "one\ntwo\nthr"


def test_a_child_that_says_nothing_is_stopped_and_one_that_talks_is_not() -> None:
    silent = run_child(["-c", "import time; time.sleep(600)"], place(None).environment, 60, silence_seconds=2)
    assert (silent.code, silent.failure) == (None, "it printed nothing for 2 s and was stopped")
    talks = "import time\nfor _ in range(8): print(1, flush=True); time.sleep(0.5)"
    assert run_child(["-c", talks], place(None).environment, 60, silence_seconds=3).failure == ""


def test_ctrl_c_ends_the_child(tmp_path: Path) -> None:
    def interrupt(line: str) -> None:
        raise KeyboardInterrupt

    pid = tmp_path / "pid"
    words = f"""
import os, pathlib, time
pathlib.Path({str(pid)!r}).write_text(str(os.getpid()))
print(1, flush=True)
time.sleep(600)
"""
    with pytest.raises(KeyboardInterrupt):
        run_child(["-c", words], place(None).environment, 60, on_line=interrupt)
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)
