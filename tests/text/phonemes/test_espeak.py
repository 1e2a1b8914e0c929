import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from voxmatrix.errors import BadInputError, MissingProgramError, UsageError
from voxmatrix.text.phonemes import espeak
from voxmatrix.text.phonemes.espeak import (
    LIBRARY_VARIABLE,
    Espeak,
    espeak_findings,
    espeak_version,
    other_version,
    outdated,
)

#: Answers with the words themselves for phonemes, dies of the word `poison` and once of `once`, and hangs on `sleep`.
ECHO = """
import json, os, pathlib, sys, time
print(json.dumps({"version": "1.52.0"}), flush=True)
for line in sys.stdin.buffer:
    texts = [text.decode("unicode_escape") for text in line.split(b"\\t")[:-1]]
    text = " ".join(texts)
    if "poison" in text:
        os._exit(1)
    if "sleep" in text:
        time.sleep(60)
    if "once" in text:
        if not pathlib.Path(sys.argv[0]).with_name("died").exists():
            os._exit(1)
    print(json.dumps([[[clause.strip(), 0] for clause in text.split(",")] for text in texts]), flush=True)
"""


@pytest.fixture(autouse=True)
def _asked_anew():
    espeak_version.cache_clear()
    yield
    espeak_version.cache_clear()


@pytest.fixture
def echo(server):
    server(ECHO)
    running = Espeak("en-us")
    yield running
    running.close()


def words(answer: list[tuple[str, int]]) -> list[str]:
    return [phonemes for phonemes, _ in answer]


def test_a_text_is_answered_clause_by_clause(echo):
    assert words(echo.ask(["one, two, three"])[0]) == ["one", "two", "three"]
    assert words(echo.ask(["four"])[0]) == ["four"]
    assert echo.version == "1.52.0"


def test_a_process_that_dies_is_restarted_once(echo, tmp_path, monkeypatch):
    start = echo._start
    monkeypatch.setattr(echo, "_start", lambda: ((tmp_path / "bin" / "died").touch(), start()))
    assert words(echo.ask(["once"])[0]) == ["once"]
    assert words(echo.ask(["again"])[0]) == ["again"]


def test_a_text_that_kills_twice_is_named_and_the_next_one_is_answered(echo):
    with pytest.raises(BadInputError, match="poison"):
        echo.ask(["a poison pill"])[0]
    assert words(echo.ask(["healthy"])[0]) == ["healthy"]


def test_a_hang_ends(echo, monkeypatch):
    monkeypatch.setattr(espeak, "ANSWER_SECONDS", 0.5)
    with pytest.raises(BadInputError, match="sleep"):
        echo.ask(["sleep"])[0]
    monkeypatch.undo()
    assert words(echo.ask(["awake"])[0]) == ["awake"]


def test_an_interrupt_leaves_no_half_answer_behind(echo, monkeypatch):
    def interrupted(_timeout_seconds: float) -> bytes:
        raise KeyboardInterrupt

    echo.ask(["started"])[0]
    with monkeypatch.context() as patch:
        patch.setattr(echo._process, "read", interrupted)
        with pytest.raises(KeyboardInterrupt):
            echo.ask(["half, an, answer"])[0]
    assert words(echo.ask(["whole"])[0]) == ["whole"]


def test_threads_share_one_process_and_each_gets_its_own_answer(echo):
    wrong = []

    def ask(name: str) -> None:
        for number in range(50):
            text = f"{name} {number}"
            if words(echo.ask([text])[0]) != [text]:
                wrong.append(text)

    threads = [threading.Thread(target=ask, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.espeak
def test_one_process_serves_many_sentences(monkeypatch):
    started = []
    spawn = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *args, **kw: started.append(args) or spawn(*args, **kw))
    running = Espeak("en-us")
    for _ in range(50):
        running.ask(["One more."])[0]
    running.close()
    assert len(started) == 1


@pytest.mark.espeak
def test_a_killed_process_comes_back():
    running = Espeak("en-us")
    expected = running.ask(["Hello."])[0]
    os.kill(running._process.pid, signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
    assert running.ask(["Hello."])[0] == expected
    running.close()


@pytest.mark.espeak
@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no such signal here")
def test_a_stopped_process_is_replaced(monkeypatch):
    running = Espeak("en-us")
    expected = running.ask(["Hello."])[0]
    os.kill(running._process.pid, signal.SIGSTOP)
    monkeypatch.setattr(espeak, "ANSWER_SECONDS", 1.0)
    assert running.ask(["Hello."])[0] == expected
    running.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # a fork in a program with threads is what is tested
def test_after_a_fork_the_child_has_a_process_of_its_own(echo):
    assert words(echo.ask(["parent"])[0]) == ["parent"]
    child = os.fork()
    if child == 0:
        os._exit(0 if words(echo.ask(["child, child"])[0]) == ["child", "child"] else 1)
    assert words(echo.ask(["parent, again"])[0]) == ["parent", "again"]
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_closing_ends_the_process(echo):
    echo.ask(["a"])[0]
    number = echo._process.pid
    echo.close()
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)


@pytest.mark.espeak
@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent otherwise there")
def test_ctrl_c_in_the_terminal_reaches_us_and_not_espeak():
    code = """
import os, signal
from voxmatrix.text.phonemes.espeak import Espeak
running = Espeak("en-us")
before = running.ask(["Hello."])[0], running._process.pid
signal.signal(signal.SIGINT, lambda *_: None)
os.killpg(0, signal.SIGINT)
assert (running.ask(["Hello."])[0], running._process.pid) == before
running.close()
"""
    subprocess.run([sys.executable, "-c", code], check=True, start_new_session=True)


@pytest.mark.espeak
@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="no list of loaded libraries here")
def test_the_library_is_never_loaded_here():
    code = """
from voxmatrix.text.phonemes.phonemizer import EspeakPhonemizer
with EspeakPhonemizer("en-us") as ours:
    assert ours.phonemes(["Hello."])[0]
print("espeak" in open("/proc/self/maps").read())
"""
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "False"


