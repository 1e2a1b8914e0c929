<#
.SYNOPSIS
    voxmatrix on Windows without a container: makes a Python environment of its own beside this file, then runs voxmatrix in it.

.DESCRIPTION
    Needs Windows 10 1709 or newer, and Python 3.11 (64-bit). What is installed is locked, with hashes, in
    docker\pins\directml-windows.txt: torch 2.4.1 with torch-directml, which speaks on any GPU with DirectX 12.
    The first run takes some minutes; later ones start at once. Nothing outside of this folder is changed.

.PARAMETER ListGpus
    Show the GPUs and the CPU, with the numbers that -GpuIndex takes.

.PARAMETER Device
    auto, cpu or directml. auto takes the best GPU, else the CPU with the reason.

.PARAMETER GpuIndex
    The number of the GPU, as -ListGpus shows it.

.PARAMETER Python
    A python.exe to use, instead of the one that is found.

.PARAMETER Reinstall
    Make the environment again from nothing.

.EXAMPLE
    .\voxmatrix.ps1 -ListGpus

.EXAMPLE
    .\voxmatrix.ps1 -Device directml -GpuIndex 1 speak --text "Hello" --out hello.wav

.EXAMPLE
    .\voxmatrix.ps1 doctor
#>
[CmdletBinding(PositionalBinding = $false)]
param(
    [switch] $ListGpus,
    [ValidateSet('auto', 'cpu', 'directml')] [string] $Device,
    [ValidateRange(0, 63)] [int] $GpuIndex,
    [string] $Python,
    [switch] $Reinstall,
    [Parameter(ValueFromRemainingArguments = $true)] [string[]] $Words
)

Set-StrictMode -Version 3.0
$ErrorActionPreference = 'Stop'
# A newer PowerShell would turn every exit code but 0 into an exception of its own.
$PSNativeCommandUseErrorActionPreference = $false

$GpuNamed = $PSBoundParameters.ContainsKey('GpuIndex')
$Pins = Join-Path $PSScriptRoot 'docker\pins\directml-windows.txt'
$Environment = Join-Path $PSScriptRoot '.run\windows'
$Interpreter = Join-Path $Environment 'Scripts\python.exe'
$Mark = Join-Path $Environment 'installed.txt'
# One line, single quotes only: Windows PowerShell 5.1 loses double quotes on their way to a program.
$Fits = 'import struct, sys; sys.exit(not (sys.version_info[:2] == (3, 11) and struct.calcsize(''P'') == 8))'

function Stop-WithRemedy([int] $Code, [string] $Problem, [string] $Remedy) {
    [Console]::Error.WriteLine("voxmatrix: $Problem")
    [Console]::Error.WriteLine("  -> $Remedy")
    exit $Code
}

function Test-Python([string[]] $Command) {
    # Whether this starts a Python that the locked wheels are made for.
    $Program, $Arguments = $Command
    if (-not (Get-Command $Program -CommandType Application -ErrorAction SilentlyContinue)) { return $false }
    $Arguments = @($Arguments | Where-Object { $_ })
    & $Program @Arguments -c $Fits 2>$null | Out-Null
    return $LASTEXITCODE -eq 0
}

function Find-Python {
    $Candidates = if ($Python) { , @($Python) } else { @('py', '-3.11'), @('python3.11'), @('python') }
    foreach ($Candidate in $Candidates) {
        if (Test-Python $Candidate) { return , @($Candidate) }
    }
    $Seen = if ($Python) { "$Python is not a 64-bit Python 3.11" } else { 'no 64-bit Python 3.11 was found' }
    Stop-WithRemedy 7 $Seen 'winget install --id Python.Python.3.11, then open a new window'
}

function Get-Digest {
    # Of what decides what is installed.
    return (Get-FileHash -Algorithm SHA256 -LiteralPath $Pins).Hash
}

function Invoke-Step([string] $What, [string] $Program, [string[]] $Arguments) {
    [Console]::Error.WriteLine("voxmatrix: $What")
    & $Program @Arguments | Out-Host
    if ($LASTEXITCODE -ne 0) {
        Stop-WithRemedy 7 "$What failed: the reason stands above" 'mend it and run the same command again; -Reinstall begins anew'
    }
}

function Install-Environment {
    $Made = if (Test-Path -LiteralPath $Mark) { (Get-Content -LiteralPath $Mark -Raw).Trim() } else { '' }
    if (-not $Reinstall -and $Made -eq (Get-Digest) -and (Test-Path -LiteralPath $Interpreter)) { return }
    $Program, $Arguments = Find-Python
    Invoke-Step 'making its Python environment' $Program (@($Arguments | Where-Object { $_ }) + @('-m', 'venv', '--clear', $Environment))
    # setuptools first: it builds what is locked and is no wheel.
    $First = Join-Path $Environment 'first.txt'
    $Found = [regex]::Match((Get-Content -LiteralPath $Pins -Raw), '(?m)^setuptools==.*(\r?\n +--hash=.*)+')
    Set-Content -LiteralPath $First -Value $Found.Value -Encoding ascii
    $Install = @('-m', 'pip', 'install', '--disable-pip-version-check', '--require-hashes', '--no-deps')
    Invoke-Step 'installing setuptools' $Interpreter ($Install + @('--requirement', $First))
    $Install += '--no-build-isolation'
    Invoke-Step 'installing what is locked (some minutes)' $Interpreter ($Install + @('--requirement', $Pins))
    Set-Content -LiteralPath $Mark -Value (Get-Digest) -Encoding ascii
}

function Get-Settings {
    # What is set for voxmatrix while it runs.
    $Settings = @{ PYTHONUTF8 = '1'; PYTHONPATH = "$PSScriptRoot\app;$PSScriptRoot\entrypoint" }
    if ($Device -eq 'directml' -and $GpuNamed) { $Settings.VOXMATRIX_DEVICE = "directml:$GpuIndex" }
    elseif ($Device -eq 'cpu' -and $GpuNamed) {
        Stop-WithRemedy 2 '-GpuIndex names a GPU, and -Device is cpu' 'leave out one of them'
    }
    elseif ($Device) { $Settings.VOXMATRIX_DEVICE = $Device }
    elseif ($GpuNamed) { $Settings.VOXMATRIX_GPU = "$GpuIndex" }
    return $Settings
}

Install-Environment
$Settings = Get-Settings
$Before = @{}
foreach ($Name in $Settings.Keys) {
    $Before[$Name] = [Environment]::GetEnvironmentVariable($Name)
    [Environment]::SetEnvironmentVariable($Name, $Settings[$Name])
}
try {
    $Said = if ($ListGpus) { @('devices') } elseif ($Words) { $Words } else { @('--help') }
    & $Interpreter -m voxmatrix_entrypoint @Said
    $Code = $LASTEXITCODE
}
finally {
    # The variables of a script are those of the window it was typed in.
    foreach ($Name in $Before.Keys) { [Environment]::SetEnvironmentVariable($Name, $Before[$Name]) }
}
exit $Code
