"""The child that runs the operations: `python -m voxmatrix.doctor.child cuda:0 float32 bfloat16`, JSON lines on stdout.

It prints a line before and after each operation, so that the parent knows in which one it hung or crashed.
"""

import math
import sys
import time
from typing import Any

from voxmatrix.compute.child import send_json
from voxmatrix.compute.device import torch_name
from voxmatrix.doctor.findings import START
from voxmatrix.doctor.operations import OPERATIONS, Operation, sampler
from voxmatrix.machine.probes import cuda_driver
from voxmatrix.wording import summary

#: Maximum error relative to the largest value. TF32, cuDNN's default for float32, has 10 bits, bfloat16 has 7.
TOLERANCES = {"float32": 4e-3, "float16": 2e-2, "bfloat16": 8e-2}
_NO_FIGURES = {"max_abs_error": None, "milliseconds": None}


def main(device_name: str, dtypes: list[str]) -> None:
    """Run every operation in every precision, then flash-attn."""
    send_json({"started": "import torch", "dtype": dtypes[0]})
    import torch

    device = torch.device(torch_name(device_name))
    if device.type == "cuda" and torch.version.cuda:
        send_json({"started": START, "dtype": dtypes[0]})
        if error := cuda_driver.read_error(device.index or 0):
            send_json({"op": START, "dtype": dtypes[0], "ok": False, **_NO_FIGURES, "problem": error})
            return
    for dtype in dtypes:
        for operation in OPERATIONS:
            if operation.is_float32_only and dtype != "float32":
                continue
            send_json({"started": operation.name, "dtype": dtype})
            row = _row(operation, device, dtype)
            send_json(row)
            if "problem" in row and device.type != "cpu":
                return  # after a CUDA error all later operations fail as well
    send_json({"started": "flash-attn", "dtype": dtypes[-1]})
    send_json({"flash_attention": _flash_attention(device)})


def _row(operation: Operation, device: Any, dtype: str) -> dict[str, Any]:
    import torch

    row: dict[str, Any] = {"op": operation.name, "dtype": dtype, "ok": False, **_NO_FIGURES}
    start = time.perf_counter()
    try:
        computed = operation.run(sampler(device, getattr(torch, dtype), getattr(torch, dtype)))
        results = [tensor.to("cpu", torch.float64) for tensor in computed]  # copying to the CPU waits for the device
    except Exception as error:  # torch and CUDA may raise anything, and that is the result of the test
        return {**row, "problem": summary(error)}
    milliseconds = round(1000 * (time.perf_counter() - start), 3)
    expected = operation.run(sampler(torch.device("cpu"), getattr(torch, dtype), torch.float64))
    # Each result has its own scale: gradients are far smaller than outputs.
    errors = [float((a - b).abs().max()) for a, b in zip(results, expected, strict=True)]
    scales = [float(tensor.abs().max()) for tensor in expected]
    ok = all(error <= TOLERANCES[dtype] * scale for error, scale in zip(errors, scales, strict=True))  # False for NaN
    # JSON has neither NaN nor infinity.
    largest = max(errors) if all(map(math.isfinite, errors)) else None
    return {**row, "ok": ok, "max_abs_error": largest, "milliseconds": milliseconds}


def _flash_attention(device: Any) -> dict[str, Any]:
    """Whether flash-attn is usable: a tiny forward and backward pass on a CUDA GPU."""
    import torch

    if device.type != "cuda" or torch.version.hip:
        return {"usable": False, "reason": "requires an NVIDIA GPU"}
    try:
        from flash_attn import flash_attn_func  # type: ignore[import-not-found]

        q = torch.randn(1, 32, 2, 32, device=device, dtype=torch.float16, requires_grad=True)
        flash_attn_func(q, q, q).float().sum().backward()
        torch.cuda.synchronize(device)
    except Exception as error:  # a wheel for another torch, no kernels for this GPU, not installed …
        return {"usable": False, "reason": summary(error)}
    return {"usable": True, "reason": "forward and backward passes ran on this GPU"}


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
