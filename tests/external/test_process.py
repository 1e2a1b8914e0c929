"""Whatever an engine does, the host says what is wrong and what to do, and nothing is left running."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.toys.engines import install_engine, install_weights
from voxmatrix.audio.waves import Samples
from voxmatrix.config import home
from voxmatrix.errors import (
    BadInputError,
    DamagedFileError,
    MemoryExhaustedError,
    MissingProgramError,
    VoxmatrixError,
)
from voxmatrix.external.installed import find_engine
from voxmatrix.external.process import EngineProcess, EngineStart, Limits, Recording
from voxmatrix.landlock import landlock_version

QUICK = Limits(start=5, open=5, silence=1.5, cancel=0.5)


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    before = children()
    yield
    until = time.monotonic() + 5
    while (left := children() - before) and time.monotonic() < until:
        time.sleep(0.05)
    assert not left


def children() -> set[psutil.Process]:
    return set(psutil.Process().children(recursive=True))


def start(name: str = "toy", limits: Limits = QUICK, **weights: str) -> EngineProcess:
    engine = find_engine(name)
    how = EngineStart(
        folder=engine.folder, weights=tuple(weights.items()), gpu=None, dtype="float32", attention="sdpa", threads=1
    )
    return EngineProcess(engine, how, limits)


def speak(
    engine: EngineProcess,
    text: str,
    seed: int = 1,
    recordings: tuple[Recording, ...] = (),
    cancelled: Callable[[], bool] = lambda: False,
    on_audio: Callable[[Samples], None] = lambda samples: None,
    speed: float = 1.0,
) -> Samples:
    parts: list[Samples] = [np.zeros(0, np.float32)]

    def add(samples: Samples) -> None:
        parts.append(samples)
        on_audio(samples)

    knobs = {"pitch": 1.0, "steps": 2}
    request = {"text": text, "language": "en-us", "speed": speed, "seed": seed, "knobs": knobs}
    engine.speak(request, recordings, add, cancelled, 60.0)
    return np.concatenate(parts)


def test_it_speaks_in_another_environment_and_repeats_itself_with_a_seed() -> None:
    install_engine()
    frames: list[int] = []
    with start() as engine:
        first = speak(engine, "Hello there world.", on_audio=lambda samples: frames.append(len(samples)))
        again, other = speak(engine, "Hello there world."), speak(engine, "Hello there world.", seed=2)
        faster = speak(engine, "Hello there world.", speed=2.0)

        assert len(frames) == 3 and sum(frames) == len(first) > 5000
        assert np.array_equal(first, again) and not np.array_equal(first, other)
        assert len(faster) == pytest.approx(len(first) / 2, abs=3)
        assert engine.versions["python"].startswith("3.") and engine.opened["attention"] == "sdpa"


def test_it_has_no_secret_and_a_home_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = ("VOXMATRIX_KEY", "HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "MY_OWN_SECRET", "HTTPS_PROXY")
    for name in (*secrets, "OMP_WAIT_POLICY", "TORCH_HOME"):
        monkeypatch.setenv(name, str(home()))
    install_engine()
    with start() as engine:
        speak(engine, "Hello.")
        environment = psutil.Process(engine._process.pid).environ()
    assert not environment.keys() & {*secrets}
    assert environment["OMP_WAIT_POLICY"]
    own = Path(environment["HOME"])
    assert own.is_dir() and not list(own.iterdir())
    assert Path(environment["TORCH_HOME"]).is_relative_to(own)
    assert not Path(environment["TMPDIR"]).exists()  # it was removed


@pytest.mark.skipif(not landlock_version(), reason="this kernel has no Landlock")
def test_it_neither_reads_nor_writes_what_is_the_users() -> None:
    install_engine()
    (home() / "keys.txt").write_text("a key")
    with start() as engine, pytest.raises(VoxmatrixError, match="PermissionError"):
        speak(engine, "PEEK")
    assert not (home() / "new").exists()


def test_a_recording_is_sent_once_and_heard() -> None:
    install_engine()
    recording = Recording("ab" * 32, np.zeros(16000, np.float32), 16000, "words")
    with start() as engine:
        plain, like = speak(engine, "Hello."), speak(engine, "Hello.", recordings=(recording,))
        assert not np.array_equal(plain, like)
        assert np.array_equal(like, speak(engine, "Hello.", recordings=(recording,)))


def test_a_sentence_that_nobody_wants_is_stopped_and_the_next_one_is_whole() -> None:
    install_engine()
    with start() as engine:
        whole = speak(engine, "one two three four five six")
        heard: list[Samples] = []
        began = time.monotonic()
        speak(engine, "one two SLOW", cancelled=lambda: len(heard) >= 2, on_audio=heard.append)
        assert time.monotonic() - began < 10
        assert np.array_equal(speak(engine, "one two three four five six"), whole)


@pytest.mark.parametrize(
    ("word", "kind", "said"),
    [
        ("CRASH", MemoryExhaustedError, "the engine toy was terminated by SIGKILL while it speaks"),
        ("EXIT", VoxmatrixError, "the engine toy exited with code 3 while it speaks: the driver is gone"),
        ("HANG", VoxmatrixError, "the engine toy did not answer in time while it speaks"),
        ("FAIL", VoxmatrixError, r"the engine toy: RuntimeError: this word cannot be spoken\\x1b"),
        ("MEMORY", MemoryExhaustedError, "the engine toy: MemoryError"),
        ("FOREVER", VoxmatrixError, "the engine toy did not end after 60 s of 'one FOREVER two'"),
    ],
)
def test_what_happens_while_it_speaks_is_said_with_what_to_do(word: str, kind: type[VoxmatrixError], said: str) -> None:
    install_engine()
    with start() as engine:
        with pytest.raises(VoxmatrixError, match=said) as caught:
            speak(engine, f"one {word} two")
        assert type(caught.value) is kind and caught.value.remedy


def test_its_children_end_with_it() -> None:
    install_engine()
    before = children()
    with start() as engine:
        speak(engine, "one CHILD two")
        assert len(children() - before) == 2


@pytest.mark.parametrize(
    ("fault", "kind", "said"),
    [
        ("late", VoxmatrixError, "did not answer in time while it starts"),
        ("protocol", MissingProgramError, "speaks protocol 2, and this voxmatrix 1"),
        ("weights", DamagedFileError, "the engine toy: the header is wrong"),
    ],
)
def test_an_engine_that_does_not_start_is_said(fault: str, kind: type[VoxmatrixError], said: str) -> None:
    install_engine(fault=fault)
    with pytest.raises(VoxmatrixError, match=said) as caught:
        start(limits=QUICK._replace(start=1.5))
    assert type(caught.value) is kind and "voxmatrix engines" in caught.value.remedy


def test_an_engine_whose_torch_is_too_old_is_not_used() -> None:
    install_engine(fault="none", **{'python = ">=3.8"': 'torch = ">=2.6"'})
    with pytest.raises(MissingProgramError, match=r"needs torch >=2.6, and its environment has 2.4.1"):
        start()


def test_an_environment_that_is_gone_is_said() -> None:
    (install_engine() / "env").unlink()
    with pytest.raises(MissingProgramError, match="cannot be started: No such file") as caught:
        start()
    assert caught.value.remedy == "voxmatrix engines install toy"


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("garbage", "sent what is no message while it speaks: it has .* bytes of JSON"),
        ("huge", "it has 4,294,967,295 bytes of JSON and 4,294,967,292 of samples"),
        ("killed", "was terminated by SIGKILL while it speaks"),
        ("half", "did not answer in time while it speaks"),
        ("other", "it sends samples of another sentence"),
        ("empty", "it sends samples, and there are none"),
        ("half a character", "its head is not JSON"),
        ("long", r"of another sentence \(\\x1b\]0;title\\x079{1,40}…\)"),
        ("count", "it says that it has sent 7 samples, and 1 came"),
        ("silent", "did not answer in time"),
    ],
)
def test_nonsense_on_the_wire_is_an_error_and_ends_the_engine(fault: str, said: str) -> None:
    install_engine(fault=fault)
    with start() as engine:
        with pytest.raises(VoxmatrixError, match=said):
            speak(engine, "Hello.")
        assert not engine.is_running


def test_an_engine_that_does_not_read_keeps_nobody_waiting() -> None:
    install_engine(fault="deaf")
    with start() as engine, pytest.raises(VoxmatrixError, match="did not answer in time"):
        speak(engine, "Hello.", recordings=(Recording("ab" * 32, np.zeros(2**20, np.float32), 16000),))


def test_an_engine_that_does_not_stop_when_told_is_ended() -> None:
    install_engine(fault="stubborn")
    with start() as engine, pytest.raises(VoxmatrixError, match="did not answer in time"):
        speak(engine, "Hello.", cancelled=lambda: True)


def test_a_slow_reader_gets_every_sample() -> None:
    install_engine()
    text = " ".join(["word"] * 40)
    with start(limits=Limits()) as engine:
        whole = speak(engine, text)
        assert np.array_equal(speak(engine, text, on_audio=lambda samples: time.sleep(0.02)), whole)


def test_weights_that_were_changed_are_noticed() -> None:
    install_engine()
    digest = install_weights(model=b"weights", config=b"{}")
    with start(main=digest) as engine:
        assert len(speak(engine, "Hello."))
    from voxmatrix.external.installed import weights_folder

    (weights_folder(digest) / "model").write_bytes(b"weightz")
    with pytest.raises(DamagedFileError, match="are not what was installed"):
        start(main=digest)
    with pytest.raises(BadInputError, match=r"the weights 0000.* are not in"):
        start(main="0" * 64)


@settings(max_examples=25)
@given(data=st.binary(max_size=300))
def test_any_bytes_of_an_engine_are_an_error_in_words(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VOXMATRIX_HOME", str(tmp_path_factory.mktemp("home")))
        (install_engine(fault="random") / "BYTES").write_bytes(data)
        with start(limits=QUICK._replace(silence=0.3)) as engine, pytest.raises(VoxmatrixError) as caught:
            speak(engine, "Hello.")
        assert caught.value.problem and caught.value.remedy


@settings(max_examples=25)
@given(data=st.binary(max_size=300))
def test_any_bytes_to_an_engine_end_it(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Bytes that are no frame, and the end of the pipe, end the process; it hangs in no case."""
    import os
    import subprocess
    import sys

    from tests.toys.engines import _TOY
    from voxmatrix.external import wire

    requests, ours = os.pipe()
    theirs, answers = os.pipe()
    given = {wire.IN_VARIABLE: str(requests), wire.OUT_VARIABLE: str(answers), "PATH": os.environ["PATH"]}
    command = [sys.executable, "-I", "-S", wire.__file__, str(_TOY / "adapter.py"), "toy"]
    process = subprocess.Popen(command, env=given, pass_fds=(requests, answers), stderr=subprocess.DEVNULL)
    os.close(requests)
    os.close(answers)
    os.write(ours, data)
    os.close(ours)
    assert process.wait(20) in (0, 2)
    os.close(theirs)


def test_two_voices_share_an_engine() -> None:
    from voxmatrix.external.shared import share

    install_engine()
    before, engine = children(), find_engine("toy")
    how = EngineStart(folder=engine.folder, weights=(), gpu=None, dtype="float32", attention="sdpa", threads=1)
    first, second = share(engine, how, QUICK), share(engine, how, QUICK)
    threads = [threading.Thread(target=one.load) for one in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert first is second and len(children() - before) == 1
    first.close()
    assert len(children() - before) == 1
    second.close()
