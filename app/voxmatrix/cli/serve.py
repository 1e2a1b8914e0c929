"""`voxmatrix serve`: speak for programs that know OpenAI's API, Piper's server or VibeVoice's demo."""

import os
import tempfile
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import typer

from voxmatrix.child_environment import drop_read_secrets
from voxmatrix.cli.open_page import open_page, page_address
from voxmatrix.cli.parameters.expand import expand
from voxmatrix.cli.parameters.named_voice import voice_named
from voxmatrix.cli.parameters.serve_options import MAX_PORT, MIB, ServeOptions
from voxmatrix.cli.parameters.sources import ParameterSources, requested_device
from voxmatrix.cli.terminal.messages import echo, warn
from voxmatrix.config import IMAGE_VARIABLE, environment
from voxmatrix.errors import BadInputError, Finding, MissingProgramError, UnreachableError, UsageError
from voxmatrix.files import write_text
from voxmatrix.serve.settings import ServeSettings, checked_aliases, checked_origin, checked_root_path

_PACKAGES = ("fastapi", "uvicorn", "prometheus_client", "websockets", "wyoming")
#: The variables of an older program.
_OLDER_PORT, _OLDER_VOICE = "VIBEVOICE_PORT", "VIBEVOICE_MODEL"


@expand
def command(context: typer.Context, *, given: ServeOptions) -> None:
    """Serve a page to speak, record, train and make audiobooks, and OpenAI's speech API, until Ctrl-C.

    Programs for Piper's server, VibeVoice's demo and Wyoming can use it, too.
    """
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
        server.run(partial(_show_url, key, opens=given.open))
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


def _show_url(key: str, url: str, *, opens: bool = False) -> None:
    """Print a URL of the server. If it is the page's, also the address with the key of this run, and open the page."""
    is_page = url.startswith("http:")
    if is_page:
        _tell_health_check(url)
    echo(f"serving on {url}")
    if not is_page:
        return
    address = page_address(url)
    if key:
        echo(f"open {address}/#key={key}")
        echo(
            "  → it contains the key of this run, also for programs; VOXMATRIX_KEY chooses one, --no-keys needs none",
            err=True,
        )
    if opens:
        open_page(address)  # without the key, which others would see in the list of processes: the page asks for it


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
        BadInputError: there is no voice, or the lexicon or the file of keys cannot be read.
    """
    from voxmatrix.serve.security.hosts import is_loopback
    from voxmatrix.serve.security.keys import checked_digest, new_key, read_key, read_keys
    from voxmatrix.text.lexicon import Lexicon
    from voxmatrix.text.lexicon_file import read_lexicon
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
        voice=_voice(voice) if voice else None,
        aliases=checked_aliases(_each(given.alias)),
        sentence_pause=given.sentence_pause,
        volume=given.volume,
        lexicon=read_lexicon(given.lexicon) if given.lexicon else Lexicon(),
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
        max_upload_bytes=given.max_upload * MIB,
        cluster=broker_url(given.cluster, environment()) if given.cluster else "",
    )


def _voice(name: str) -> Path:
    """The file of the default voice. The names of VibeVoice's models are those of weights that an engine needs.

    Raises:
        BadInputError: there is none of this name.
    """
    try:
        return voice_named(name).path
    except BadInputError as error:
        if "vibevoice" not in name.lower() or name != environment().get(_OLDER_VOICE):
            raise
        remedy = f"voxmatrix engines install hf --weights vibevoice-1-5b, then {_OLDER_VOICE}=hf/vibevoice-1-5b"
        raise BadInputError(error.problem, f"{remedy}; or unset it for the default voice") from error


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
    if not (text.isascii() and text.isdecimal() and int(text) <= MAX_PORT):
        raise UsageError(f"{_OLDER_PORT} is {text!r}", f"set it to a number from 0 to {MAX_PORT}")
    return int(text)
