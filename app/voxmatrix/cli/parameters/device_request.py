"""Which device was asked for: --device, --gpu and --use-gpu, their variables, and those of the seeds."""

from voxmatrix.cli.parameters.sources import ParameterSources
from voxmatrix.config import environment
from voxmatrix.plan.device_request import AUTO, DeviceRequest, gpu_or_cpu, older_names, parse_device
from voxmatrix.settings import Source


def requested_device(said: ParameterSources, device: str, gpu: str, use_gpu: bool | None) -> DeviceRequest:
    """The device, from the strongest that spoke: flag, environment (ours, then the seeds' names), voxmatrix.toml.

    Raises:
        UsageError: one of them says what means nothing.
    """
    spoken = {name: said.of(name) for name in ("device", "gpu", "use_gpu") if said.is_set(name)}
    sources: tuple[Source, ...] = ("flag", "environment", "voxmatrix.toml")
    for source in sources:
        if "device" in spoken and spoken["device"][1] == source:
            return parse_device(device, source, f"{spoken['device'][0]} {device}")
        if "gpu" in spoken and spoken["gpu"][1] == source:
            return parse_device(gpu, source, f"{spoken['gpu'][0]} {gpu}")
        if use_gpu is not None and spoken["use_gpu"][1] == source:
            word = "--use-gpu" if use_gpu else "--no-use-gpu"
            return gpu_or_cpu("yes" if use_gpu else "no", None, source, word if source == "flag" else "use_gpu")
        if source == "environment" and (older := older_names(environment())) is not AUTO:
            return older
    return AUTO
