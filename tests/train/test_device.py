"""The planned device becomes torch's, with its switches."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch

from tests.train.asking import HERE, asked
from voxmatrix.errors import NoDeviceError, UsageError
from voxmatrix.machine.facts import Capability, Gpu, Machine, TorchBuild
from voxmatrix.plan.plan import make_plan
from voxmatrix.tables.quality import quality
from voxmatrix.train.data.synthetic import synthetic_networks
from voxmatrix.train.device import autocast, compile_networks, open_devices, planned_gpus

CARD = Gpu(
    index=3, kind="cuda", capability=Capability(9, 0), memory_mib=80000, free_mib=80000, name="H100", driver="600"
)


@pytest.fixture(autouse=True)
def switches() -> Iterator[None]:
    """torch's switches as they were."""
    before = torch.get_float32_matmul_precision()
    yield
    torch.set_float32_matmul_precision(before)
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.allow_tf32 = True


def test_the_cpu_is_opened_with_full_precision() -> None:
    assert open_devices(make_plan(HERE, "mini", asked()), HERE) == [torch.device("cpu")]
    assert torch.get_float32_matmul_precision() == "highest"


@pytest.mark.parametrize(("tf32", "matmul"), [(True, "high"), (False, "highest")])
def test_tf32_is_that_of_products_and_of_convolutions(tf32: bool, matmul: str) -> None:
    plan = make_plan(HERE, "mini", asked())
    open_devices(replace(plan, tf32=replace(plan.tf32, value=tf32)), HERE)
    assert torch.get_float32_matmul_precision() == matmul
    assert torch.backends.cudnn.allow_tf32 is tf32


def test_every_network_that_a_step_calls_with_fixed_shapes_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[torch.nn.Module] = []

    def compile_(network: torch.nn.Module) -> None:
        compiled.append(network)

    monkeypatch.setattr(torch.nn.Module, "compile", compile_)
    networks = synthetic_networks(quality("tiny"), torch.device("cpu"), 1)
    compile_networks(networks)
    assert len(compiled) == 7
    assert set(compiled) == {networks.generator.dec, *networks.discriminator.discriminators}


def test_the_planned_card_comes_first_then_those_like_it() -> None:
    other, like, older = (
        replace(CARD, index=0, capability=Capability(8, 0)),
        replace(CARD, index=1),
        replace(CARD, index=2, capability=Capability(7, 0)),
    )
    wheel = TorchBuild(version="2.10.0+cu128", cuda="12.8", kernels=("sm_80", "sm_90"))
    four = replace(HERE, gpus=(other, like, older, CARD), torch=wheel)
    plan = make_plan(four, "mini", asked(device="cuda:3", devices=3))
    assert planned_gpus(plan, four) == [CARD, like, other]
    with pytest.raises(NoDeviceError, match="devices is 4, but only 3 GPUs"):
        planned_gpus(make_plan(four, "mini", asked(device="cuda:3", devices=4)), four)


def test_processes_on_the_cpu_share_it() -> None:
    assert planned_gpus(make_plan(HERE, "mini", asked(devices=3)), HERE) == [None, None, None]


def test_bfloat16_casts_on_the_cpu_and_float32_does_not() -> None:
    one = torch.ones(2, 2)
    with autocast(torch.device("cpu"), "bf16"):
        assert (one @ one).dtype == torch.bfloat16
    with autocast(torch.device("cpu"), "fp32"):
        assert (one @ one).dtype == torch.float32


def test_graphs_are_for_gpus_from_nvidia() -> None:
    with pytest.raises(UsageError, match="NVIDIA"):
        open_devices(make_plan(HERE, "mini", asked(graphs="on")), HERE)


def test_half_precision_is_for_gpus() -> None:
    with pytest.raises(UsageError, match="GPUs"):
        open_devices(make_plan(HERE, "mini", asked(precision="fp16")), HERE)


def test_several_intel_gpus_cannot_train_together_which_is_said() -> None:
    arcs = tuple(Gpu(index=index, kind="xpu", name="Arc", target="bmg", memory_mib=12288) for index in range(2))
    here = Machine(
        platform="linux", cpus=8, gpus=arcs, torch=TorchBuild(version="2.11.0+xpu", xpu="1", kernels=("bmg",))
    )
    assert planned_gpus(make_plan(here, "mini", asked(device="xpu:0")), here) == [arcs[0]]
    with pytest.raises(NoDeviceError, match="Intel GPUs cannot train a voice together"):
        planned_gpus(make_plan(here, "mini", asked(device="xpu:0", devices=2)), here)
