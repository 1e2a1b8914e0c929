"""Which image serves a GPU best, and the one line that advises it. Pure."""

from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.tables import rows
from voxmatrix.tables.compatibility import compatibility
from voxmatrix.tables.driver import drivers, newest
from voxmatrix.tables.image import CPU, DIRECTML, Image, images


def shows_windows_driver(machine: Machine) -> bool:
    """Whether the driver is numbered as on Windows: WSL2 uses the one of the Windows around it."""
    return machine.platform == "windows" or machine.wsl


def best_image(gpu: Gpu, machine: Machine) -> Image:
    """The image with the newest torch that runs natively on this GPU with this driver, else the one for the CPU.

    When the driver is not known, the image that asks least of it.
    """
    if gpu.kind == "directml" and machine.platform == "windows":
        return images()[DIRECTML]
    able, driver = able_images(gpu, machine), rows.version(gpu.driver)
    if able and driver is None:
        least = min(floor for _, floor in _with_floors(able, gpu, machine))
        return _newest_torch([image for image, floor in _with_floors(able, gpu, machine) if floor == least])
    served = [image for image, floor in _with_floors(able, gpu, machine) if driver is not None and driver >= floor]
    return _newest_torch(served) if served else images()[CPU]


def able_images(gpu: Gpu, machine: Machine) -> list[Image]:
    """The images with native kernels for this GPU, whatever its driver."""
    return [image for image in images().values() if _is_native(image, gpu, machine) and _is_advised(image, gpu)]


def oldest_driver(image: Image, gpu: Gpu, machine: Machine) -> str:
    """The oldest driver with which the image is advised for this GPU."""
    by_tables = gpu.capability and drivers().oldest(image.cuda, gpu.capability, shows_windows_driver(machine))
    return newest(each for each in (image.oldest_driver, by_tables) if each) or image.oldest_driver


def newer_than_any(gpu: Gpu) -> bool:
    """Whether this GPU came after every image."""
    kernels = [kernel.capability for image in images().values() for kernel in image.kernels_on(None)]
    return gpu.capability is not None and gpu.capability > max(kernels)


def advice(gpu: Gpu, machine: Machine) -> str:
    """One line: the image to use, or what to install."""
    image = best_image(gpu, machine)
    if image.name == DIRECTML:
        return f"use the image {DIRECTML}: it speaks on this GPU (training needs an NVIDIA GPU or the CPU)"
    if image.name != CPU:
        return f"use the image {image.name} (torch {image.torch}, CUDA {image.cuda})"
    if gpu.kind != "cuda":
        return f"use the image {CPU}: no image of ours uses this GPU"
    able = able_images(gpu, machine)
    if able:
        easiest = min(able, key=lambda each: rows.known_version(oldest_driver(each, gpu, machine)))
        floor = oldest_driver(easiest, gpu, machine)
        return f"install NVIDIA's driver {floor} or newer for the image {easiest.name}; until then use the image {CPU}"
    if newer_than_any(gpu):
        return f"use the image {CPU}, and a newer voxmatrix once it has an image for {gpu.capability}"
    return f"use the image {CPU}: no image has kernels for this GPU"


def _is_native(image: Image, gpu: Gpu, machine: Machine) -> bool:
    if gpu.kind not in image.kinds or gpu.capability is None:
        return False
    kernels = [kernel for kernel in image.kernels_on(machine.architecture) if kernel.form == "sm"]
    return any(compatibility().runs(kernel, gpu.capability, image.cuda) for kernel in kernels)


def _is_advised(image: Image, gpu: Gpu) -> bool:
    return image.from_capability is not None and gpu.capability is not None and gpu.capability >= image.from_capability


def _with_floors(able: list[Image], gpu: Gpu, machine: Machine) -> list[tuple[Image, tuple[int, ...]]]:
    return [(image, rows.known_version(oldest_driver(image, gpu, machine))) for image in able]


def _newest_torch(choice: list[Image]) -> Image:
    return max(choice, key=lambda image: rows.known_version(image.torch))
