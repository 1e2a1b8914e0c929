"""Flags of `voxmatrix speak` without an effect. Variables and voxmatrix.toml may set them for other commands."""

from pathlib import Path

from voxmatrix.cli.parameters.sources import ParameterSources
from voxmatrix.errors import UsageError
from voxmatrix.plan.overrides import override_number

#: Standard input or output.
STANDARD = "-"


def check_one_text(sources: ParameterSources, *, out: str, extension: str, parallel_voices: str, as_json: bool) -> None:
    """Check the options of a batch, and --json, where one text is spoken.

    Raises:
        UsageError: one is invalid, or is a flag without an effect.
    """
    if as_json and out == STANDARD:
        raise UsageError("--json and --out - both write to standard output", "omit --json, or choose --out speech.wav")
    forced = override_number(parallel_voices, *sources.of("parallel_voices"))
    if forced and forced.value > 1 and forced.source == "flag":
        raise UsageError(
            f"--parallel-voices is {forced.value}, and one text is spoken by one voice",
            "omit it, or give many texts with --batch",
        )
    if sources.is_set("format"):
        _check_format(sources, out, extension)


def _check_format(sources: ParameterSources, out: str, extension: str) -> None:
    from voxmatrix.work.batch import check_extension

    check_extension(extension)
    if sources.of("format")[1] != "flag":
        return
    if out == STANDARD and extension != "wav":
        remedy = "add --raw" if extension in ("raw", "pcm") else f"choose a file, e.g. --out speech.{extension}"
        raise UsageError(f"--format is {extension!r}, and --out - streams WAV", f"omit --format, and {remedy}")
    if out != STANDARD and Path(out).suffix.lower() != f".{extension}":
        raise UsageError(
            f"--format is {extension!r}, and the format of one text is the extension of --out {out}",
            f"omit --format, or choose --out {Path(out).with_suffix(f'.{extension}')}",
        )


def check_sound(sources: ParameterSources, extension: str) -> None:
    """Check the flags that suit some formats only.

    Raises:
        UsageError: one has no effect on files with this extension.
    """
    given = [name for name in ("raw", "bitrate") if sources.of(name)[1] == "flag"]
    if not given:
        return
    from voxmatrix.audio.encode import FORMATS
    from voxmatrix.speak.wav import PLAIN

    if "bitrate" in given and f".{extension}" in PLAIN:
        raise UsageError(f"--bitrate has no effect on {extension}", "omit it, or choose mp3")
    if "raw" in given and f".{extension}" not in PLAIN and extension in FORMATS:
        raise UsageError(f"--raw has no effect on {extension}", "omit it, or choose raw")
