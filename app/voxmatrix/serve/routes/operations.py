"""What operators and their programs ask: is it alive, is it ready, how is it doing, what computer is it."""

import shutil
import tempfile
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from pydantic import BaseModel

from voxmatrix.config import home
from voxmatrix.files import nearest_folder
from voxmatrix.serve.jobs.jobs import STARTING
from voxmatrix.serve.routes.route import Route
from voxmatrix.serve.services import Services
from voxmatrix.wording import plain

_MIN_FREE_BYTES = 32 * 2**20


class Readiness(BaseModel):
    """Whether a request would be answered."""

    ready: bool
    reasons: list[str]
    warnings: list[str] = []


def operation_routes(services: Services) -> APIRouter:
    """The routes of health, readiness, metrics and the machine."""
    router = APIRouter(route_class=Route)

    @router.get("/health", include_in_schema=False)
    @router.get("/healthz")
    async def health() -> dict[str, Any]:
        """Whether the process answers, and what it does without: a GPU, or jobs."""
        return {"status": "ok", **warnings(services)}

    @router.get("/readyz", response_model=Readiness, responses={503: {"model": Readiness, "description": "Not ready"}})
    async def ready() -> JSONResponse:
        """Whether a request would be answered: voice, jobs, disk and GPU can be used."""
        reasons = not_ready(services)
        state = {"ready": not reasons, "reasons": reasons, **warnings(services)}
        return JSONResponse(state, 503 if reasons else 200)

    @router.get("/metrics", response_class=PlainTextResponse)
    def metrics() -> Response:
        """Figures for Prometheus."""
        services.metrics.fallback.set(services.voices.fallback is not None)
        for state, number in services.jobs.counts().items():
            services.metrics.jobs.labels(state).set(number)
        return Response(services.metrics.text(), headers={"Content-Type": services.metrics.content_type})

    @router.get("/v1/machine")
    def machine() -> dict[str, Any]:
        """What `doctor --json` and `plan --json` print."""
        return services.machine.read()

    return router


def warnings(services: Services) -> dict[str, list[str]]:
    """The field `warnings` if the CPU speaks although there should be a GPU, or there are no jobs; else none."""
    causes = {"the CPU speaks": services.voices.fallback, "no jobs are run": services.jobs.absent}
    found = [plain(f"{what}: {why.problem} → {why.remedy}") for what, why in causes.items() if why is not None]
    return {"warnings": found} if found else {}


def not_ready(services: Services) -> list[str]:
    """Why requests would fail; empty if they would not."""
    reasons = []
    default = services.catalogue.default
    if not services.started.is_set():
        reasons.append(f"the voice {default.id} is not loaded")
    elif services.voices.has_failed(default):
        reasons.append(f"the voice {default.id} cannot be loaded")
    if services.jobs.absent == STARTING:
        reasons.append("the list of jobs is not open yet")
    for what, folder in (("VOXMATRIX_HOME", nearest_folder(home())), ("temporary files", Path(tempfile.gettempdir()))):
        if shutil.disk_usage(folder).free < _MIN_FREE_BYTES:
            reasons.append(f"the disk of {what} is full")
    if services.voices.lost_device is not None:
        reasons.append("the device failed: restart the server to use it again")
    return reasons
