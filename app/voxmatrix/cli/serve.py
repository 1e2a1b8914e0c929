"""`voxmatrix serve`: speak for programs that know OpenAI's API, Piper's server or VibeVoice's demo."""

import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from voxmatrix.child_environment import drop_read_secrets
from voxmatrix.cli.parameters import options
from voxmatrix.cli.parameters.expand import expand
from voxmatrix.cli.parameters.sources import ParameterSources, requested_device
from voxmatrix.cli.terminal.messages import echo, warn
from voxmatrix.cli.voices import voice_named
from voxmatrix.config import IMAGE_VARIABLE, environment
from voxmatrix.errors import Finding, MissingProgramError, UnreachableError, UsageError
from voxmatrix.files import write_text
from voxmatrix.serve.settings import ServeSettings, checked_aliases, checked_origin, checked_root_path

_PACKAGES = ("fastapi", "uvicorn", "prometheus_client", "websockets", "wyoming")
_MAX_PORT = 65_535
_MIB = 2**20
#: The variables of an older program.
_OLDER_PORT, _OLDER_VOICE = "VIBEVOICE_PORT", "VIBEVOICE_MODEL"


@dataclass(frozen=True, kw_only=True)
class ServeOptions(options.QuotationOptions, options.ThreadOptions, options.DeviceOptions):
    """The options of this command."""

    host: Annotated[str, options.option("--host", "HOST", "Address to listen on.", panel="Server")] = ServeSettings.host
    port: Annotated[
        int,
        options.option("--port", "N", "Port (also VIBEVOICE_PORT; 0: any).", panel="Server", min=0, max=_MAX_PORT),
    ] = ServeSettings.port
    wyoming_port: Annotated[
        int | None,
        options.option(
            "--wyoming-port", "N", "Also speak Wyoming, for Home Assistant, e.g. on 10200.", panel="Server",
            min=0, max=_MAX_PORT,
        ),
    ] = None  # fmt: skip
    wyoming_host: Annotated[
        str, options.option("--wyoming-host", "HOST", "Address for Wyoming, which has no keys.", panel="Server")
    ] = ServeSettings.wyoming_host
    voice: Annotated[
        str,
        options.option(
            "--voice",
            "PATH",
            "Default voice: name or path (also VIBEVOICE_MODEL).",
            panel="Voice",
            parser=options.voice,
        ),
    ] = ""
    alias: Annotated[
        list[str] | None,
        options.option(
            "--alias", "NAME=VOICE", "Another name of a voice, or VOICE:SPEAKER; repeatable.", panel="Voice"
        ),
    ] = None
    sentence_pause: Annotated[
        float | None,
        options.option(
            "--sentence-pause", "SECONDS", "Pause between sentences (0.2; Piper's API: none).", panel="Voice"
        ),
    ] = None
    volume: options.Volume = ServeSettings.volume
    keys: Annotated[
        Path | None, options.option("--keys", "FILE", "Answer only those who send one of these keys.", panel="Server")
    ] = None
    key: Annotated[
        str,
        options.option(
            "--key", "KEY", "Answer only those who send this key; better in VOXMATRIX_KEY.", panel="Server"
        ),
    ] = ""  # fmt: skip
    key_file: Annotated[
        Path | None, options.option("--key-file", "FILE", "A file with that key, e.g. a secret.", panel="Server")
    ] = None
    new_key: Annotated[
        bool,
        typer.Option("--new-key", help="Add a key to the file, print it, and exit.", rich_help_panel="Server"),
    ] = False
    no_keys: Annotated[
        bool, options.option("--no-keys", None, "Answer everybody who reaches --host.", panel="Server")
    ] = False
    open_lists: Annotated[
        bool, options.option("--open-lists", None, "List voices and models without a key.", panel="Server")
    ] = False
    allow_host: Annotated[
        list[str] | None,
        options.option("--allow-host", "NAME", "Host name that clients use; repeatable.", panel="Server"),
    ] = None
    allow_origin: Annotated[
        list[str] | None,
        options.option(
            "--allow-origin", "URL", "Site whose pages may use the API (*: any); repeatable.", panel="Server"
        ),
    ] = None
    root_path: Annotated[
        str, options.option("--root-path", "PATH", "Path that a proxy shows the server at: /voice.", panel="Server")
    ] = ServeSettings.root_path
    mcp: Annotated[
        bool, options.option("--mcp", None, "Let assistants speak: the Model Context Protocol at /mcp.", panel="Server")
    ] = False
    zeroconf: Annotated[
        bool, options.option("--zeroconf", None, "Let Home Assistant find the Wyoming port.", panel="Server")
    ] = False
    log_json: Annotated[bool, options.option("--log-json", None, "Log JSON, a line per request.", panel="Server")] = (
        False
    )
    max_input: Annotated[
        int, options.option("--max-input", "N", "Characters of a text.", panel="Limits", min=1, max=10_000_000)
    ] = ServeSettings.max_input
    queue: Annotated[
        int, options.option("--queue", "N", "Answers that may wait for a voice.", panel="Limits", min=0)
    ] = ServeSettings.queue
    voice_memory: Annotated[
        int, options.option("--voice-memory", "MIB", "Memory for voices.", panel="Limits", min=1)
    ] = ServeSettings.voice_memory_mib
    voice_idle: Annotated[
        float, options.option("--voice-idle", "MINUTES", "Unload voices unused for this long.", panel="Limits", min=0.1)
    ] = ServeSettings.voice_idle_seconds / 60.0

    max_upload: Annotated[
        int, options.option("--max-upload", "MIB", "Size of an uploaded file.", panel="Limits", min=1)
    ] = ServeSettings.max_upload_bytes // _MIB
    cluster: options.ClusterUrl = ""


