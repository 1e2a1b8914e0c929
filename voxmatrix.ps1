<#
.SYNOPSIS
    Run voxmatrix on Windows without a container, in a Python environment that this script creates in its own folder.

.DESCRIPTION
    Requires Windows 10 1709 or newer on an x86-64 processor, and 64-bit Python 3.11. Installs the packages that are
    locked, with hashes, in docker\pins\directml-windows.txt: torch 2.4.1 with torch-directml, which speaks on any
    DirectX 12 GPU.
    The first run takes some minutes; later runs start at once. Nothing outside of this folder is changed.

.PARAMETER ListGpus
    List the GPUs and the CPU, with the numbers for -GpuIndex.

.PARAMETER Device
    auto, cpu or directml. auto uses the best GPU, and falls back to the CPU with a warning.

.PARAMETER GpuIndex
    The number of the GPU, as shown by -ListGpus.

.PARAMETER Python
    The python.exe to use, instead of searching for one.

.PARAMETER Reinstall
    Recreate the environment from scratch.

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
# PowerShell 7.4 and newer would otherwise turn every nonzero exit code into an exception.
$PSNativeCommandUseErrorActionPreference = $false

$GpuNamed = $PSBoundParameters.ContainsKey('GpuIndex')
$Pins = Join-Path $PSScriptRoot 'docker\pins\directml-windows.txt'
$Environment = Join-Path $PSScriptRoot '.run\windows'
$Interpreter = Join-Path $Environment 'Scripts\python.exe'
$Marker = Join-Path $Environment 'installed.txt'
# One line, single quotes only: Windows PowerShell 5.1 drops double quotes in arguments of a program.
$PythonCheck = 'import sys, sysconfig; sys.exit(not (sys.version_info[:2] == (3, 11) and sysconfig.get_platform() == ''win-amd64''))'

function Stop-WithRemedy([int] $Code, [string] $Problem, [string] $Remedy) {
    [Console]::Error.WriteLine("voxmatrix: $Problem")
    [Console]::Error.WriteLine("  -> $Remedy")
    exit $Code
}

function Invoke-Program([string] $Program, [string[]] $Arguments) {
    # The only place that starts programs. Where the error stream is redirected, by 2> or by whoever started this script,
    # Windows PowerShell makes an error of each line that a program writes to it: with Stop, the first one ends the script.
    $ErrorActionPreference = 'Continue'
    $global:LASTEXITCODE = 1 # of a program that cannot be started
    & $Program @Arguments
}

function Test-Python([string[]] $Command) {
    # Whether this command is a Python that the locked wheels support. Others print why they are not.
    $ErrorActionPreference = 'Continue'
    $Program, $Arguments = $Command
    if (-not (Get-Command $Program -CommandType Application -ErrorAction SilentlyContinue)) { return $false }
    $Arguments = @($Arguments | Where-Object { $_ }) + @('-c', $PythonCheck)
    try { Invoke-Program $Program $Arguments 2>$null | Out-Null } catch { return $false }
    return $LASTEXITCODE -eq 0
}

function Find-Python {
    if (-not $Python -and [Runtime.InteropServices.RuntimeInformation]::OSArchitecture -eq 'Arm64') {
        Stop-WithRemedy 7 'this computer has an ARM processor, for which torch-directml does not exist' 'install WSL2 and use voxmatrix in it, on the CPU: docs\installation.md'
    }
    $Candidates = if ($Python) { , @($Python) } else { @('py', '-3.11'), @('python3.11'), @('python') }
    foreach ($Candidate in $Candidates) {
        if (Test-Python $Candidate) { return , @($Candidate) }
    }
    $Seen = if ($Python) { "$Python is not a Python 3.11 for x86-64" } else { 'no 64-bit Python 3.11 was found' }
    Stop-WithRemedy 7 $Seen 'winget install --id Python.Python.3.11, then open a new window'
}

function Get-Digest {
    # The hash of the locked requirements, to detect changes.
    return (Get-FileHash -Algorithm SHA256 -LiteralPath $Pins).Hash
}

