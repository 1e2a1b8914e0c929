"""What stands in files of the working directory: it sets how a command works, and never whom or what it trusts."""

import json
import os
import re
import stat
from pathlib import Path

import pytest
import typer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from voxmatrix.cli import main, serve
from voxmatrix.cli.parameters.serve_options import ServeOptions
from voxmatrix.cli.parameters.unknown import unknown_names
from voxmatrix.config import FOLDER_SETTINGS, from_dotenv, load_dotenv, refused_in_dotenv
from voxmatrix.errors import InterruptedRunError, UsageError

MACHINES = Path(__file__).parent / "machines"


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VOXMATRIX_")}
    monkeypatch.setattr(os, "environ", {**kept, "VOXMATRIX_BATCH_SIZE": "4"})


def write(folder: Path, text: str) -> None:
    (folder / ".env").write_text(text, encoding="utf-8")


def test_ours_are_set_and_those_of_others_left(tmp_path: Path) -> None:
    ours = "VOXMATRIX_DEVICE=cpu\n# a word\nexport GPU_ID='1'\r\n"
    write(tmp_path, f'\ufeff{ours}DATABASE=secret\n]]]\nVOXMATRIX_PRECISION="fp32" # x\n')
    load_dotenv(tmp_path)
    assert os.environ["VOXMATRIX_DEVICE"] == "cpu"
    assert os.environ["GPU_ID"] == "1"
    assert os.environ["VOXMATRIX_PRECISION"] == "fp32"
    assert "DATABASE" not in os.environ


def test_the_environment_is_stronger(tmp_path: Path) -> None:
    write(tmp_path, "VOXMATRIX_BATCH_SIZE=8\n")
    load_dotenv(tmp_path)
    assert os.environ["VOXMATRIX_BATCH_SIZE"] == "4"


def test_no_file_is_no_trouble(tmp_path: Path) -> None:
    load_dotenv(tmp_path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"A=1\nVOXMATRIX_DEVICE\n", "line 2: the value of VOXMATRIX_DEVICE"),
        (b"VOXMATRIX_DEVICE='cpu\n", "line 1: the value of VOXMATRIX_DEVICE"),
        (b"VOXMATRIX_DEVICE=a\0b\n", "line 1"),
        (b"VOXMATRIX_TEXT=caf\xe9", "not UTF-8: at or near byte 18 is 0xe9"),
    ],
)
def test_what_cannot_be_understood_is_named(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / ".env").write_bytes(content)
    with pytest.raises(UsageError, match=said) as caught:
        load_dotenv(tmp_path)
    assert caught.value.remedy


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200))
def test_any_file_is_taken_or_refused_in_words(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".env").write_bytes(content + b"\nVOXMATRIX_PORT=7\n")
    try:
        load_dotenv(tmp_path)
    except UsageError as error:
        assert error.problem and error.remedy


def test_a_command_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "VOXMATRIX_PRECISION=fp32\nVIBEVOICE_DEVICE=cpu\n")
    assert main.run(["plan", "--json"]) == 0
    said = capsys.readouterr().out
    assert "VIBEVOICE_DEVICE" in said and "VOXMATRIX_PRECISION in .env" in said
    assert json.loads(said)["settings"]["precision"]["source"] == ".env"


def test_unknown_variables_and_keys_are_warned_about_with_the_nearest_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(os.environ, "VOXMATRIX_PRECISON", "fp32")
    monkeypatch.setitem(os.environ, "VOXMATRIX_NEW_KEY", "1")
    write(tmp_path, "VOXMATRIX_BATCHSIZE=4\nPRECISON=mine\n")
    (tmp_path / "voxmatrix.toml").write_text('batch-size = 4\nqwertz = 1\nprecision = "fp32"\n', encoding="utf-8")
    assert main.run(["devices", "--machine", str(MACHINES / "no-gpu.json"), "--json"]) == 0
    shown = capsys.readouterr()
    json.loads(shown.out)
    assert shown.err.splitlines()[:-1] == [
        "warning: VOXMATRIX_NEW_KEY is ignored: that is set on the command line only",
        "  → give --new-key",
        "warning: VOXMATRIX_PRECISON is not a setting; it is ignored",
        "  → did you mean VOXMATRIX_PRECISION?",
        "warning: VOXMATRIX_BATCHSIZE in .env is not a setting; it is ignored",
        "  → did you mean VOXMATRIX_BATCH_SIZE?",
        "warning: batch-size in voxmatrix.toml is not a setting; it is ignored",
        "  → did you mean batch_size?",
        "warning: qwertz in voxmatrix.toml is not a setting; it is ignored",
        "  → remove it; `voxmatrix COMMAND --help` lists the settings",
    ]


