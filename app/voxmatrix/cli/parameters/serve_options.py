"""The options of `voxmatrix serve`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from voxmatrix.cli.parameters import options
from voxmatrix.cli.parameters.reconfigure import ReconfigureOption
from voxmatrix.serve.settings import ServeSettings

MAX_PORT = 65_535
MIB = 2**20


@dataclass(frozen=True, kw_only=True)
class ServeOptions(options.QuotationOptions, options.ThreadOptions, ReconfigureOption, options.DeviceOptions):
    """The options of `voxmatrix serve`."""

    host: Annotated[str, options.option("--host", "HOST", "Address to listen on.", panel="Server")] = ServeSettings.host
    port: Annotated[
        int,
        options.option("--port", "N", "Port (also VIBEVOICE_PORT; 0: any).", panel="Server", min=0, max=MAX_PORT),
    ] = ServeSettings.port
    wyoming_port: Annotated[
        int | None,
        options.option(
            "--wyoming-port", "N", "Also speak Wyoming, for Home Assistant, e.g. on 10200.", panel="Server",
            min=0, max=MAX_PORT,
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
    lexicon: options.LexiconFile = None
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
    open: Annotated[bool, typer.Option("--open", help="Open the page in the browser.", rich_help_panel="Server")] = (
        False
    )
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
    ] = ServeSettings.max_upload_bytes // MIB
    cluster: options.ClusterUrl = ""
