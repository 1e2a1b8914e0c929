"""The patterns that the fields of docker/images.toml must match, each with a description for error messages."""

_VERSION = (r"\d+\.\d+\.\d+(\.dev\d{8})?", "X.Y.Z, or X.Y.Z.devYYYYMMDD for a nightly")
#: Field → pattern, and its description.
TEXTS = {
    "name": (r"[a-z][a-z0-9-]*", "lower-case letters, digits and dashes"),
    "dockerfile": (r"Dockerfile\.[a-z0-9-]+", "Dockerfile.NAME"),
    "base": (r"[a-z0-9./:-]+:[A-Za-z0-9._-]+", "NAME:TAG"),
    "base_digest": (r"(sha256:[0-9a-f]{64})?", "sha256: and 64 hexadecimal digits"),
    "python": (r"3\.\d+", "3.MINOR"),
    "torch": _VERSION,
    "torchaudio": _VERSION,
    "cuda": (r"(\d+\.\d+)?", 'MAJOR.MINOR, or ""'),
    "torch_build": (
        r"(rocm\d+\.\d+|xpu|cu\d+)?",
        'a folder of torch\'s index: rocmX.Y, xpu, cuXYZ, or ""',
    ),
    "index": (r"(https://\S+)?", 'an https address, or ""'),
    "from_capability": (r"(\d+\.\d)?", 'a capability such as 12.0, or ""'),
    "oldest_driver": (r"(\d+(\.\d+)*)?", 'a driver version, or ""'),
    "flash_attn": (r"(\d+\.\d+\.\d+(\.post\d+)?)?", 'X.Y.Z or X.Y.Z.postN, or ""'),
    "toolkit": (r"([a-z0-9./:-]+:[A-Za-z0-9._-]+)?", 'NAME:TAG, or ""'),
    "source": (r".+", "a sentence"),
    "note": (r"[^\n|]*", "one line without a bar"),
    "advisory": (r"[^\n|]*", "one line without a bar"),
}
#: The same for the items of a list.
MEMBERS = {
    "capabilities": (r"\d+\.\d", "capabilities such as 12.0"),
    "platforms": (r"(linux|windows)/(amd64|arm64)", "platforms such as linux/amd64"),
    "extras": (r"[a-z0-9-]+", "names"),
    "packages": (r"[a-z0-9][a-z0-9.+-]+", "names of packages of the base"),
    "kinds": (r"cuda|directml|xpu|rocm|mps", "kinds of GPU such as cuda"),
}
KERNEL = r"(sm|compute)_\d{2,3}[af]?"
#: The targets of torch builds without CUDA.
TARGETS = {"rocm": r"gfx[0-9a-f]{3,4}", "xpu": r"[a-z]{2,4}[0-9]*(-[a-z0-9]+)*"}