def test_every_variable_named_in_the_repository_is_known() -> None:
    root = MACHINES.parents[1]
    files = [
        *(
            path
            for folder in ("app", "entrypoint", "docker", "tools")
            for path in (root / folder).rglob("*.*")
            if path.suffix != ".pyc"
        ),
        *(*root.glob("Dockerfile*"), *root.glob("*.md"), *root.glob("*.py"), *(root / "docs").glob("*.md")),
    ]
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in files if path.is_file()]
    named = {name for text in texts for name in re.findall(r"\bVOXMATRIX_[A-Z_]*[A-Z]\b", text)}
    assert len(named) > 15
    assert [finding.problem for finding in unknown_names(typer.main.get_command(main.cli), named, (), ())] == []


#: Options that have a variable, but are not for files of a folder: code and weights, brokers and stores, who may reach
#: the server, described computers, names, inputs, and what is written or overwritten besides the result.
NOT_FOR_FOLDERS = {
    *("machine", "cluster", "store", "results", "url", "host", "wyoming_host", "wyoming_port", "zeroconf", "mcp"),
    *("keys", "key", "key_file", "no_keys", "open_lists", "allow_host", "allow_origin", "name", "weights"),
    *("start_from", "text", "captions", "report", "picture", "force"),
}


def options() -> list[typer.core.TyperOption]:
    def below(command: object) -> list[typer.core.TyperOption]:
        inner = getattr(command, "commands", {}).values()
        return [*command.params, *(option for each in inner for option in below(each))]  # type: ignore[attr-defined]

    return below(typer.main.get_command(main.cli))


def test_of_every_option_it_is_decided_whether_a_folder_may_set_it() -> None:
    """A new one is refused until somebody has thought about it."""
    with_variable = {str(option.name) for option in options() if getattr(option, "envvar", None)}
    assert with_variable - FOLDER_SETTINGS == NOT_FOR_FOLDERS
    assert {str(option.name) for option in options()} >= FOLDER_SETTINGS, "settings that no command has"


def test_the_documentation_lists_what_a_folder_may_set() -> None:
    text = (MACHINES.parents[1] / "docs" / "settings.md").read_text(encoding="utf-8")
    listed = text.partition("## Files of the current folder")[2].partition("\n## ")[0]
    assert set(re.findall(r"`([a-z][a-z0-9_]*)`", listed)) == FOLDER_SETTINGS


