"""A dry run of a workflow: the commands of its jobs, in bash, with stand-ins for the programs that reach a registry."""

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: Each stand-in notes its arguments. A digest is that of the name which it is asked about.
_STUBS = {
    "docker": """\
echo "docker $*" >> "$CALLS"
case "$*" in
    "image inspect --format "*|"buildx imagetools inspect "*)
        digest=sha256:$(printf %s "${!#}" | sha256sum | cut -d ' ' -f 1)
        case $1 in image) echo "${!#%:*}@$digest" ;; *) echo "$digest" ;; esac ;;
    "image inspect "*) case " $ABSENT " in *" $3 "*) exit 1 ;; esac ;;
    load) cat > /dev/null ;;
    save*) echo images ;;
esac
""",
    "cosign": 'echo "cosign $*" >> "$CALLS"\ncase $1 in attest) [[ -s $6 ]] ;; esac\n',
    "zstd": 'cat > /dev/null; case $1 in -dc) cat "$2" ;; *) echo packed ;; esac\n',
    "gh": 'echo "gh $*" >> "$CALLS"\ncase $1 in api) printf "%s\\n" $TAGS ;; esac\n',
}


@dataclass
class DryRun:
    """What is known to a run, and what its steps have done."""

    folder: Path
    context: dict[str, str]  # needs.rows.outputs.registry and so on → value
    environment: dict[str, str] = field(default_factory=dict)
    absent: str = ""  # images that were not built
    tags: str = ""  # of the repository
    outputs: dict[str, str] = field(default_factory=dict)

    def job(self, job: Mapping[str, Any], matrix: Mapping[str, Any]) -> list[str]:
        """Run the commands of a job, and return what was called, in order, with the actions that were used.

        Raises:
            subprocess.CalledProcessError: a command failed.
        """
        calls = self._prepare()
        known = self.context | {f"matrix.{name}": str(value) for name, value in matrix.items()}
        env = {name: self._filled(str(value), known) for name, value in job.get("env", {}).items()}
        for step in job["steps"]:
            if "run" in step:
                own = {name: self._filled(str(value), known) for name, value in step.get("env", {}).items()}
                self._bash(step, env | own)
                known |= {f"steps.{step.get('id')}.outputs.{name}": value for name, value in self.outputs.items()}
            else:
                with calls.open("a", encoding="utf-8") as file:
                    given = {name: self._filled(str(value), known) for name, value in step.get("with", {}).items()}
                    print("uses", step["uses"].partition("@")[0], given, file=file)
        return calls.read_text(encoding="utf-8").splitlines()

    def _prepare(self) -> Path:
        programs = self.folder / "bin"
        programs.mkdir(parents=True, exist_ok=True)
        for name, text in _STUBS.items():
            (programs / name).write_text(f"#!/bin/bash\n{text}", encoding="utf-8")
            (programs / name).chmod(0o755)
        calls = self.folder / "calls"
        calls.write_text("", encoding="utf-8")
        return calls

    def _bash(self, step: Mapping[str, Any], env: Mapping[str, str]) -> None:
        written = self.folder / "output"
        written.write_text("", encoding="utf-8")
        environment = {
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "CALLS": str(self.folder / "calls"), "ABSENT": self.absent, "TAGS": self.tags,
            "GITHUB_OUTPUT": str(written), **self.environment, **env,
        }  # fmt: skip
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        subprocess.run(command, cwd=self.folder, env=environment, check=True, capture_output=True, text=True)
        self.outputs = dict(line.split("=", 1) for line in written.read_text(encoding="utf-8").splitlines())

    @staticmethod
    def _filled(text: str, known: Mapping[str, str]) -> str:
        """The text with the value of each expression that is a name, and "" for others, which commands do not need."""
        return re.sub(r"\$\{\{ *(.*?) *\}\}", lambda match: known.get(match[1], ""), text)
