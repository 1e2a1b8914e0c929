"""hibari as a teacher: its own program speaks, in its own environment, and keeps the filters of its network."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from voxmatrix.distil.student.corpus import IN_A_FILE
from voxmatrix.distil.student.teacher import SYNTHETIC
from voxmatrix.kokoro.alphabet import TIE, to_misaki
from voxmatrix.progress import OnProgress
from voxmatrix.text.front import Sentence
from voxmatrix.text.phonemes.phonemizer import EspeakPhonemizer

HERE = Path(__file__).parent
REQUIREMENTS = HERE / "requirements.txt"


class Hibari:
    """The voice `heart` of hibari-tts, a `Teacher`."""

    name, language, speakers, is_person = "hibari/heart", "en-us", ("heart",), False

    def __init__(self, environment: Path) -> None:
        """Install hibari into the environment, unless that has happened."""
        self._python = environment / "bin" / "python"
        (name, hashed) = REQUIREMENTS.read_text(encoding="utf-8").splitlines()[1].split(" --hash=")
        self.facts: Mapping[str, str] = {
            "teacher": f"{name}, voice heart (Apache-2.0, Copyright 2026 Maureese Williams)",
            "teacher_origin": "distilled from Kokoro-82M, voice af_heart (Apache-2.0, hexgrad)",
            "teacher_license": "Apache-2.0",
            "teacher_sha256": hashed.removeprefix("sha256:"),
            "note": SYNTHETIC,
        }
        if not self._python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
        pip = [str(self._python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "numpy", "onnxruntime"], check=True)
        subprocess.run([*pip, "--no-deps", "--require-hashes", "-r", str(REQUIREMENTS)], check=True)

    def speak(self, sentences: Sequence[Sentence], folder: Path, wanted_seconds: float, progress: OnProgress) -> None:
        """See `Teacher`. It is given what espeak-ng reads, so that it says what the student's symbols are."""
        phonemizer = EspeakPhonemizer(self.language, tie=TIE, convert=partial(to_misaki, language=self.language))
        read = phonemizer.phonemes([one.text for one in sentences])
        phonemizer.close()
        listed = folder / "phonemes.json"
        listed.write_text(json.dumps(["".join(one) for one in read]), encoding="utf-8")
        program = [str(self._python), str(HERE / "hibari_program.py"), str(listed), str(folder)]
        command = [*program, str(wanted_seconds), str(IN_A_FILE)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout or ():
                progress(min(round(float(line)), round(wanted_seconds)), round(wanted_seconds))
        if process.returncode:
            raise SystemExit(f"hibari failed with exit code {process.returncode}")

    def cpu_seconds(self, texts: Sequence[str]) -> None:
        """Not measured here: tools/default_voice/figures.py does so, side by side."""
