"""The application: routes behind a gate."""

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

import voxmatrix
from voxmatrix.serve.errors import ErrorBody, add_error_handlers
from voxmatrix.serve.page.routes import page_routes
from voxmatrix.serve.routes.casts import cast_routes
from voxmatrix.serve.routes.elevenlabs import elevenlabs_routes
from voxmatrix.serve.routes.engines import engine_routes
from voxmatrix.serve.routes.files import file_routes
from voxmatrix.serve.routes.jobs import job_routes
from voxmatrix.serve.routes.kokoro import kokoro_routes
from voxmatrix.serve.routes.languages import language_routes
from voxmatrix.serve.routes.library import library_routes
from voxmatrix.serve.routes.mcp import mcp_route
from voxmatrix.serve.routes.models import model_routes
from voxmatrix.serve.routes.operations import operation_routes
from voxmatrix.serve.routes.piper import piper_routes
from voxmatrix.serve.routes.plan import plan_routes
from voxmatrix.serve.routes.recordings import recording_routes
from voxmatrix.serve.routes.segments import segment_routes
from voxmatrix.serve.routes.speech import speech_routes
from voxmatrix.serve.routes.tts import tts_routes
from voxmatrix.serve.routes.vibevoice import vibevoice_routes
from voxmatrix.serve.routes.voices import voice_routes
from voxmatrix.serve.security.middleware import RequestMiddleware
from voxmatrix.serve.services import Services


def make_app(services: Services) -> ASGIApp:
    """The application of these services."""
    settings = services.settings
    # FastAPI's own pages load scripts of other sites.
    app = FastAPI(
        title="voxmatrix",
        version=voxmatrix.__version__,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        servers=[{"url": settings.root_path}] if settings.root_path else None,
        responses={"default": {"model": ErrorBody, "description": "An error"}},
    )
    add_error_handlers(app)
    for routes in (
        speech_routes,
        model_routes,
        piper_routes,
        vibevoice_routes,
        kokoro_routes,
        tts_routes,
        elevenlabs_routes,
        voice_routes,
        engine_routes,
        language_routes,
        library_routes,
        job_routes,
        segment_routes,
        cast_routes,
        file_routes,
        plan_routes,
        recording_routes,
        operation_routes,
        page_routes,
    ):
        app.include_router(routes(services))
    if settings.mcp:
        app.router.routes.append(mcp_route(services))
    checked = RequestMiddleware(app, settings, services.log, services.metrics)
    if not settings.allowed_origins:
        return checked
    return CORSMiddleware(
        checked,
        allow_origins=settings.allowed_origins,
        allow_methods=["*"],
        allow_headers=["*"],
        expose_headers=["Retry-After", "X-Ignored-Fields", "X-Request-Id", "X-Voxmatrix-Warning"],
        allow_private_network=True,
    )
