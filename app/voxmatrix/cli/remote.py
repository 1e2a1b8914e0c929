"""`voxmatrix voices remote`: the servers whose voices speak as those of this computer do."""

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voxmatrix.cli.command import CommandGroup
from voxmatrix.cli.parameters import options
from voxmatrix.cli.terminal.messages import echo, print_json, warn
from voxmatrix.errors import Finding, UsageError
from voxmatrix.wording import pluralise

if TYPE_CHECKING:
    from voxmatrix.remote.servers import RemoteVoice, Server

#: How Kokoro's voices are called on any server: the first letter is their language, the second one their gender.
_KOKORO = re.compile(r"([a-z])[fm]_\w")
#: Those of its languages that its family here does not speak.
_MORE_LANGUAGES = {"j": "ja", "z": "cmn"}

group = CommandGroup(help="Servers with OpenAI's speech API, whose voices are called remote:NAME/VOICE.")

_Name = Annotated[str, typer.Argument(metavar="NAME", help="What the server is called here.", show_default=False)]
_Url = Annotated[
    str, typer.Argument(metavar="URL", help="Its address, e.g. http://127.0.0.1:8880/v1.", show_default=False)
]
_Voices = Annotated[
    list[str], typer.Option("--voice", metavar="VOICE", help="One of its voices, if it lists none; may be repeated.")
]
_KeyFile = Annotated[
    Path | None, typer.Option("--key-file", metavar="FILE", help="A file with its key, which stays there.")
]
_Model = Annotated[str, typer.Option("--model", metavar="NAME", help="The model that it is asked for.")]
_Format = Annotated[str, typer.Option("--format", metavar="NAME", help="Its answers: wav, flac, mp3, opus or pcm.")]
_Rate = Annotated[
    int, typer.Option("--rate", metavar="HZ", help="The sample rate of pcm; other formats tell it.", min=0, max=192_000)
]
_Language = Annotated[
    str,
    typer.Option("--language", metavar="TAG", help="Of voices that do not say it. Else their texts go as written."),
]
_Parallel = Annotated[int, typer.Option("--parallel", metavar="N", help="Sentences that it is asked for at once.")]
_Timeout = Annotated[float, typer.Option("--timeout", metavar="SECONDS", help="How long it may be silent.")]
_Retry = Annotated[float, typer.Option("--retry", metavar="SECONDS", help="How long it may be busy or gone.")]


@group.command("add")
def add(
    name: _Name,
    url: _Url,
    voice: _Voices = [],  # noqa: B006 (Typer copies it)
    key_file: _KeyFile = None,
    model: _Model = "tts-1",
    format: _Format = "wav",
    rate: _Rate = 0,
    language: _Language = "",
    parallel: _Parallel = 4,
    timeout: _Timeout = 120.0,
    retry: _Retry = 60.0,
    as_json: options.AsJson = False,
) -> None:
    """Add a server, or change it. Its voices are listed, and one of them says a word."""
    from voxmatrix.remote.servers import Server, save_server, with_version

    server = Server(
        url=with_version(url),
        key_file=str(key_file.absolute()) if key_file else "",
        format=format,
        parallel=parallel,
        timeout_seconds=timeout,
        retry_seconds=retry,
    )
    found = _listed(name, server, voice, model=model, rate_hz=rate, language=language)
    save_server(name, server, found)
    names = [f"remote:{name}/{one.voice}" for one in found]
    if unknown := [one.voice for one in found if not one.language]:
        shown = f"{', '.join(unknown[:3])}{' …' if len(unknown) > 3 else ''}"
        problem = (
            f"the language of {pluralise(len(unknown), 'voice')} is not known ({shown}): texts are sent as written"
        )
        warn(Finding(problem=problem, remedy="to send numbers in words, say it: `language=TAG`", severity="warning"))
    if as_json:
        print_json({"server": name, "voices": names})
        return
    echo(f"{name}: {pluralise(len(names), 'voice')} at {found[0].rate_hz} Hz: {', '.join(names)}")
    echo(f'  → voxmatrix speak --voice "{names[0]}" --text "Hello" --out hello.wav', err=True)


def _listed(
    name: str, server: "Server", named: list[str], *, model: str, rate_hz: int, language: str
) -> "list[RemoteVoice]":
    """The voices of a server: those that are named, else those that it lists."""
    from voxmatrix.remote.client import detected_rate, voices
    from voxmatrix.remote.servers import RemoteVoice, check_name

    check_name(name)
    server = replace(server, retry_seconds=0.0)  # who adds a server need not wait to hear that there is none
    rows = [{"name": one} for one in named] or voices(server)
    if not rows:
        raise UsageError(f"{server.url} lists no voices", "name them with `voice`")

    def made(row: dict[str, Any], rate_hz: int) -> RemoteVoice:
        own = row.get("language") if isinstance(row.get("language"), str) else ""
        known = row.get("rate_hz") if isinstance(row.get("rate_hz"), int) else 0
        spoken = own or language or _by_name(row["name"])
        return RemoteVoice(server=name, voice=row["name"], model=model, rate_hz=known or rate_hz, language=spoken)

    rate_hz = detected_rate(server, made(rows[0], rate_hz))
    return [made(row, rate_hz) for row in rows]


def _by_name(voice: str) -> str:
    """The language that one of Kokoro's names says, as espeak-ng names it; else ""."""
    from voxmatrix.voices.families import families

    known = {letter: language for family in families() for letter, language in family.language_names.items()}
    found = _KOKORO.match(voice)
    return (known | _MORE_LANGUAGES).get(found[1], "") if found else ""


@group.command("list")
def list_servers(as_json: options.AsJson = False) -> None:
    """List the servers that were added."""
    from voxmatrix.remote.servers import servers

    rows = [{"name": name, "url": server.url, "format": server.format} for name, server in servers().items()]
    if as_json:
        print_json({"servers": rows})
        return
    for row in rows:
        echo(f"{row['name']}  {row['url']}  {row['format']}")
    if not rows:
        echo("  → to add a server: voxmatrix voices remote add NAME URL", err=True)


@group.command("remove")
def remove(name: _Name, as_json: options.AsJson = False) -> None:
    """Forget a server and its voices."""
    from voxmatrix.remote.servers import remove_server

    remove_server(name)
    if as_json:
        print_json({"removed": name})
    else:
        echo(f"removed: {name}")