function Invoke-Step([string] $What, [string] $Program, [string[]] $Arguments) {
    [Console]::Error.WriteLine("voxmatrix: $What")
    Invoke-Program $Program $Arguments | Out-Host
    if ($LASTEXITCODE -ne 0) {
        Stop-WithRemedy 7 "$What failed; see its output above" 'fix the problem and run the same command again; -Reinstall starts from scratch'
    }
}

function Install-Environment {
    $Installed = if (Test-Path -LiteralPath $Marker) { ([string] (Get-Content -LiteralPath $Marker -Raw)).Trim() } else { '' }
    if (-not $Reinstall -and $Installed -eq (Get-Digest) -and (Test-Path -LiteralPath $Interpreter)) { return }
    $Program, $Arguments = Find-Python
    Invoke-Step 'creating the Python environment' $Program (@($Arguments | Where-Object { $_ }) + @('-m', 'venv', '--clear', $Environment))
    # setuptools first: it builds the locked packages that have no wheel.
    $First = Join-Path $Environment 'first.txt'
    $Found = [regex]::Match((Get-Content -LiteralPath $Pins -Raw), '(?m)^setuptools==.*(\r?\n +--hash=.*)+')
    Set-Content -LiteralPath $First -Value $Found.Value -Encoding ascii
    $Install = @('-m', 'pip', 'install', '--disable-pip-version-check', '--require-hashes', '--no-deps')
    Invoke-Step 'installing setuptools' $Interpreter ($Install + @('--requirement', $First))
    $Install += '--no-build-isolation'
    Invoke-Step 'installing the locked packages (takes some minutes)' $Interpreter ($Install + @('--requirement', $Pins))
    Set-Content -LiteralPath $Marker -Value (Get-Digest) -Encoding ascii
}

function Get-Settings {
    # The environment variables to set while voxmatrix runs.
    $Settings = @{ PYTHONUTF8 = '1'; PYTHONPATH = "$PSScriptRoot\app;$PSScriptRoot\entrypoint" }
    if ($Device -eq 'directml' -and $GpuNamed) { $Settings.VOXMATRIX_DEVICE = "directml:$GpuIndex" }
    elseif ($Device -eq 'cpu' -and $GpuNamed) {
        Stop-WithRemedy 2 '-GpuIndex cannot be combined with -Device cpu' 'remove one of them'
    }
    elseif ($Device) { $Settings.VOXMATRIX_DEVICE = $Device }
    elseif ($GpuNamed) { $Settings.VOXMATRIX_GPU = "$GpuIndex" }
    return $Settings
}

function ConvertTo-NativeWord([string] $Word) {
    # Before 7.3, PowerShell drops empty words, and passes double quotes on without the backslash that programs need.
    if ($PSVersionTable.PSVersion -ge [version] '7.3') { return $Word }
    if ($Word -eq '') { return '""' }
    $Word = $Word -replace '(\\*)"', '$1$1\"'
    # Windows PowerShell puts a word with a space in quotes, and the backslash of C:\My Voices\ would quote the second one.
    if ($PSVersionTable.PSVersion.Major -lt 6 -and $Word -match '\s') { $Word = $Word -replace '(\\+)$', '$1$1' }
    return $Word
}

Install-Environment
$Settings = Get-Settings
$Before = @{}
foreach ($Name in $Settings.Keys) {
    $Before[$Name] = [Environment]::GetEnvironmentVariable($Name)
    [Environment]::SetEnvironmentVariable($Name, $Settings[$Name])
}
try {
    $Command = if ($ListGpus) { @('devices') } elseif ($Words) { $Words } else { @('--help') }
    Invoke-Program $Interpreter (@('-m', 'voxmatrix_entrypoint') + @($Command | ForEach-Object { ConvertTo-NativeWord $_ }))
    $Code = $LASTEXITCODE
}
finally {
    # Environment variables set in a script would otherwise stay in the user's session.
    # One that was not set is removed: since .NET 9 (PowerShell 7.5), SetEnvironmentVariable would set it to nothing.
    foreach ($Name in $Before.Keys) {
        if ($null -eq $Before[$Name]) { Remove-Item -LiteralPath "Env:$Name" }
        else { [Environment]::SetEnvironmentVariable($Name, $Before[$Name]) }
    }
}
exit $Code
