"""What holds for every computer there can be."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import NoDeviceError, NoKernelsError
from app.machine.facts import Capability, Gpu, Machine, TorchBuild
from app.plan.batch import EFFECTIVE_BATCH
from app.plan.device import older_names, parse_device
from app.plan.plan import Asked, make_plan
from app.settings import Setting
from app.tables.quality import qualities

SIZES = st.none() | st.integers(0, 300_000)
NAMES = st.sampled_from(["NVIDIA GeForce GTX 1660", "Tesla T4", "NVIDIA GB10", "NVIDIA H200", ""]) | st.text(
    max_size=12
)
CAPABILITIES = st.none() | st.builds(Capability, st.integers(3, 14), st.integers(0, 9))
TORCHES = st.none() | st.builds(
    TorchBuild,
    version=st.sampled_from(["2.6.0+cu124", "2.15.0+cu132", "2.13.0+cpu", "nightly"]),
    cuda=st.sampled_from([None, "12.4", "13.2"]),
    kernels=st.lists(st.sampled_from(["sm_50", "sm_75", "sm_86", "sm_90a", "sm_120", "compute_120"])).map(tuple),
)
QUALITIES = st.sampled_from(sorted(qualities()))


@st.composite
def gpus(draw: st.DrawFn, index: int = 0) -> Gpu:
    return Gpu(
        index=index,
        kind=draw(st.sampled_from(["cuda", "cuda", "directml", "xpu", "rocm", "mps"])),
        name=draw(st.none() | NAMES),
        uuid=draw(st.none() | st.just(f"GPU-{index}")),
        capability=draw(CAPABILITIES),
        memory_mib=draw(SIZES),
        free_mib=draw(SIZES),
        driver=draw(st.sampled_from([None, "535.54.03", "580.82", "31.0.101.5186", "?"])),
        unified=draw(st.booleans()),
        mig=draw(st.booleans()),
    )


@st.composite
def machines(draw: st.DrawFn) -> Machine:
    return Machine(
        platform=draw(st.sampled_from(["linux", "windows", "macos"])),
        wsl=draw(st.booleans()),
        cpus=draw(st.integers(1, 512)),
        memory_mib=draw(SIZES),
        available_mib=draw(SIZES),
        shm_mib=draw(SIZES),
        gpus=tuple(draw(gpus(index)) for index in range(draw(st.integers(0, 3)))),
        torch=draw(TORCHES),
    )


def forced(value: object) -> Setting[object]:
    return Setting(value=value, reason="given by a flag", source="flag")


COUNTS = st.none() | st.integers(1, 200).map(forced)
SWITCHES = st.none() | st.booleans().map(forced)
ASKED = st.builds(
    Asked,
    precision=st.none() | st.sampled_from(["fp32", "bf16", "fp16"]).map(forced),
    tf32=SWITCHES,
    cudnn_benchmark=SWITCHES,
    batch_size=COUNTS,
    accumulation=COUNTS,
    workers=st.none() | st.integers(0, 99).map(forced),
    prepare_workers=COUNTS,
    gradient_checkpointing=SWITCHES,
    compile=SWITCHES,
    parallel_voices=COUNTS,
)


@settings(deadline=None)
@given(machines(), QUALITIES, ASKED)
def test_every_computer_has_a_plan_in_which_what_is_forced_stays(machine: Machine, quality: str, asked: Asked) -> None:
    plan = make_plan(machine, quality, asked)
    for name, setting in plan.settings.items():
        assert setting.reason
        wished = getattr(asked, name, None)
        assert setting == wished or (setting.source == "automatic" and (wished is None or name == "device"))
    assert plan.effective_batch.value == plan.batch_size.value * plan.accumulation.value
    if asked.batch_size is None and asked.accumulation is None:
        assert plan.effective_batch.value == EFFECTIVE_BATCH
    assert all(finding.problem and finding.remedy for finding in plan.findings)


@settings(deadline=None)
@given(machines(), QUALITIES)
def test_the_precision_is_one_that_the_capability_has(machine: Machine, quality: str) -> None:
    plan = make_plan(machine, quality, Asked())
    kind, _, index = plan.device.value.partition(":")
    capability = machine.gpus[int(index)].capability if kind == "cuda" else None
    if capability is None or capability < (7, 0):
        assert plan.precision.value == "fp32"
    if capability is None or capability < (8, 0):
        assert plan.precision.value != "bf16"
        assert not plan.tf32.value
    assert plan.scaler.value == (plan.precision.value == "fp16")


@settings(deadline=None)
@given(machines(), QUALITIES, ASKED, st.integers(1, 200_000))
def test_more_memory_never_gives_a_smaller_batch(machine: Machine, quality: str, asked: Asked, more_mib: int) -> None:
    """Of one GPU: with several, more memory may let another one be chosen."""
    one = replace(machine, gpus=machine.gpus[:1])
    larger = replace(
        one,
        memory_mib=_more(one.memory_mib, more_mib),
        available_mib=_more(one.available_mib, more_mib),
        gpus=tuple(
            replace(gpu, memory_mib=_more(gpu.memory_mib, more_mib), free_mib=_more(gpu.free_mib, more_mib))
            for gpu in one.gpus
        ),
    )
    less, more = make_plan(one, quality, asked), make_plan(larger, quality, asked)
    assert more.batch_size.value >= less.batch_size.value
    assert more.parallel_voices.value >= less.parallel_voices.value


def _more(mib: int | None, more_mib: int) -> int | None:
    return None if mib is None else mib + more_mib


@settings(deadline=None)
@given(machines(), st.sampled_from(["yes", "no", "auto", ""]), st.sampled_from(["", "0", "1", "9"]), st.booleans())
def test_the_variables_of_the_seeds_never_end_a_command(
    machine: Machine, use_gpu: str, number: str, adapter: bool
) -> None:
    wish = older_names({"USE_GPU": use_gpu, "DIRECTML_DEVICE" if adapter else "GPU_ID": number})
    plan = make_plan(machine, "medium", Asked(device=wish))
    assert plan.device.value == "cpu" or plan.device.value in {f"{gpu.kind}:{gpu.index}" for gpu in machine.gpus}
    if use_gpu == "no":
        assert plan.device.value == "cpu"


@settings(deadline=None)
@given(machines(), st.sampled_from(["cuda", "cuda:0", "cuda:2", "directml:0", "gpu", "1", "mps"]))
def test_a_demand_is_met_or_ends_with_its_exit_code_and_a_remedy(machine: Machine, device: str) -> None:
    wish = parse_device(device, "flag", f"--device {device}")
    try:
        plan = make_plan(machine, "medium", Asked(device=wish))
    except (NoDeviceError, NoKernelsError) as error:
        assert error.problem
        assert error.remedy
    else:
        assert plan.device.source == "flag"
        assert plan.device.value != "cpu"
