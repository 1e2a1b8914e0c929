"""No argument, variable or line of voxmatrix.toml ends a command with a traceback: every exit code is one of the table.

What commands work with is real: parsing, checks, files, voices. What takes long (speaking, training, servers, networks,
other programs) ends with an error of its own instead.
"""

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import typer
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from voxmatrix import errors
from voxmatrix.cli import main
from voxmatrix.errors import UnreachableError, VoxmatrixError
from voxmatrix.speak.wav import header
from voxmatrix.transcripts.lines import readable
from voxmatrix_entrypoint import check, launch  # noqa: F401 - launch adds a command

CODES = {0, 1} | {
    kind.exit_code for kind in vars(errors).values() if isinstance(kind, type) and hasattr(kind, "exit_code")
}
CODES -= {VoxmatrixError.exit_code}
#: Shrinking takes minutes.
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)
MACHINE = Path(__file__).parents[1] / "machines" / "no-gpu.json"
#: What would take long, or ask the network. First the modules that import some of it, so that they keep none of what it
#: is replaced with.
WORK = (
    "voxmatrix.bench.measure.run_child",
    "voxmatrix.doctor.smoke.run_child",
    "voxmatrix.remote.chat.asked",
    "voxmatrix.train.tune.search_process.run_child",
    "voxmatrix.cli.speak._speak",
    "voxmatrix.cli.speak.speak_batch",
    "voxmatrix.train.fit.fit",
    "voxmatrix.distil.decoder.run.distil",
    "voxmatrix.distil.student.run.teach",
    "voxmatrix.book.make.open_book_job",
    "voxmatrix.serve.server.HttpServer.run",
    "voxmatrix.work.cluster.worker.supervise.run_workers",
    "voxmatrix.work.cluster.broker_client.BrokerClient.__init__",
    "voxmatrix.remote.client.asked",
    "voxmatrix.compute.child.run_child",
    "voxmatrix.cli.doctor._here",
    "subprocess.Popen.__init__",
    "socket.socket.connect",
    "socket.getaddrinfo",
)


