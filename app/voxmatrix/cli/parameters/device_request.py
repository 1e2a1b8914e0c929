"""The device that was requested: --device, --gpu and --use-gpu, their variables, and those of older programs."""

from voxmatrix.cli.parameters.sources import ParameterSources
from voxmatrix.config import environment
from voxmatrix.plan.device_request import AUTO, DeviceRequest, gpu_or_cpu, older_names, parse_device
from voxmatrix.settings import Source


def requested_device(sources: ParameterSources, device: str, gpu: str, use_gpu: bool | None) -> DeviceRequest:
    """The requested device. A flag overrides the environment, then .env, then the older names, then voxmatrix.toml.

    Raises:
        UsageError: a value is invalid.
    """
    given = {name: sources.of(name) for name in ("device", "gpu", "use_gpu") if sources.is_set(name)}
    by_precedence: tuple[Source, ...] = ("flag", "environment", ".env", "voxmatrix.toml")
    for source in by_precedence:
        if "device" in given and given["device"][1] == source:
            return parse_device(device, source, f"{given['device'][0]} {device}")
        if "gpu" in given and given["gpu"][1] == source:
            return parse_device(gpu, source, f"{given['gpu'][0]} {gpu}")
        if use_gpu is not None and given["use_gpu"][1] == source:
            word = "--use-gpu" if use_gpu else "--no-use-gpu"
            return gpu_or_cpu("yes" if use_gpu else "no", None, source, word if source == "flag" else "use_gpu")
        if source == ".env" and (older := older_names(environment())) is not AUTO:
            return older
    return AUTO
