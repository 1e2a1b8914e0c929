import os
import signal
import subprocess

import pytest

from voxmatrix.errors import BadInputError, MissingProgramError, UsageError
from voxmatrix.text.phonemes import espeak
from voxmatrix.text.phonemes.espeak import EspeakProgram, espeak_installed, missing_program

#: Answers like espeak-ng with the words themselves for phonemes, holds them back like any program at a pipe, and dies
#: of the word `poison`. The first argument that is no option of espeak-ng's is the voice.
ECHO = """
import io, sys, os, pathlib
# As the C library does at a pipe; Python itself would hold back more, or nothing with PYTHONUNBUFFERED.
if not os.isatty(1):
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "w"), 4096), write_through=True)
if sys.argv[-1] == "a":
    print("no such voice", file=sys.stderr)
    sys.exit(1 if "klingon" in sys.argv else 0)
for line in sys.stdin:
    if "poison" in line or "klingon" in sys.argv:
        os._exit(1)
    if "sleep" in line:
        import time
        time.sleep(60)
    if "once" in line:
        mark = pathlib.Path(sys.argv[0]).with_name("died")
        if not mark.exists():
            mark.touch()
            os._exit(1)
    for clause in line.split(","):
        print(clause.strip())
"""


@pytest.fixture
def echo(program):
    program(ECHO)
    running = EspeakProgram("en-us")
    yield running
    running.close()


def test_a_line_is_answered_clause_by_clause(echo):
    assert echo.ask("one, two, three") == ["one", "two", "three"]
    assert echo.ask("four") == ["four"]


def test_a_death_is_mended_by_one_new_start(echo):
    assert echo.ask("once") == ["once"]
    assert echo.ask("again") == ["again"]


def test_a_text_that_kills_twice_is_named_and_the_next_one_is_answered(echo):
    with pytest.raises(BadInputError, match="poison"):
        echo.ask("a poison pill")
    assert echo.ask("healthy") == ["healthy"]


def test_silence_is_not_waited_for_forever(echo, monkeypatch):
    monkeypatch.setattr(espeak, "ANSWER_SECONDS", 0.5)
    with pytest.raises(BadInputError, match="sleep"):
        echo.ask("sleep")


def test_an_interrupt_leaves_no_half_answer_behind(echo, monkeypatch):
    def interrupted(_line: str) -> list[str]:
        echo._write("half, an, answer", echo._word)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(echo, "_ask", interrupted)
        with pytest.raises(KeyboardInterrupt):
            echo.ask("half, an, answer")
    assert echo.ask("whole") == ["whole"]


def test_the_random_word_itself_in_a_text_is_not_taken_for_the_end(program):
    program(ECHO)
    first, second = EspeakProgram("en-us"), EspeakProgram("en-us")
    try:
        assert first.ask(second._word) == [second._word]
        assert second.ask("after") == ["after"]
    finally:
        first.close()
        second.close()


def test_where_there_is_no_terminal_filler_pushes_the_answers_out(program, monkeypatch):
    monkeypatch.setattr("voxmatrix.text.phonemes.process._open_terminal", lambda: None)
    program(ECHO)
    running = EspeakProgram("en-us")
    try:
        for number in range(20):
            assert running.ask(f"one {number}, two") == [f"one {number}", "two"]
    finally:
        running.close()


@pytest.mark.espeak
def test_the_real_program_gives_the_same_through_a_terminal_and_through_a_pipe(monkeypatch):
    lines = ["Hello, how are you?", "x", "Fine; thank you: and you? Well.", "!", "..."]
    through_terminal = EspeakProgram("en-us")
    monkeypatch.setattr("voxmatrix.text.phonemes.process._open_terminal", lambda: None)
    through_pipe = EspeakProgram("en-us")
    try:
        for line in lines * 3:
            assert through_pipe.ask(line) == through_terminal.ask(line)
    finally:
        through_terminal.close()
        through_pipe.close()


@pytest.mark.espeak
def test_one_process_serves_many_sentences(monkeypatch):
    started = []
    spawn = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *args, **kw: started.append(args) or spawn(*args, **kw))
    running = EspeakProgram("en-us")
    for _ in range(50):
        running.ask("One more.")
    running.close()
    assert len(started) == 1


@pytest.mark.espeak
def test_a_killed_program_comes_back():
    running = EspeakProgram("en-us")
    expected = running.ask("Hello.")
    os.kill(running._program.pid, signal.SIGKILL)
    assert running.ask("Hello.") == expected
    running.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # a fork in a program with threads is what is tested
def test_after_a_fork_the_child_has_a_program_of_its_own(echo):
    assert echo.ask("parent") == ["parent"]
    child = os.fork()
    if child == 0:
        os._exit(0 if echo.ask("child, child") == ["child", "child"] else 1)
    assert echo.ask("parent, again") == ["parent", "again"]
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_closing_ends_the_program(echo):
    echo.ask("a")
    number = echo._program.pid
    echo.close()
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)


def test_an_unknown_voice_is_named(program):
    program(ECHO)
    running = EspeakProgram("klingon")
    with pytest.raises(UsageError, match="klingon"):
        running.ask("hello")
    running.close()


@pytest.mark.espeak
def test_the_real_program_says_which_voice_it_lacks():
    running = EspeakProgram("xx-nowhere")
    with pytest.raises(UsageError, match="xx-nowhere"):
        running.ask("hello")
    running.close()


@pytest.mark.parametrize("voice", ["", "a b", "x\0y", "$(reboot)"])
def test_what_cannot_be_a_voice_is_refused_before_anything_starts(voice):
    with pytest.raises(UsageError, match="no voice of espeak-ng"):
        EspeakProgram(voice)


@pytest.mark.parametrize(
    ("platform", "line"),
    [("linux", "apt-get install espeak-ng"), ("darwin", "brew install espeak-ng"), ("win32", "winget install")],
)
def test_a_missing_program_is_exit_7_with_the_line_to_type(monkeypatch, platform, line):
    monkeypatch.setattr("voxmatrix.text.phonemes.espeak.PLACES", ("no-such-program",))
    monkeypatch.setattr("sys.platform", platform)
    assert not espeak_installed()
    with pytest.raises(MissingProgramError) as caught:
        EspeakProgram("en-us")
    assert caught.value.exit_code == 7
    assert line in caught.value.remedy and line in missing_program().remedy


def test_a_program_that_cannot_be_run_is_exit_7_too(program):
    program("").write_bytes(b"\x00\x01 no program")
    with pytest.raises(MissingProgramError, match="cannot be started"):
        EspeakProgram("en-us")
