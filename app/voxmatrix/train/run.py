"""Open a run: new, resumed, or started from another voice; and the config of its voice."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path

import torch

import voxmatrix
from voxmatrix.audio.spectrum import Spectrum
from voxmatrix.compute.memory import keep_freed_memory
from voxmatrix.config import is_rank_zero, local_rank
from voxmatrix.dataset.prepared import Clip, PreparedSet
from voxmatrix.errors import BadInputError
from voxmatrix.files import remove_leftovers, write_text
from voxmatrix.piper.config import VoiceConfig, language_of
from voxmatrix.plan.plan import Plan
from voxmatrix.plan.preflight import Preflight
from voxmatrix.tables.quality import Quality, quality
from voxmatrix.text.phonemes.espeak import espeak_version
from voxmatrix.text.symbols import NUM_SYMBOLS
from voxmatrix.train.checkpoint import files as checkpoint_files
from voxmatrix.train.checkpoint.state import Position, RunState, start_from
from voxmatrix.train.config import Recipe, TrainSettings, make_recipe
from voxmatrix.train.data.batches import ClipDataset, Collate, Schedule, split
from voxmatrix.train.data.loader import BatchLoader
from voxmatrix.train.device import autocast, compile_networks, open_devices
from voxmatrix.train.monitor.own_text import sentences_of
from voxmatrix.train.monitor.progress import Progress
from voxmatrix.train.planning import plan_training
from voxmatrix.train.previous_runs import move_aside
from voxmatrix.train.step.distributed import Distributed, launch_processes
from voxmatrix.train.step.graphs import open_graphs
from voxmatrix.train.step.oom_recovery import MemorySavings, OomRecovery
from voxmatrix.train.step.step import Autocast, Networks, make_optimisers
from voxmatrix.vits.checkpoint.checkpoint import Checkpoint
from voxmatrix.vits.discriminator import MultiPeriodDiscriminator
from voxmatrix.vits.layers.gradient_checkpointing import set_gradient_checkpointing
from voxmatrix.vits.synthesizer import Synthesizer


def make_voice_config(prepared: PreparedSet, row: Quality, num_symbols: int) -> VoiceConfig:
    """The voice config for these recordings, with the origin of the voice."""
    return VoiceConfig(
        rate_hz=prepared.rate_hz,
        quality=row.name,
        espeak_voice=prepared.language,
        language=language_of(prepared.language),
        phoneme_type=prepared.phoneme_type,
        espeak_version=(espeak_version() or "") if prepared.phoneme_type == "espeak" else "",
        id_map=prepared.id_map,
        num_symbols=num_symbols,
        num_speakers=max(1, len(prepared.speakers)),
        speaker_id_map={name: number for number, name in enumerate(prepared.speakers)},
        made_by={
            "trained_by": f"voxmatrix {voxmatrix.__version__}",
            "training_torch": version("torch"),
            "recordings": prepared.digest,
            "clips": len(prepared.clips),
            "seconds": round(prepared.seconds, 1),
        },
    )


@dataclass(frozen=True, kw_only=True)
class Run:
    """An open run: everything the training loop needs."""

    settings: TrainSettings
    state: RunState
    loader: BatchLoader
    validation: ClipDataset
    device: torch.device
    autocast: Autocast
    plan: Plan
    oom_recovery: OomRecovery
    distributed: Distributed
    threads: int
    came_from: str
    sample_sentences: tuple[list[int], ...] = ()  # ids of what the samples say instead of the text of a recording

    @property
    def out(self) -> Path:
        """The folder of the run."""
        return self.settings.out


def open_run(prepared: PreparedSet, settings: TrainSettings, progress: Progress, preflight: Preflight) -> Run:
    """Create networks, optimisers and loader, and restore the run in the folder if there is one.

    Raises:
        BadInputError: there are no recordings.
        UsageError: the folder contains a run with other settings.
        DamagedFileError: every checkpoint of the run in the folder is damaged.
    """
    if not prepared.clips:
        raise BadInputError("there are no recordings to train on", "run voxmatrix prepare on the folder to see why")
    if is_rank_zero():
        _prepare_folder(settings)
    found = checkpoint_files.newest_good(settings.out, progress.warned)
    previous = found[1].extra.get("recipe") if found else None
    plan = plan_training(prepared, settings, preflight, previous)
    if is_rank_zero():
        for finding in plan.findings:
            progress.warned(f"{finding.problem}\n  → {finding.remedy}")
    devices = open_devices(plan, preflight.machine)
    device = devices[local_rank()]
    graphs = open_graphs(device, progress.warned) if plan.graphs.value else None  # first: it selects a stream

    row = quality(prepared.quality)
    recipe = make_recipe(settings, plan, prepared, row, previous)
    state = _new_state(prepared, row, recipe, device, plan)
    sentences = sentences_of(settings.sample_text, state.config) if settings.sample_text else []
    came_from = _restore(state, found, recipe, prepared, settings.out)
    if is_rank_zero():
        _describe_run(settings.out, state)
    distributed = launch_processes(devices)  # last, so that the other processes find the folder complete
    threads = settings.threads or max(1, preflight.machine.cpus // distributed.count)
    torch.set_num_threads(threads)
    keep_freed_memory()

    training, validation = split(prepared.clips)
    return Run(
        settings=settings,
        state=state,
        loader=_loader(
            training,
            recipe,
            device,
            distributed,
            workers=plan.workers.value,
            for_graphs=plan.graphs.value,
            warn=progress.warned,
        ),
        validation=ClipDataset(validation),
        device=device,
        autocast=partial(autocast, device, plan.precision.value),
        plan=plan,
        oom_recovery=OomRecovery(
            device=plan.device.value,
            savings=MemorySavings(graphs=graphs, checkpointed=plan.gradient_checkpointing.value),
        ),
        distributed=distributed,
        threads=threads,
        came_from=came_from,
        sample_sentences=tuple(sentences),
    )


def _prepare_folder(settings: TrainSettings) -> None:
    if settings.fresh:
        move_aside(settings.out)
    remove_leftovers(settings.out)


def _restore(
    state: RunState,
    found: tuple[Path, Checkpoint] | None,
    recipe: Recipe,
    prepared: PreparedSet,
    out: Path,
) -> str:
    """Load the checkpoint found in the folder, or the one to start from; the result describes it in words."""
    if found:
        path, checkpoint = found
        state.restore(checkpoint)
        if is_rank_zero() and path.name != checkpoint_files.LAST:  # killed between two files, or last.ckpt is damaged
            checkpoint_files.same_file(path, out / checkpoint_files.LAST)
        return f"resuming from {path.name}, step {state.position.step}"
    if recipe.start_from:
        return start_from(Path(recipe.start_from), state.networks, quality(prepared.quality), prepared)
    return "starting from scratch"


def _loader(
    clips: tuple[Clip, ...],
    recipe: Recipe,
    device: torch.device,
    distributed: Distributed,
    *,
    workers: int,
    for_graphs: bool,
    warn: Callable[[str], None],
) -> BatchLoader:
    return BatchLoader(
        dataset=ClipDataset(clips),
        collate=Collate(recipe.speakers, for_graphs=for_graphs),
        schedule=Schedule(
            samples=tuple(clip.samples for clip in clips),
            batch_size=recipe.batch_size,
            accumulation=recipe.accumulation,
            max_batch_samples=int(recipe.max_batch_seconds * recipe.rate_hz),
            seed=recipe.seed,
        ),
        workers=workers,
        device=device,
        share=distributed.share,
        warn=warn,
    )


def _new_state(prepared: PreparedSet, row: Quality, recipe: Recipe, device: torch.device, plan: Plan) -> RunState:
    n_speakers = max(1, len(prepared.speakers))
    torch.manual_seed(recipe.seed)
    networks = Networks(
        generator=Synthesizer(row, NUM_SYMBOLS, n_speakers).to(device),
        discriminator=MultiPeriodDiscriminator(row.discriminator_divisor).to(device),
        spectrum=Spectrum(recipe.rate_hz).to(device),
    )
    set_gradient_checkpointing((networks.generator, networks.discriminator), plan.gradient_checkpointing.value)
    if plan.compile.value:
        compile_networks(networks)
    return RunState(
        quality=row,
        num_symbols=NUM_SYMBOLS,
        num_speakers=n_speakers,
        config=make_voice_config(prepared, row, NUM_SYMBOLS),
        recipe=recipe,
        networks=networks,
        optimisers=make_optimisers(networks, recipe.learning_rate, device, plan.scaler.value),
        position=Position(),
    )


def _describe_run(out: Path, state: RunState) -> None:
    """Write voice.json and run.json. They are informative: resuming reads neither."""
    about = {"recipe": state.recipe.plain(), "voxmatrix": voxmatrix.__version__, "torch": version("torch")}
    state.config.write(out / "voice.json")
    write_text(out / "run.json", json.dumps(about, ensure_ascii=False, indent=2) + "\n")
