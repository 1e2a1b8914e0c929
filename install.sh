#!/bin/sh
# Get the image of voxmatrix for this computer, and print the lines that start it:
#   sh install.sh                  find out which image suits this computer, and get it
#   sh install.sh --image cuda     get this one
#   sh install.sh --print          only print the name of the image
# VOXMATRIX_REGISTRY=HOST/PATH    pull the published image from there; VOXMATRIX_VERSION=0.1.0: that release
# Without it, the image is built from the source that this file lies in, which takes minutes to an hour.
# Needs Docker; to pull, Podman will do. The rules are those of `tools/matrix.py recommend`, which says more.
set -eu

say() {
    printf 'install.sh: %s\n' "$@" >&2
}

die() {
    say "$@"
    exit 2
}

# Which images suit an NVIDIA GPU, with the oldest driver of each; the newest torch comes first.
# Written by `./run derive`; do not edit.
images_for() {
    case $1 in
        x86_64:5.0 | x86_64:5.2 | x86_64:6.0 | x86_64:6.1 | x86_64:7.0)
            echo cuda 525.60.13 ;;
        x86_64-wsl:5.0 | x86_64-wsl:5.2 | x86_64-wsl:6.0 | x86_64-wsl:6.1 | x86_64-wsl:7.0)
            echo cuda 527.41 ;;
        x86_64:7.5 | x86_64:8.0 | x86_64:8.6 | x86_64:8.9 | x86_64:9.0)
            echo cuda13 580 blackwell 570.26 cuda 525.60.13 ;;
        x86_64-wsl:7.5 | x86_64-wsl:8.0 | x86_64-wsl:8.6 | x86_64-wsl:8.9 | x86_64-wsl:9.0)
            echo cuda13 580 blackwell 570.65 cuda 527.41 ;;
        aarch64:8.0 | aarch64-wsl:8.0 | aarch64:8.6 | aarch64-wsl:8.6 | x86_64:8.7 | x86_64-wsl:8.7 | \
            aarch64:8.7 | aarch64-wsl:8.7 | aarch64:8.9 | aarch64-wsl:8.9 | aarch64:9.0 | aarch64-wsl:9.0 | \
            aarch64:10.0 | aarch64-wsl:10.0 | aarch64:10.3 | aarch64-wsl:10.3 | aarch64:10.7 | aarch64-wsl:10.7 | \
            aarch64:11.0 | aarch64-wsl:11.0 | aarch64:12.0 | aarch64-wsl:12.0 | aarch64:12.1 | aarch64-wsl:12.1)
            echo cuda13 580 ;;
        x86_64:10.0 | x86_64:10.3 | x86_64:10.7 | x86_64:12.0 | x86_64:12.1)
            echo cuda13 580 blackwell 570.26 ;;
        x86_64-wsl:10.0 | x86_64-wsl:10.3 | x86_64-wsl:10.7 | x86_64-wsl:12.0 | x86_64-wsl:12.1)
            echo cuda13 580 blackwell 570.65 ;;
    esac
}
# End of what is derived.

# is_at_least VERSION LEAST: compare versions such as 570.26, part by part.
is_at_least() {
    awk -v have="$1" -v least="$2" 'BEGIN {
        split(have, a, "."); n = split(least, b, ".")
        for (i = 1; i <= n; i++) if (a[i] + 0 != b[i] + 0) exit a[i] + 0 < b[i] + 0
    }'
}

# The processor, with -wsl where the driver is that of Windows.
system() {
    processor=$(uname -m)
    case $processor in
        amd64) processor=x86_64 ;;
        arm64) processor=aarch64 ;;
        x86_64 | aarch64) ;;
        arm* | i?86) die "this system has 32 bits ($processor), and no image: if the processor has 64," \
            "as a Raspberry Pi 3, 4 or 5 has, install a system with 64 bits" ;;
        *) die "there is no image for the processor $processor: docs/installation.md says what else there is" ;;
    esac
    # Programs of 32 bits may have a kernel of 64 (Raspberry Pi OS): the engine would look for images of 32.
    if [ "$(getconf LONG_BIT 2>/dev/null)" = 32 ]; then
        die "this system has 32 bits, though its kernel has 64, and there is no image: install a system with 64 bits"
    fi
    case $(uname -r) in
        *[Mm]icrosoft*) echo "$processor-wsl" ;;
        *) echo "$processor" ;;
    esac
}

# image_for SYSTEM CAPABILITY DRIVER: the first image whose driver is there; what stands in the way is said.
image_for() {
    suitable=$(images_for "$1:$2")
    if [ -z "$suitable" ]; then
        say "no image has kernels for an NVIDIA GPU of capability $2 on $1: it stays idle"
        echo cpu
        return
    fi
    where=
    case $1:$2 in
        *:8.7) where=' (a Jetson Orin has it with JetPack 7.2)' ;;
        *:11.0) where=' (a Jetson Thor has it with JetPack 7)' ;;
        *-wsl:*) where=' in Windows' ;;
    esac
    # shellcheck disable=SC2086 # pairs of words
    set -- "$3" $suitable
    driver=$1
    shift
    while [ $# -gt 0 ]; do
        case $driver in
            [0-9]*) if is_at_least "$driver" "$2"; then echo "$1" && return; fi ;;
            # Unknown: the image that asks for least, which is the last.
            *) if [ $# -eq 2 ]; then echo "$1" && return; fi ;;
        esac
        last="driver $2 or newer$where for the image $1"
        shift 2
    done
    say "the NVIDIA driver is $driver: install $last, and run this again; until then, cpu"
    echo cpu
}