def leaves(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    inner = getattr(command, "commands", {})
    if not inner or getattr(command, "invoke_without_command", False):
        yield words, command
    for name, each in inner.items():
        yield from leaves(each, (*words, name))


COMMANDS = dict(leaves(typer.main.get_command(main.cli)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with files of several kinds, where the commands run, and a home."""
    folder = tmp_path_factory.mktemp("arguments")
    (folder / "folder").mkdir()
    for name in ("text.txt", os.fsdecode(b"caf\xe9.txt")):
        (folder / name).write_text("One. Two.")
    (folder / "latin.txt").write_bytes(b"caf\xe9|caf\xe9")
    (folder / "sound.wav").write_bytes(header(16_000) + bytes(32_000))
    (folder / "half.json").write_text('{"1": "\\ud800", "voice": "\\ud800"}')
    (folder / "line.jsonl").write_text('{"audio": "\\ud800.wav", "text": "\\ud800"}\n')
    (folder / "loop.wav").symlink_to("loop.wav")
    before, machine = Path.cwd(), os.environ.get("VOXMATRIX_MACHINE")
    os.chdir(folder)
    yield folder
    os.chdir(before)
    assert machine == os.environ.get("VOXMATRIX_MACHINE")


ODD = (
    *(
        "",
        " ",
        "-",
        "--",
        "-1",
        "0",
        "1",
        "nan",
        "inf",
        "-inf",
        "1e400",
        "9" * 400,
        "9" * 5000,
        "0x1",
        "1,2",
        "true",
        "auto",
    ),
    *(
        "\udce9",
        "caf\udce9",
        "\ud800",
        "a\0b",
        "\x1b]0;title\x07",
        "\n",
        "é",
        "\u202e",
        "x" * 5000,
        "a=b",
        "a=",
        "=",
        "|",
        "[",
        "%s",
    ),
    *(
        "text.txt",
        "latin.txt",
        "caf\udce9.txt",
        "sound.wav",
        "half.json",
        "line.jsonl",
        "loop.wav",
        "folder",
        "missing.onnx",
    ),
    *(
        ".",
        "/",
        "/dev/null",
        "/dev/null/x",
        "text.txt/x.wav",
        "x" * 300 + ".wav",
        "a/" * 3000,
        "caf\udce9.wav",
        "new.m4b",
    ),
    *(
        "http://",
        "http://[",
        "https://é/é",
        "redis://x:y",
        "s3://",
        "socks5://x",
        "remote:x/y",
        "kokoro/x",
        "en_US-heart-student",
    ),
    *("cpu", "cuda:99", "cuda:-1", "en", "xx-XX", "wav", "127.0.0.1", "all", "1-", "-1-2", "2020-13-45"),
)
#: A date, a table, lists, and text with what a command line cannot have.
OF_TOML = (
    "inf",
    "nan",
    "-1",
    "1e400",
    "true",
    "1979-05-27",
    "{a = 1}",
    "[]",
    "[1]",
    "[[1], {a = 'b'}]",
    '"a\\u0000b"',
    "",
)
#: The end of a text for the system, and halves of characters but for those that stand for bytes that are not UTF-8.
NOT_IN_VARIABLES = "[\0\ud800-\udc7f\udd00-\udfff]"
VALUES = st.sampled_from(ODD) | st.text(st.characters(), max_size=8)


@st.composite
def calls(draw: Any, command: Any) -> tuple[list[str], dict[str, str], str]:
    """Words of a command, variables, and the content of voxmatrix.toml."""
    words, variables, lines = [], {}, []
    for parameter in command.params:
        is_argument = parameter.param_type_name == "argument"
        is_wanted = draw(st.integers(0, 3 if len(command.params) < 12 else 9)) == 0
        if not (is_argument or is_wanted or (parameter.required and draw(st.booleans()))):
            continue
        value = draw(VALUES)
        if is_argument:
            words.append(value)
            continue
        name = draw(st.sampled_from((*parameter.opts, *parameter.secondary_opts)))
        if getattr(parameter, "is_flag", False):
            words.append(name)
            continue
        way = draw(st.sampled_from(("flag", "flag", "variable", "toml") if parameter.envvar else ("flag",)))
        if way == "variable" and not re.search(NOT_IN_VARIABLES, value):
            variables[str(parameter.envvar)] = value
        elif way == "toml":
            lines.append(
                f"{parameter.name} = {draw(st.sampled_from(OF_TOML) | st.just(json.dumps(readable(value))))}\n"
            )
        else:
            words += [name, value] if draw(st.booleans()) else [f"{name}={value}"]
    return words, variables, "".join(lines)


def reached(*_: Any, **__: Any) -> Any:
    raise UnreachableError("the work begins here")


@pytest.mark.parametrize("name", COMMANDS, ids=" ".join)
def test_any_arguments_end_with_an_exit_code_of_the_table(
    name: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    @settings(max_examples=examples(60), suppress_health_check=list(HealthCheck), phases=PHASES)
    @given(call=calls(COMMANDS[name]))
    def ends(call: tuple[list[str], dict[str, str], str]) -> None:
        words, variables, lines = call
        Path("voxmatrix.toml").write_text(lines, encoding="utf-8", errors="surrogateescape")
        environment = {"VOXMATRIX_MACHINE": str(MACHINE), "VOXMATRIX_HOME": str(folder / "home"), **variables}
        with (
            Path(os.devnull).open() as stdin,
            patch.dict(os.environ, environment),
            patch.object(sys, "stdin", stdin),
        ):
            code = main.run([*name, *words], check=check.check)
        assert code in CODES, (code, capsys.readouterr().err)

    with pytest.MonkeyPatch.context() as patched:
        for work in WORK:
            patched.setattr(work, reached)
        ends()


def test_every_option_that_is_shown_as_a_file_or_folder_is_a_path() -> None:
    texts = [
        (name, parameter.name)
        for name, command in COMMANDS.items()
        for parameter in command.params
        if parameter.type.name not in ("path", "voice") and re.search("FILE|FOLDER", str(parameter.metavar))
    ]
    assert not texts, "names of files may have bytes that are not UTF-8: add parser=options.path"
