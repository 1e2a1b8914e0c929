"""The best image for a GPU, and a one-line recommendation. Pure."""

from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.tables import rows
from voxmatrix.tables.gpus import compatibility, drivers, newest
from voxmatrix.tables.image import CPU, DIRECTML, Image, images

#: Kinds of GPU for which torch has builds of its own, by their names.
OTHER_BUILDS = {"rocm": "ROCm", "xpu": "XPU"}


def shows_windows_driver(machine: Machine) -> bool:
    """Whether driver versions are those of Windows: WSL2 uses the Windows driver."""
    return machine.platform == "windows" or machine.wsl


def best_image(gpu: Gpu, machine: Machine) -> Image:
    """The image with the newest torch that runs natively on this GPU with this driver, or the CPU image.

    If the driver is unknown, the image with the lowest driver requirement.
    """
    if gpu.kind == "directml" and machine.platform == "windows":
        return images()[DIRECTML if images()[DIRECTML].is_for(machine.architecture) else CPU]
    if gpu.kind in OTHER_BUILDS:
        return next((image for image in images().values() if _is_made_for(image, gpu, machine)), images()[CPU])
    able, driver = able_images(gpu, machine), rows.version(gpu.driver)
    if able and driver is None:
        lowest = min(floor for _, floor in _with_floors(able, gpu, machine))
        return _newest_torch([image for image, floor in _with_floors(able, gpu, machine) if floor == lowest])
    suitable = [image for image, floor in _with_floors(able, gpu, machine) if driver is not None and driver >= floor]
    return _newest_torch(suitable) if suitable else images()[CPU]


def able_images(gpu: Gpu, machine: Machine) -> list[Image]:
    """The images with native kernels for this GPU, regardless of the driver; not those whose torch is not on PyPI."""
    return [image for image in _native_images(gpu, machine) if not image.build]


def oldest_driver(image: Image, gpu: Gpu, machine: Machine) -> str:
    """The oldest driver for which the image is recommended on this GPU."""
    windows = shows_windows_driver(machine)
    by_tables = gpu.capability and drivers().oldest(image.cuda, gpu.capability, windows)
    own = drivers().on(windows, image.oldest_driver)
    return newest(version for version in (own, by_tables) if version) or own


def newer_than_any(gpu: Gpu) -> bool:
    """Whether this GPU is newer than the kernels of every image, and none of them runs on it."""
    capability = gpu.capability
    kernels = [(kernel, image.cuda) for image in images().values() for kernel in image.kernels_on(None)]
    if capability is None or capability <= max(kernel.capability for kernel, _ in kernels):
        return False
    return not any(compatibility().runs(kernel, capability, cuda) for kernel, cuda in kernels if kernel.form == "sm")


def advice(gpu: Gpu, machine: Machine) -> str:
    """The image to use or the driver to install, in one line."""
    image = best_image(gpu, machine)
    if image.name != CPU:
        return _use(image) + _or_newer(image, gpu, machine)
    if gpu.kind == "directml" and machine.platform == "windows":
        return f"use the image {CPU}, in WSL2: torch-directml does not exist for {machine.architecture}"
    if gpu.kind != "cuda":
        return f"{_without_it(gpu, machine)}: {_why_none(gpu, machine)}"
    return _without_image(gpu, machine)


def _without_image(gpu: Gpu, machine: Machine) -> str:
    """What to do with an NVIDIA GPU that no image suits as it is."""
    if gpu.capability is None:
        return _unknown(gpu, machine)
    able = able_images(gpu, machine)
    if able:
        easiest = min(able, key=lambda image: rows.known_version(oldest_driver(image, gpu, machine)))
        return f"install {_driver(easiest, gpu, machine)}; until then use the image {CPU}"
    if newer_than_any(gpu):
        return f"{_without_it(gpu, machine)} until a newer voxmatrix has an image for {gpu.capability}"
    known = f"capability {gpu.capability}{_on(machine)}"
    return f"{_without_it(gpu, machine)}: no image has kernels for this GPU ({known})"


def _unknown(gpu: Gpu, machine: Machine) -> str:
    """What to do where the driver does not say the capability: `nvidia-smi` before 510 does not."""
    windows = shows_windows_driver(machine)
    floors = [drivers().on(windows, image.oldest_driver) for image in images().values() if image.oldest_driver]
    lowest, driver = min(floors, key=rows.known_version), rows.version(gpu.driver)
    if driver is None or driver >= rows.known_version(lowest):
        return "check whether `nvidia-smi` works; if not, reinstall the NVIDIA driver"
    where = " in Windows" if windows else ""
    newer = f"install NVIDIA driver {lowest} or newer{where}"
    return f"{newer}, which no GPU before Maxwell (GTX 750) has; until then use the image {CPU}"