# The image for the NVIDIA GPUs here, or cpu; one that no image can use stays idle beside another.
image_for_nvidia() {
    cards=$(nvidia-smi --query-gpu=compute_cap,driver_version --format=csv,noheader,nounits) || {
        # Drivers before 510 cannot say the capability, and no image is for them.
        say "nvidia-smi fails, or the NVIDIA driver is older than 510: see what nvidia-smi says; until then, cpu" \
            "(a GPU before Turing, such as a GTX 10, needs driver 580 with its proprietary kernel modules)"
        echo cpu
        return
    }
    system=$(system)
    found=$(printf '%s\n' "$cards" | tr -d ' ' | while IFS=, read -r capability driver; do
        if [ -n "$capability" ]; then image_for "$system" "$capability" "$driver"; fi
    done | sort -u)
    # A GPU without an image stays idle in that of another.
    found=$(printf '%s\n' "$found" | awk '$0 != "cpu" { print; one = 1 } END { if (!one) print "cpu" }')
    case $found in
        *'
'*) die "the GPUs of this computer need different images: choose one with --image:" "$found" ;;
        *) echo "$found" ;;
    esac
}

# Images are for Linux, where macOS and Windows have engines that run one.
check_kernel() {
    case $(uname -s) in
        Linux | Darwin) ;;
        MINGW* | MSYS* | CYGWIN*) die "run this in WSL2; without it, voxmatrix.ps1 is for Windows (docs/windows.md)" ;;
        *) die "images need Linux, and this is $(uname -s): run them in a virtual machine with Linux" ;;
    esac
}

# Whether an NVIDIA GPU is on the PCI bus; Linux lists the class of a device before its vendor.
has_nvidia() {
    cat /sys/bus/pci/devices/*/uevent 2>/dev/null | awk '
        /^PCI_CLASS=/ { graphics = /=30/ }
        /^PCI_ID=10DE:/ && graphics { found = 1 }
        END { exit !found }'
}

image_here() {
    check_kernel
    system >/dev/null
    PATH=$PATH:/usr/lib/wsl/lib # sudo takes it out, and WSL2 has nvidia-smi there
    if command -v nvidia-smi >/dev/null; then
        image_for_nvidia
    elif has_nvidia; then
        say "this computer has an NVIDIA GPU, but not NVIDIA's driver (nvidia-smi): install that, and run this again" \
            "(docs/installation.md); until then, cpu"
        echo cpu
    elif [ -e /dev/kfd ]; then
        say "this computer has an AMD GPU: its image is not published, and was never run on one;" \
            "in the source, ./run build-rocm says what it needs. The image cpu leaves the GPU alone."
        echo cpu
    else
        echo cpu
    fi
}

pull() {
    reference=$VOXMATRIX_REGISTRY:${VOXMATRIX_VERSION:+$VOXMATRIX_VERSION-}$image
    engine=docker
    command -v docker >/dev/null || engine=podman
    command -v "$engine" >/dev/null || die "there is neither docker nor podman: install one of them"
    "$engine" pull "$reference" ||
        die "$reference cannot be pulled: is VOXMATRIX_REGISTRY right, and may you read it ($engine login)?"
    "$engine" tag "$reference" "voxmatrix:$image"
}

build() {
    engine=docker
    source=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
    if [ ! -f "$source/docker/images.toml" ] || [ ! -f "$source/run" ]; then
        die "VOXMATRIX_REGISTRY is not set, and this is not the source, from which the image could be built:" \
            "set VOXMATRIX_REGISTRY=HOST/PATH, or run install.sh in the source of voxmatrix"
    fi
    "$source/run" "build-$image" || die "the image was not built; the reason is above"
}

# The lines that start it; rootless Podman maps root in the container to who calls it.
print_start() {
    user="\"\$(id -u):0\""
    gpus=
    case $image in cpu | rocm | xpu) ;; *) gpus='--gpus all ' ;; esac
    if [ "$engine" = podman ]; then
        user=0:0
        gpus=${gpus:+--device nvidia.com/gpu=all }
        if [ "$(id -u)" -eq 0 ]; then user="\"\$(id -u):0\""; fi
    fi
    start="$engine run --rm $gpus--user $user -v \"\$PWD/data:/data\""
    printf '%s\n' '' "The image is voxmatrix:$image. To start it:" '' "    mkdir -p data" \
        "    $start voxmatrix:$image doctor" \
        "    $start voxmatrix:$image speak --text \"Hello\" --out /data/hello.wav" \
        "    $start -p 127.0.0.1:3000:3000 voxmatrix:$image serve"
}

# Nothing runs before the last line is there: a download may end early.
main() {
    image='' only_print=''
    while [ $# -gt 0 ]; do
        case $1 in
            --image) [ $# -gt 1 ] || die "--image needs a name, such as cpu" && image=$2 && shift ;;
            --print) only_print=1 ;;
            *) die "unknown option $1: there are --image ROW and --print" ;;
        esac
        shift
    done
    [ -n "$image" ] || image=$(image_here)
    case $image in *[!a-z0-9-]* | '') die "$image is not the name of an image, such as cpu" ;; esac
    if [ -n "$only_print" ]; then
        echo "$image"
        return
    fi
    say "the image for this computer is $image"
    if [ -n "${VOXMATRIX_REGISTRY:-}" ]; then pull; else build; fi
    print_start
}

main "$@"
