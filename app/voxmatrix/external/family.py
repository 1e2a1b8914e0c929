"""The family of voices that engines speak: `voices/ENGINE/NAME.voice`, called ENGINE/NAME."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from voxmatrix.config import voice_folders
from voxmatrix.errors import BadInputError
from voxmatrix.files import content_digest
from voxmatrix.models.card import Capabilities, Knob, VoiceCard, joint_digest
from voxmatrix.models.device import GpuSupport, SpeakDevice, Warn
from voxmatrix.models.family import Family, OpenVoice
from voxmatrix.models.reference import Cloning
from voxmatrix.models.style import Runtime

if TYPE_CHECKING:
    from voxmatrix.external.manifest import ReferenceTable

NAME = "external"
SUFFIX = ".voice"


def voice_path(engine: str, name: str) -> Path:
    """The file of a voice of the user's."""
    return voice_folders()[0] / engine / f"{name}{SUFFIX}"


def _cloning(reference: "ReferenceTable | None") -> Cloning | None:
    return Cloning(seconds=reference.seconds, transcript=reference.transcript) if reference else None


class ExternalFamily:
    """The voices of all engines."""

    name = NAME
    trainable = False
    language_names: Mapping[str, str] = {}
    library = None

    def find(self, folder: Path) -> Mapping[str, Path]:
        """Those in the folders of their engines."""
        return {f"{path.parent.name}/{path.stem}": path for path in sorted(folder.glob(f"*/*{SUFFIX}"))}

    def owns(self, path: Path) -> Path | None:
        """A file NAME.voice."""
        return path if path.suffix == SUFFIX and path.is_file() else None

    def named(self, name: str) -> Path | None:
        """A voice without the name of its engine, if only one has it.

        Raises:
            BadInputError: several have it.
        """
        found = {
            known: path
            for folder in reversed(voice_folders())
            for known, path in self.find(folder).items()
            if path.stem == name
        }
        if len(found) > 1:
            raise BadInputError(f"several voices are called {name}", f"choose one of: {', '.join(found)}")
        return next(iter(found.values()), None)

    def tidy(self) -> None:
        """Remove the recordings that no voice imitates any more."""
        from voxmatrix.external.voice_file import remove_unused_references

        remove_unused_references(self.find(voice_folders()[0]).values())

    def uses_torch(self, path: Path) -> bool:
        """As far as is known: the engines borrow it."""
        return True

    def card(self, path: Path) -> VoiceCard:
        """By its file and the manifest of its engine."""
        from voxmatrix.external.installed import find_engine, weights_records
        from voxmatrix.external.voice_file import read_voice, reference_path
        from voxmatrix.plan.arithmetic import Arithmetic

        voice = read_voice(path)
        records = weights_records()
        engine = find_engine(voice.engine, voice.weights)
        can, run, licence = engine.manifest.can, engine.manifest.run, engine.manifest.licence
        kinds = engine.manifest.engine.kinds
        reference = [reference_path(path, voice.reference)] if voice.reference else []
        return VoiceCard(
            id=f"{voice.engine}/{path.stem}",
            family=NAME,
            files=(path, *reference, *engine.files),
            rate_hz=can.rate,
            languages=(voice.language,),
            capabilities=Capabilities(
                knobs={
                    name: Knob(
                        title=knob.title,
                        default=knob.default,
                        low=knob.least,
                        high=knob.most,
                        integer=knob.type == "integer",
                    )
                    for name, knob in engine.manifest.knob.items()
                },
                speed=can.speed,
                seed=can.seed,
                uses_torch=kinds != ("cpu",),
                may_teach=licence is not None and licence.may_teach,
                autoregressive=can.autoregressive,
                clones=_cloning(can.reference),
                speakers_in_one_text=1 if voice.voice else can.speakers_in_one_text,
                arithmetic=Arithmetic(dtypes=run.dtypes, refuse=run.refuse, attention=run.attention, kinds=kinds),
            ),
            title=voice.title or path.stem,
            license=voice.license or (licence.name if licence else ""),
            source=next((weights.repo for weights in engine.manifest.weights if weights.id in voice.weights), ""),
            provenance={
                "engine": engine.name,
                "lock_sha256": engine.lock_sha256,
                "weights": {
                    name: {"sha256": digest, "revision": records.get(digest, {}).get("revision", "")}
                    for name, digest in voice.weights.items()
                },
            },
            consent=voice.consent.statement if voice.consent else "",
            memory_mib=run.memory.fixed_mib,
        )

    def gpu_support(self) -> GpuSupport:
        """None, for engines that compute on the CPU only."""
        return GpuSupport(kinds=frozenset(), by="engine of this voice", remedy="set `device=cpu`")

    def open(self, card: VoiceCard, device: SpeakDevice, runtime: Runtime, warn: Warn) -> OpenVoice:
        """Open a voice; its engine starts in the background, unless another voice has started it.

        Raises:
            NoDeviceError: the engine does not compute on such a device.
        """
        from voxmatrix.external.installed import find_engine
        from voxmatrix.external.process import WHOLE_SENTENCE_SECONDS, EngineStart, Limits
        from voxmatrix.external.voice import ExternalVoice
        from voxmatrix.external.voice_file import read_voice
        from voxmatrix.machine.probes.limits import cpus

        voice = read_voice(card.path)
        engine = find_engine(voice.engine, voice.weights)
        card = card.on(device)
        _, dtype, attention = card.variant.split()
        start = EngineStart(
            folder=engine.folder,
            weights=tuple(sorted(voice.weights.items())),
            gpu=device.on.gpu if device.on else None,
            dtype=dtype,
            attention=attention,
            version=joint_digest(map(content_digest, engine.files)),
            threads=1 if runtime.reproducible and card.capabilities.seed == "bytes" else runtime.threads or cpus(),
        )
        limits = Limits() if engine.manifest.can.stream != "none" else Limits(silence=WHOLE_SENTENCE_SECONDS)
        return ExternalVoice(card, voice, engine, start, limits)


FAMILY: Family = ExternalFamily()