@pytest.mark.parametrize(
    "variable",
    [
        "VOXMATRIX_ESPEAK",
        "VOXMATRIX_FAMILIES",
        "VOXMATRIX_PATCHES",
        "VOXMATRIX_CHECK",
        "VOXMATRIX_HOME",
        "VOXMATRIX_MACHINE",
        "VOXMATRIX_IMAGE",
        "VOXMATRIX_KEY",
        "VOXMATRIX_KEY_FILE",
        "VOXMATRIX_CLUSTER",
        "VOXMATRIX_STORE",
        "VOXMATRIX_RESULTS",
        "VOXMATRIX_HOST",
        "VOXMATRIX_NO_KEYS",
        "VOXMATRIX_ALLOW_ORIGIN",
        "VOXMATRIX_OF_THE_FUTURE",
        "REDIS_URL",
        "REDIS_PASSWORD",
        "COORDINATOR_IP",
        "HF_ENDPOINT",
        "HF_TOKEN",
    ],
)
def test_a_folder_sets_no_code_no_homes_no_keys_and_no_servers(
    tmp_path: Path, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(os.environ, variable, raising=False)
    write(tmp_path, f"{variable}=planted\nVOXMATRIX_SPEED=1.5\n")
    load_dotenv(tmp_path)
    assert variable not in os.environ
    assert refused_in_dotenv() == {variable}
    assert from_dotenv() == {"VOXMATRIX_SPEED"}


def test_no_python_that_we_start_imports_from_the_current_folder() -> None:
    """Without -P or -I, `python -m pip` would run a pip.py that came with a data set."""
    app = MACHINES.parents[1] / "app" / "voxmatrix"
    texts = [path.read_text(encoding="utf-8") for path in app.rglob("*.py")]
    first = [flag for text in texts for flag in re.findall(r"\[sys\.executable, ([^,\]]+)", text)]
    assert len(first) > 5 and set(first) <= {'"-P"', '"-I"'}


def test_variables_of_older_programs_are_set(tmp_path: Path) -> None:
    names = ["GPU_ID", "USE_GPU", "DIRECTML_DEVICE", "WORKER_ID", "NUM_WORKERS"]
    names += ["VIBEVOICE_DEVICE", "VIBEVOICE_PORT", "VIBEVOICE_MODEL"]
    write(tmp_path, "".join(f"{name}=1\n" for name in names))
    load_dotenv(tmp_path)
    assert from_dotenv() == set(names)


def test_what_a_folder_sets_and_what_it_may_not_set_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "VOXMATRIX_ESPEAK=./planted.so\nHF_TOKEN=secret\nVOXMATRIX_KEY=secret\nUSE_GPU=no\n")
    (tmp_path / "voxmatrix.toml").write_text(
        'host = "0.0.0.0"\nno_keys = true\nforce = true\ntask = "speak"\nspeed = 2\n'
    )
    assert main.run(["devices", "--machine", str(MACHINES / "no-gpu.json"), "--json"]) == 0
    shown = capsys.readouterr()
    json.loads(shown.out)
    assert "secret" not in shown.err
    assert shown.err.splitlines() == [
        "warning: HF_TOKEN in ./.env is ignored: files of the current folder may not set it",
        "  → set HF_TOKEN in the environment",
        "warning: VOXMATRIX_ESPEAK in ./.env is ignored: files of the current folder may not set it",
        "  → set VOXMATRIX_ESPEAK in the environment",
        "warning: VOXMATRIX_KEY in ./.env is ignored: files of the current folder may not set it",
        "  → give --key or set VOXMATRIX_KEY in the environment",
        "warning: host in ./voxmatrix.toml is ignored: files of the current folder may not set it",
        "  → give --host or set VOXMATRIX_HOST in the environment",
        "warning: no_keys in ./voxmatrix.toml is ignored: files of the current folder may not set it",
        "  → give --no-keys or set VOXMATRIX_NO_KEYS in the environment",
        "warning: force in ./voxmatrix.toml is ignored: files of the current folder may not set it",
        "  → give --force or set VOXMATRIX_FORCE in the environment",
        "note: ./.env sets USE_GPU; ./voxmatrix.toml sets speed, task",
    ]


def test_a_folder_does_not_decide_who_may_reach_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    seen: list[ServeOptions] = []

    def keep(_sources: object, given: ServeOptions) -> None:
        seen.append(given)
        raise InterruptedRunError("enough")

    monkeypatch.setattr(serve, "_settings", keep)
    write(tmp_path, "VOXMATRIX_ALLOW_ORIGIN=*\nVIBEVOICE_PORT=4377\n")
    (tmp_path / "voxmatrix.toml").write_text('host = "0.0.0.0"\nno_keys = true\nqueue = 3\n')
    assert main.run(["serve"]) == InterruptedRunError.exit_code
    (given,) = seen
    assert (given.host, given.no_keys, given.allow_origin, given.queue) == ("127.0.0.1", False, None, 3)
    assert "note: ./.env sets VIBEVOICE_PORT; ./voxmatrix.toml sets queue" in capsys.readouterr().err


def devices() -> int:
    return main.run(["devices", "--machine", str(MACHINES / "no-gpu.json"), "--json"])


@pytest.mark.parametrize(("image", "mode"), [("", 0o700), ("cpu", 0o770)])
def test_the_home_is_private_and_in_an_image_its_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, image: str, mode: int
) -> None:
    monkeypatch.setitem(os.environ, "VOXMATRIX_HOME", str(tmp_path / "new" / "home"))
    if image:
        monkeypatch.setitem(os.environ, "VOXMATRIX_IMAGE", image)
    before = os.umask(0o002 if image else 0o022)  # that of an image is set by its entrypoint
    try:
        assert devices() == 0
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new" / "home").stat().st_mode) == mode


def test_a_home_that_exists_keeps_its_mode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "VOXMATRIX_HOME", str(tmp_path))
    tmp_path.chmod(0o755)
    assert devices() == 0
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


def test_a_home_that_cannot_be_made_stops_no_command_that_needs_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setitem(os.environ, "VOXMATRIX_HOME", str(tmp_path / "file" / "home"))
    assert devices() == 0


def test_help_makes_no_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "VOXMATRIX_HOME", str(tmp_path / "home"))
    main.run(["speak", "--help"])
    assert not (tmp_path / "home").exists()
