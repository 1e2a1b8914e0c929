"""What holds for every computer there can be."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.machine.computers import machines as any_machines
from tests.plan.wheels import WHEELS
from voxmatrix.errors import NoDeviceError, NoKernelsError
from voxmatrix.machine.facts import Capability, Gpu, Machine, TorchBuild
from voxmatrix.plan.batch import EFFECTIVE_BATCH, SMALLEST_ON_A_CPU, SMALLEST_ON_A_GPU, choose_batching
from voxmatrix.plan.budget import Budget, Need, memory_budget
from voxmatrix.plan.device_request import older_names, parse_device
from voxmatrix.plan.device_selection import Task
from voxmatrix.plan.plan import Overrides, make_plan
from voxmatrix.settings import Setting
from voxmatrix.tables.gpus import architectures
from voxmatrix.tables.quality import qualities
from voxmatrix.tables.training import memory_table

# Small computers more often than large ones: there the decisions change.
SIZES = st.none() | st.integers(0, 16_000) | st.integers(0, 300_000)
NAMES = st.sampled_from(["NVIDIA GeForce GTX 1660", "Tesla T4", "NVIDIA GB10", "NVIDIA H200", ""]) | st.text(
    max_size=12
)
CAPABILITIES = (
    st.none()
    | st.sampled_from(sorted(architectures())).map(lambda known: Capability(*known))
    | st.builds(Capability, st.integers(3, 14), st.integers(0, 9))
)
TORCHES = (
    st.none()
    | st.builds(
        TorchBuild,
        version=st.sampled_from(["2.6.0+cu124", "2.15.0+cu132", "2.13.0+cpu", "nightly"]),
        cuda=st.sampled_from([None, "12.4", "13.2"]),
        kernels=st.lists(st.sampled_from(["sm_50", "sm_75", "sm_86", "sm_90a", "sm_120", "compute_120"])).map(tuple),
    )
    | st.sampled_from(list(WHEELS.values()))
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
        driver=draw(st.sampled_from([None, "535.54.03", "580.82", "595.58.03", "31.0.101.5186", "?"])),
        unified=draw(st.booleans()),
        mig=draw(st.booleans()),
    )


@st.composite
def machines(draw: st.DrawFn) -> Machine:
    return Machine(
        platform=draw(st.sampled_from(["linux", "windows", "macos"])),
        architecture=draw(st.sampled_from([None, "x86_64", "aarch64", "AMD64"])),
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
    Overrides,
    precision=st.none() | st.sampled_from(["fp32", "bf16", "fp16"]).map(forced),
    tf32=SWITCHES,
    cudnn_benchmark=SWITCHES,
    batch_size=COUNTS,
    accumulation=COUNTS,
    workers=st.none() | st.integers(0, 99).map(forced),
    prepare_workers=COUNTS,
    gradient_checkpointing=SWITCHES,
    graphs=SWITCHES,
    compile=SWITCHES,
    parallel_voices=COUNTS,
)


#: Of the shape that computers have, and any whatever.
COMPUTERS = machines() | any_machines()
TASKS: st.SearchStrategy[Task] = st.sampled_from(["train", "speak"])
SECONDS = st.floats(0.1, 60.0)


@settings(max_examples=examples(300))
@given(COMPUTERS, QUALITIES, ASKED, TASKS, SECONDS)
def test_every_computer_has_a_plan_in_which_what_is_forced_stays(
    machine: Machine, quality: str, asked: Overrides, task: Task, seconds: float
) -> None:
    plan = make_plan(machine, quality, asked, task=task, longest_seconds=seconds)
    for name, setting in plan.settings.items():
        assert setting.reason.strip()
        wished = getattr(asked, name, None)
        assert setting == wished or (setting.source == "automatic" and (wished is None or name == "device"))
    assert all(finding.problem and finding.remedy for finding in plan.findings)
    assert make_plan(machine, quality, asked, task=task, longest_seconds=seconds) == plan


@settings(max_examples=examples(300))
@given(COMPUTERS, QUALITIES, ASKED, SECONDS)
def test_a_step_learns_from_32_clips_unless_something_is_forced(
    machine: Machine, quality: str, asked: Overrides, seconds: float
) -> None:
    plan = make_plan(machine, quality, asked, longest_seconds=seconds)
    assert plan.effective_batch.value == plan.batch_size.value * plan.accumulation.value
    if asked.accumulation is None and (asked.batch_size is None or EFFECTIVE_BATCH % asked.batch_size.value == 0):
        assert plan.effective_batch.value == EFFECTIVE_BATCH
    if asked.batch_size is None:
        most = 1 if asked.accumulation is None else asked.accumulation.value
        assert plan.effective_batch.value <= max(EFFECTIVE_BATCH, most)
    if plan.effective_batch.value != EFFECTIVE_BATCH:
        assert "forced" in plan.effective_batch.reason


@settings(max_examples=examples(500))
@given(machines(), QUALITIES)
def test_the_precision_is_one_that_the_capability_has(machine: Machine, quality: str) -> None:
    plan = make_plan(machine, quality, Overrides())
    gpu = next((gpu for gpu in machine.gpus if gpu.device == plan.device.value), None)
    capability = gpu.capability if gpu and gpu.kind == "cuda" else None
    if capability is None or capability < (7, 0):
        assert plan.precision.value == "fp32"
    elif capability < (8, 0):
        assert plan.precision.value in ("fp32", "fp16")
    else:
        assert plan.precision.value == "bf16"
    assert plan.tf32.value == (capability is not None and capability >= (8, 0))
    assert plan.scaler.value == (plan.precision.value == "fp16")


@settings(max_examples=examples(300))
@given(COMPUTERS, QUALITIES, ASKED, SECONDS)
def test_a_batch_fits_or_it_is_said_that_it_does_not(
    machine: Machine, quality: str, asked: Overrides, seconds: float
) -> None:
    plan = make_plan(machine, quality, asked, longest_seconds=seconds)
    gpu = next((gpu for gpu in machine.gpus if gpu.device == plan.device.value), None)
    budget, table = memory_budget(gpu, machine), memory_table()
    need = Need(row=table.qualities[quality], table=table, seconds=seconds, half=plan.precision.value != "fp32")
    fits = need.fits(plan.batch_size.value, plan.gradient_checkpointing.value, budget)
    warnings = (f"batch {plan.batch_size.value} needs", "training needs at least")
    warned = any(finding.problem.startswith(warnings) for finding in plan.findings)
    assert budget.mib is None or fits != warned
    if not fits and budget.mib is not None and asked.batch_size is None:
        assert plan.batch_size.value == 1
        assert plan.gradient_checkpointing.value or asked.gradient_checkpointing


@settings(max_examples=examples(300))
@given(COMPUTERS, QUALITIES, ASKED, st.integers(1, 2000) | st.integers(1, 200_000))
def test_more_memory_never_gives_a_smaller_batch(
    machine: Machine, quality: str, asked: Overrides, more_mib: int
) -> None:
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


@settings(max_examples=examples(300))
@given(
    QUALITIES,
    SECONDS,
    st.booleans(),
    st.sampled_from([SMALLEST_ON_A_CPU, SMALLEST_ON_A_GPU]),
    COUNTS,
    SWITCHES,
    st.sampled_from([1, 2, 4, 8, 16, 32]),
    st.booleans(),
    st.floats(0.0, 100.0),
    st.floats(0.0, 100.0),
)
def test_nor_does_it_where_a_batch_only_just_fits(
    quality: str,
    seconds: float,
    half: bool,
    smallest: int,
    accumulation: Setting[int] | None,
    checkpointing: Setting[bool] | None,
    size: int,
    checkpointed: bool,
    less_mib: float,
    more_mib: float,
) -> None:
    table = memory_table()
    need = Need(row=table.qualities[quality], table=table, seconds=seconds, half=half)
    edge = need.mib(size, checkpointed)
    less, more = (
        choose_batching(
            Budget(mib=max(0.0, mib), why="so said"),
            need,
            smallest=smallest,
            accumulation=accumulation,
            checkpointing=checkpointing,
        )
        for mib in (edge - less_mib, edge + more_mib)
    )
    assert more.batch_size.value >= less.batch_size.value


def _more(mib: int | None, more_mib: int) -> int | None:
    return None if mib is None else mib + more_mib


@given(machines(), st.sampled_from(["yes", "no", "auto", ""]), st.sampled_from(["", "0", "1", "9"]), st.booleans())
def test_the_variables_of_the_seeds_never_end_a_command(
    machine: Machine, use_gpu: str, number: str, adapter: bool
) -> None:
    request = older_names({"USE_GPU": use_gpu, "DIRECTML_DEVICE" if adapter else "GPU_ID": number})
    plan = make_plan(machine, "medium", Overrides(device=request))
    assert plan.device.value == "cpu" or plan.device.value in {f"{gpu.kind}:{gpu.index}" for gpu in machine.gpus}
    if use_gpu == "no":
        assert plan.device.value == "cpu"


@given(machines(), st.sampled_from(["cuda", "cuda:0", "cuda:2", "directml:0", "gpu", "1", "mps"]))
def test_a_demand_is_met_or_ends_with_its_exit_code_and_a_remedy(machine: Machine, device: str) -> None:
    request = parse_device(device, "flag", f"--device {device}")
    try:
        plan = make_plan(machine, "medium", Overrides(device=request))
    except (NoDeviceError, NoKernelsError) as error:
        assert error.problem
        assert error.remedy
    else:
        assert plan.device.source == "flag"
        assert plan.device.value != "cpu"
