"""Import onnxruntime and OpenVINO without their telemetry. No other module of voxmatrix imports them.

Both report their use by default: onnxruntime 1.29 and newer to Microsoft, with hashes of the network and an identifier
that it keeps in the user's cache (its Privacy.md), OpenVINO to Intel through Google, whenever it is imported.
"""

import os
import sys
from typing import Any

_OPENVINO_CONVERTER = "openvino.tools.ovc"


def import_onnxruntime() -> Any:
    """The module.

    Raises:
        ImportError: it is not installed.
    """
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # read when it is first imported
    import onnxruntime

    onnxruntime.disable_telemetry_events()  # packages for Windows that do not read the variable
    return onnxruntime


def import_openvino() -> Any:
    """The module without its converter of models, which sends the report, and takes two thirds of the import.

    Raises:
        ImportError: it is not installed.
    """
    is_first = "openvino" not in sys.modules
    if is_first:
        sys.modules[_OPENVINO_CONVERTER] = None  # type: ignore[assignment]  # as if it were not installed
    try:
        import openvino
    finally:
        if is_first:
            sys.modules.pop(_OPENVINO_CONVERTER, None)
    return openvino