@pytest.mark.espeak
@pytest.mark.parametrize("voice", ["xx-nowhere", "en_US"])
def test_an_unknown_voice_is_named(voice):
    running = Espeak(voice)
    with pytest.raises(UsageError, match=voice):
        running.ask(["hello"])[0]
    running.close()


@pytest.mark.espeak
@pytest.mark.parametrize("voice", ["sv-SE", "en-gb", "de-AT", "pt-br", "zh"])
def test_a_language_that_a_voice_speaks_is_a_voice(voice):
    running = Espeak(voice)
    assert running.ask(["a"])[0]
    running.close()


@pytest.mark.parametrize("voice", ["", "a b", "x\0y", "$(reboot)", "../../etc/passwd", "-w", "a" * 200_000])
def test_what_cannot_be_a_voice_is_refused_before_anything_starts(voice):
    with pytest.raises(UsageError, match="not a voice of espeak-ng"):
        Espeak(voice)


def test_a_missing_library_is_exit_7_with_the_line_to_type(monkeypatch, tmp_path):
    monkeypatch.setenv(LIBRARY_VARIABLE, str(tmp_path / "no-such-library.so"))
    assert espeak_version() is None
    running = Espeak("en-us")
    with pytest.raises(MissingProgramError, match="no-such-library") as caught:
        running.ask(["hello"])[0]
    running.close()
    assert caught.value.exit_code == 7
    assert "pip install espeakng-loader" in caught.value.remedy
    assert "pip install espeakng-loader" in espeak_findings()[0].remedy


def test_a_file_that_is_not_a_library_is_exit_7_too(monkeypatch, tmp_path):
    (tmp_path / "library.so").write_bytes(b"\x00\x01 not a library")
    monkeypatch.setenv(LIBRARY_VARIABLE, str(tmp_path / "library.so"))
    running = Espeak("en-us")
    with pytest.raises(MissingProgramError, match="cannot be loaded"):
        running.ask(["hello"])[0]
    running.close()


@pytest.mark.parametrize("source", ["", "import sys; sys.exit(1)"])
def test_a_process_that_ends_at_once_is_exit_7_and_no_fault_of_the_text(server, source):
    server(source)
    running = Espeak("en-us")
    with pytest.raises(MissingProgramError, match="ends at once"):
        running.ask(["hello"])[0]
    with pytest.raises(MissingProgramError, match="ends at once"):
        assert running.version
    running.close()


@pytest.mark.espeak
def test_what_is_installed_is_new_enough():
    assert espeak_version() is not None
    assert espeak_findings() == []


@pytest.mark.parametrize("version", ["1.51", "1.50.1", "1.9"])
def test_an_old_version_is_named_with_what_it_harms(version):
    finding = outdated(version)
    assert finding is not None and finding.severity == "warning"
    assert version in finding.problem and "Chinese" in finding.problem and "espeakng-loader" in finding.remedy


@pytest.mark.parametrize("version", ["1.52", "1.52.0.1", "1.53-dev", "2.0"])
def test_a_new_version_is_fine(version):
    assert outdated(version) is None


@pytest.mark.parametrize(
    ("version", "learned"), [("1.52.0", ""), ("1.52.0", "1.52"), ("1.52", "1.52.0"), ("1.52.0", "unknown")]
)
def test_the_version_that_a_voice_has_learned_from_is_fine(version, learned):
    assert other_version(version, learned) is None


@pytest.mark.parametrize(("version", "learned"), [("1.52.0", "1.52.0.1"), ("1.53", "1.52.0"), ("1.52.0", "1.51.1")])
def test_another_version_is_named_beside_that_of_the_voice(version, learned):
    finding = other_version(version, learned)
    assert finding is not None and finding.severity == "warning"
    assert f"{learned}, and this is {version}" in finding.problem and LIBRARY_VARIABLE in finding.remedy