@expand
def command(context: typer.Context, *, given: ServeOptions) -> None:
    """Speak over HTTP until Ctrl-C, for programs that know OpenAI's API, Piper's server or VibeVoice's demo."""
    if given.new_key:
        _show_new_key(given.keys)
        return
    key, settings = _settings(ParameterSources(context), given)
    absent = [name for name in _PACKAGES if find_spec(name) is None]
    if absent:
        raise MissingProgramError(
            f"not installed, and the server needs them: {', '.join(absent)}", 'pip install "voxmatrix[serve]"'
        )
    if given.cluster:
        _check_cluster(settings.cluster)
    drop_read_secrets()
    from voxmatrix.compute.memory import limit_heaps
    from voxmatrix.machine.probes.limits import cpus
    from voxmatrix.serve.log import json_log, text_log
    from voxmatrix.serve.server import HttpServer, url_of

    limit_heaps(cpus())
    _tell_health_check(url_of(settings.host, settings.port))
    server = HttpServer(settings, json_log if given.log_json else text_log)
    try:
        server.run(partial(_show_url, key))
    except KeyboardInterrupt:
        echo("stopped", err=True)


def _check_cluster(broker: str) -> None:
    """Warn if the broker does not answer: only books need it, and it may be started later.

    Raises:
        MissingProgramError: Celery is not installed.
    """
    from voxmatrix.work.cluster.broker import cluster_app
    from voxmatrix.work.cluster.broker_client import BrokerClient

    try:
        BrokerClient(cluster_app(broker), broker).check()
    except UnreachableError as error:
        problem = f"no books on the cluster yet: {error.problem}"
        warn(Finding(problem=problem, remedy=error.remedy, severity="warning"))


def _show_url(key: str, url: str) -> None:
    """Print a URL of the server and, if it is the page's and there is a key for this run, the address to open."""
    if url.startswith("http:"):
        _tell_health_check(url)
    echo(f"serving on {url}")
    if key and url.startswith("http:"):
        echo(f"open http://127.0.0.1:{url.rpartition(':')[2]}/#key={key}")
        echo(
            "  → it contains the key of this run, also for programs; VOXMATRIX_KEY chooses one, --no-keys needs none",
            err=True,
        )


def _tell_health_check(url: str) -> None:
    """In an image, write where this server listens, for docker/healthcheck.py."""
    if IMAGE_VARIABLE in os.environ:
        with suppress(UnreachableError):
            write_text(Path(tempfile.gettempdir(), f"voxmatrix-serve-{os.getpid()}"), url)


def _show_new_key(file: Path | None) -> None:
    """Print a new key.

    Raises:
        UsageError: no file was given.
    """
    from voxmatrix.serve.security.keys import add_key

    if file is None:
        raise UsageError("--new-key needs the file of keys", "add --keys FILE")
    echo(add_key(file))
    echo(f"  → its digest is in {file}; the key itself is stored nowhere: keep it", err=True)