def _driver(image: Image, gpu: Gpu, machine: Machine) -> str:
    """What to install so that this image runs: a board has no driver apart from its system, WSL2 none of its own."""
    if board := drivers().boards.get(gpu.capability or (0, 0)):
        return f"{board} or newer, with its driver, for the image {image.name}"
    where = "in Windows, " if shows_windows_driver(machine) else ""
    return f"NVIDIA driver {oldest_driver(image, gpu, machine)} or newer {where}for the image {image.name}"


def _why_none(gpu: Gpu, machine: Machine) -> str:
    """Why there is no image for a GPU that is not NVIDIA's."""
    if gpu.kind == "rocm" and machine.wsl:
        return "the image rocm needs /dev/kfd, which WSL2 does not have"
    if gpu.kind == "rocm" and gpu.target is not None and machine.platform == "linux":
        return f"no image has kernels for {gpu.target}{_on(machine)}"
    return "no image supports this GPU here"


def _on(machine: Machine) -> str:
    return f" on {machine.architecture}" if machine.architecture else ""


def _without_it(gpu: Gpu, machine: Machine) -> str:
    """What to do while no image can use this GPU: graphics of the processor are often beside one that can be used."""
    others = (best_image(other, machine).name for other in machine.gpus if other != gpu)
    return "leave it idle" if any(name != CPU for name in others) else f"use the image {CPU}"


def _use(image: Image) -> str:
    if image.name == DIRECTML:
        return f"use the image {DIRECTML} to speak on this GPU (training needs an NVIDIA GPU or the CPU)"
    if image.build:
        about = f"torch {image.torch}+{image.build}; it has never been run on such a GPU"
        return f"build the image {image.name} yourself: ./run build-{image.name} ({about})"
    return f"use the image {image.name} (torch {image.torch}, CUDA {image.cuda})"


def _or_newer(image: Image, gpu: Gpu, machine: Machine) -> str:
    """The image with a newer torch that a user can build, if there is one for this GPU and its driver."""
    driver = rows.version(gpu.driver)
    floors = _with_floors([each for each in _native_images(gpu, machine) if each.build], gpu, machine)
    able = [each for each, floor in floors if driver is not None and driver >= floor]
    newer = _newest_torch([image, *able])
    if newer is image:
        return ""
    return f"; ./run build-{newer.name} makes one with a newer torch ({newer.torch}), never built so far"


def _native_images(gpu: Gpu, machine: Machine) -> list[Image]:
    return [image for image in images().values() if _is_native(image, gpu, machine) and _is_advised(image, gpu)]


def _is_native(image: Image, gpu: Gpu, machine: Machine) -> bool:
    if gpu.kind not in image.kinds or gpu.capability is None:
        return False
    kernels = [kernel for kernel in image.kernels_on(machine.architecture) if kernel.form == "sm"]
    return any(compatibility().runs(kernel, gpu.capability, image.cuda) for kernel in kernels)


def _is_made_for(image: Image, gpu: Gpu, machine: Machine) -> bool:
    """Whether an image for AMD's or Intel's GPUs has kernels for this one, or may have.

    The target of an AMD GPU is unknown if its compute driver is not loaded. That of an Intel GPU follows from its PCI
    id, so a GPU without one is not among those that torch is made for.
    """
    targets = image.targets_on(machine.architecture)
    if gpu.kind not in image.kinds or not targets or machine.platform != "linux":
        return False
    if gpu.kind == "rocm" and machine.wsl:
        return False  # there is no /dev/kfd
    if gpu.kind == "xpu":
        return gpu.target is not None  # the driver compiles portable kernels (SPIR-V) for those without their own
    return gpu.target is None or gpu.target in targets


def _is_advised(image: Image, gpu: Gpu) -> bool:
    return image.from_capability is not None and gpu.capability is not None and gpu.capability >= image.from_capability


def _with_floors(able: list[Image], gpu: Gpu, machine: Machine) -> list[tuple[Image, tuple[int, ...]]]:
    return [(image, rows.known_version(oldest_driver(image, gpu, machine))) for image in able]


def _newest_torch(candidates: list[Image]) -> Image:
    return max(candidates, key=lambda image: rows.known_version(image.torch))
