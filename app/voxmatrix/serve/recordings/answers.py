"""What clients are told of lists and takes, as JSON objects."""

import shlex
from typing import Any

from voxmatrix.serve.recordings.prompt_list import PromptList
from voxmatrix.serve.recordings.review import Review, Take
from voxmatrix.tables.training import MIN_SECONDS, amount_of
from voxmatrix.wording import plain


def list_facts(found: PromptList, reviewed: Review) -> dict[str, Any]:
    """A list without its prompts: how much of it was recorded, and what that gives."""
    amount, better = amount_of(reviewed.seconds)
    return {
        "profile": found.profile,
        "name": found.name,
        "language": found.language,
        "prompts": len(found.prompts),
        "recorded": len(reviewed.takes),
        "usable": sum(take.usable for take in reviewed.takes.values()),
        "skipped": len(found.skipped - reviewed.takes.keys()),
        "seconds": round(reviewed.seconds, 2),
        "expect": amount.expect,
        "better": None
        if better is None
        else {"seconds": 60 * better.minutes, "amount": better.duration, "expect": better.expect},
        "train": _train_command(found) if round(reviewed.seconds) >= MIN_SECONDS else None,
    }


def prompt_facts(found: PromptList, reviewed: Review, number: int) -> dict[str, Any]:
    """One prompt with its take."""
    take = reviewed.takes.get(number)
    state = "recorded" if take else "skipped" if number in found.skipped else "open"
    return {
        "number": number,
        "text": found.text(number),
        "state": state,
        "take": None if take is None else _take_facts(take),
    }


def _take_facts(take: Take) -> dict[str, Any]:
    measured = take.measured
    return {
        "seconds": round(take.seconds, 2),
        "usable": take.usable,
        "findings": [
            {"kind": each.kind, "severity": each.severity, "problem": plain(each.problem), "remedy": plain(each.remedy)}
            for each in take.remarks
        ],
        "peak_dbfs": measured and measured.peak_dbfs,
        "speech_dbfs": measured and measured.speech_dbfs,
        "noise_dbfs": measured and measured.noise_dbfs,
        "peaks": measured.heights if measured else [],
    }


def _train_command(found: PromptList) -> str:
    root = found.folder.parent.parent
    words = ["voxmatrix", "train", str(root), "--profile", found.profile, "--prompt-list", found.name]
    return shlex.join([*words, "--language", found.language, "--out", f"runs/{found.profile}"])