def _settings(sources: ParameterSources, given: ServeOptions) -> tuple[str, ServeSettings]:
    """The settings of these options, and the key that was made for this run, or "".

    A server that others can reach always has a key, unless it may answer everybody.

    Raises:
        UsageError: Wyoming, which has no keys, would answer everybody in the network, or a value is invalid.
        BadInputError: there is no voice, or the file of keys cannot be read.
    """
    from voxmatrix.serve.security.hosts import is_loopback
    from voxmatrix.serve.security.keys import checked_digest, new_key, read_key, read_keys
    from voxmatrix.work.cluster.broker import broker_url

    if not is_loopback(given.wyoming_host) and not given.no_keys:
        raise UsageError(
            f"--wyoming-host {given.wyoming_host} lets other computers in, and Wyoming has no keys",
            "omit it to answer only this computer, or add --no-keys to answer everybody (HTTP still asks for --keys)",
        )
    if given.zeroconf:
        _check_zeroconf(given)
    if given.mcp and find_spec("mcp") is None:
        raise MissingProgramError("mcp is not installed, and --mcp needs it", 'pip install "voxmatrix[mcp]"')
    key, digests = "", read_keys(given.keys) if given.keys else frozenset()
    digests |= {checked_digest(given.key, "`key`")} if given.key else set()
    digests |= {read_key(given.key_file)} if given.key_file else set()
    if not is_loopback(given.host) and not digests and not given.no_keys:
        key, digest = new_key()
        digests = frozenset({digest})
    voice = _named(sources, "voice", given.voice, _OLDER_VOICE)
    return key, ServeSettings(
        voice=voice_named(voice).path if voice else None,
        aliases=checked_aliases(_each(given.alias)),
        sentence_pause=given.sentence_pause,
        volume=given.volume,
        dialogue_voice=given.dialogue_voice,
        emphasis_voice=given.emphasis_voice,
        host=given.host,
        port=_port(sources, given.port),
        wyoming_host=given.wyoming_host,
        wyoming_port=given.wyoming_port,
        key_digests=digests,
        allowed_hosts=tuple(_each(given.allow_host)),
        allowed_origins=tuple(map(checked_origin, _each(given.allow_origin))),
        open_lists=given.open_lists,
        root_path=checked_root_path(given.root_path),
        mcp=given.mcp,
        zeroconf=given.zeroconf,
        device=requested_device(sources, given.device, given.gpu, given.use_gpu),
        threads=given.threads,
        max_input=given.max_input,
        queue=given.queue,
        voice_memory_mib=given.voice_memory,
        voice_idle_seconds=60.0 * given.voice_idle,
        max_upload_bytes=given.max_upload * _MIB,
        cluster=broker_url(given.cluster, environment()) if given.cluster else "",
    )


def _each(given: list[str] | None) -> list[str]:
    """The values of an option that is repeatable; a variable separates them with spaces or commas."""
    return [value for part in given or () for value in part.replace(",", " ").split()]


def _check_zeroconf(given: ServeOptions) -> None:
    """Check that there is something to announce.

    Raises:
        UsageError: other computers cannot reach Wyoming.
        MissingProgramError: the package is not installed.
    """
    from voxmatrix.serve.security.hosts import is_loopback

    if given.wyoming_port is None or is_loopback(given.wyoming_host):
        raise UsageError(
            "--zeroconf announces Wyoming, which no other computer can reach",
            "add --wyoming-port 10200 --wyoming-host 0.0.0.0 --no-keys",
        )
    if find_spec("zeroconf") is None:
        raise MissingProgramError(
            "zeroconf is not installed, and --zeroconf needs it", 'pip install "voxmatrix[zeroconf]"'
        )


def _named(sources: ParameterSources, name: str, given: str, older: str) -> str:
    """What was given or, unless a flag or a variable of ours sets it, the variable of an older program."""
    if sources.of(name)[1] in ("flag", "environment", ".env"):
        return given
    return environment().get(older, "") or given


def _port(sources: ParameterSources, given: int) -> int:
    text = _named(sources, "port", str(given), _OLDER_PORT)
    if not (text.isascii() and text.isdecimal() and int(text) <= _MAX_PORT):
        raise UsageError(f"{_OLDER_PORT} is {text!r}", f"set it to a number from 0 to {_MAX_PORT}")
    return int(text)
