"""What a device is doing, in a few words for the progress of a training."""

from voxmatrix.machine.sensors.reading import Reading


def load(reading: Reading | None) -> str:
    """How busy, full and hot the device is, as far as that is known: GPU 93 %  11.2/12.0 GiB  71 °C."""
    if reading is None:
        return ""
    used, total = reading.used_mib, reading.total_mib
    known = (
        None if reading.utilisation is None else f"{reading.utilisation:.0%}".replace("%", " %"),
        None if used is None or total is None else f"{used / 1024:.1f}/{total / 1024:.1f} GiB",
        None if reading.temperature_c is None else f"{reading.temperature_c:.0f} °C",
    )
    figures = "  ".join(filter(None, known))
    return f"{'CPU' if reading.device == 'cpu' else 'GPU'} {figures}" if figures else ""
