"""What suits a computer, and why not."""

from voxmatrix.external.fit import fit
from voxmatrix.external.installed import packs
from voxmatrix.external.manifest import FILE, read_manifest
from voxmatrix.machine.facts import Capability, Gpu, Machine, TorchBuild


def _machine(gpu: Gpu | None = None, torch: str = "2.10.0+cu128", cuda: str | None = "12.8") -> Machine:
    build = TorchBuild(version=torch, cuda=cuda)
    return Machine(platform="linux", cpus=4, memory_mib=64_000, gpus=(gpu,) if gpu else (), torch=build)


def _gpu(capability: str, memory_mib: int) -> Gpu:
    return Gpu(index=0, kind="cuda", name="GPU", capability=Capability.parse(capability), memory_mib=memory_mib)


def test_what_suits_a_gpu_and_why_not() -> None:
    hf = read_manifest(packs()["hf"] / FILE)
    large, small = _gpu("12.0", 32_000), _gpu("8.6", 12_000)
    assert fit(hf.of("vibevoice-7b"), _machine(large)).device == "cuda:0"
    found = fit(hf.of("vibevoice-7b"), _machine(small))
    assert found.device == "cpu"
    assert found.reasons == ("cuda:0: it takes 17,900 MiB of memory, and there are 12,000",)
    assert fit(hf.of("vibevoice-1-5b"), _machine(small)).device == "cuda:0"
    turing = fit(hf.of("vibevoice-1-5b"), _machine(_gpu("7.5", 8_000)))  # without bfloat16: twice the memory
    assert turing.reasons == ("cuda:0: it takes 10,400 MiB of memory, and there are 8,000",)
    assert "not built for it" in fit(hf, _machine(large, "2.13.0+cpu", None)).reasons[0]
    old = fit(hf, _machine(large, "2.4.1"))
    assert (old.device, old.reasons) == ("", ("it needs torch >=2.6, and this is 2.4.1",))
