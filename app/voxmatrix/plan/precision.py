"""The precision of a training, TF32 and loss scaling. Pure."""

from voxmatrix.errors import Finding, UsageError
from voxmatrix.machine.facts import Gpu
from voxmatrix.settings import Setting, automatic
from voxmatrix.tables.training import Precision, PrecisionRow, precision_row

#: Accepted spellings.
SPELLINGS: dict[str, Precision] = {
    **dict.fromkeys(("32", "fp32", "float32", "32-true"), "fp32"),
    **dict.fromkeys(("16", "fp16", "float16", "half", "16-mixed"), "fp16"),
    **dict.fromkeys(("bf16", "bfloat16", "bf16-mixed"), "bf16"),
}
#: What bf16 is worth on a CPU that has, has not, or may have instructions for it. Training has other defaults: it
#: was measured for its speed only (docs/inside/measured-by-hand.md).
_CPU_BF16 = {
    True: (
        "on this one, training with `precision=bf16` is 1.1 to 1.4 times as fast, and speaking many sentences is 1.3 "
        "times as fast with openvino (pip install voxmatrix[openvino])"
    ),
    False: "this one has no instructions for bf16 (AVX512-BF16, AMX)",
    None: "bf16 gains something only with AVX512-BF16 or AMX",
}


def parse_precision(text: str) -> Precision:
    """Parse any usual spelling of a precision.

    Raises:
        UsageError: there is no such precision.
    """
    found = SPELLINGS.get(text.strip().lower())
    if found is None:
        raise UsageError(f"`precision` is {text!r}", "set it to fp32, bf16, fp16 or auto")
    return found


def choose_precision(
    gpu: Gpu | None, forced: Setting[Precision] | None, *, cpu_bf16: bool | None = None
) -> Setting[Precision]:
    """The precision for this device from the table. `cpu_bf16`: whether the CPU multiplies bf16 numbers, if known."""
    if forced is not None:
        return forced
    row = _row(gpu)
    if row is None:
        return automatic("fp32", f"the capability of {_name(gpu)} could not be read, and fp32 runs everywhere")
    about_bf16 = f"; {_CPU_BF16[cpu_bf16]}" if gpu is None else ""
    return automatic(row.precision, f"{_name(gpu)}: {row.because}{about_bf16}")


def choose_tf32(gpu: Gpu | None, forced: Setting[bool] | None) -> Setting[bool]:
    """TF32 for operations that stay in fp32."""
    if forced is not None:
        return forced
    row = _row(gpu)
    if row is not None and row.tf32:
        reason = f"{_name(gpu)} supports it, for what stays in fp32; set by torch.set_float32_matmul_precision"
        return automatic(True, reason)
    return automatic(False, f"{_name(gpu)} does not support TF32, which requires capability 8.0")


def choose_scaler(precision: Setting[Precision]) -> Setting[bool]:
    """Loss scaling for fp16 only; it follows the precision, even a forced one."""
    if precision.value == "fp16":
        return automatic(True, "without loss scaling, small gradients become 0 in fp16")
    return automatic(False, f"only fp16 needs loss scaling; the precision is {precision.value}")


def precision_findings(
    gpu: Gpu | None, precision: Setting[Precision], tf32: Setting[bool], *, cpu_bf16: bool | None = None
) -> list[Finding]:
    """Warnings about forced settings that gain nothing on this device."""
    row = _row(gpu)
    findings = []
    if gpu is None and precision.value == "bf16":
        if precision.source != "automatic" and not cpu_bf16:
            findings.append(_warning(f"precision bf16 on the CPU: {_CPU_BF16[cpu_bf16]}", "set `precision=auto`"))
    elif precision.source != "automatic" and precision.value != "fp32" and (row is None or row.precision == "fp32"):
        why = row.because if row else "its capability could not be read"
        findings.append(_warning(f"precision {precision.value} on {_name(gpu)}: {why}", "set `precision=auto`"))
    elif precision.source != "automatic" and precision.value == "bf16" and row and row.precision == "fp16":
        findings.append(_warning(f"precision bf16 on {_name(gpu)} is emulated and slow", "set `precision=auto`"))
    if tf32.source != "automatic" and tf32.value and not (row and row.tf32):
        findings.append(_warning(f"TF32 has no effect on {_name(gpu)}", "set `tf32=auto`"))
    return findings


def _row(gpu: Gpu | None) -> PrecisionRow | None:
    return precision_row("cpu", None, None) if gpu is None else precision_row(gpu.kind, gpu.capability, gpu.name)


def _name(gpu: Gpu | None) -> str:
    if gpu is None:
        return "the CPU"
    return f"{gpu.name or gpu.kind}" + (f" ({gpu.capability})" if gpu.capability else "")


def _warning(problem: str, remedy: str) -> Finding:
    return Finding(problem=problem, remedy=remedy, severity="warning")
