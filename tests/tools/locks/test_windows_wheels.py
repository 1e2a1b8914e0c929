"""Libraries of Windows that ask for each other: what is nowhere is named with who asks for it."""

from tools.locks.windows_wheels import missing


def test_a_library_may_be_in_another_wheel_in_python_or_in_windows() -> None:
    asked = {
        "torch/lib/torch_cpu.dll": ["KERNEL32.dll", "libiomp5md.dll", "MSVCP140.dll", "api-ms-win-crt-math-l1-1-0.dll"],
        "a/b.pyd": ["python311.dll", "VCRUNTIME140_1.dll"],
    }
    there = ["torch/lib/libiomp5md.dll", "msvc_runtime.data/data/msvcp140.dll"]
    assert missing(asked, there) == {}


def test_what_is_nowhere_is_named_with_all_that_ask_for_it() -> None:
    asked = {"b.dll": ["libomp140.x86_64.dll"], "a.dll": ["LIBOMP140.x86_64.dll", "cudart64_12.dll"]}
    assert missing(asked, asked) == {"cudart64_12.dll": ["a.dll"], "libomp140.x86_64.dll": ["a.dll", "b.dll"]}


def test_torchaudios_readers_of_media_are_never_loaded() -> None:
    assert missing({"torchaudio/lib/_torio_ffmpeg4.pyd": ["avcodec-58.dll"]}, ()) == {}
