"""A request of any kind."""

from typing import Annotated

from pydantic import Field

from voxmatrix.serve.jobs.kinds.benchmark import BenchmarkJobRequest
from voxmatrix.serve.jobs.kinds.book import BookJobRequest
from voxmatrix.serve.jobs.kinds.export import ExportJobRequest
from voxmatrix.serve.jobs.kinds.prepare import PrepareJobRequest
from voxmatrix.serve.jobs.kinds.speech import SpeechJobRequest
from voxmatrix.serve.jobs.kinds.train import TrainJobRequest

AnyJobRequest = Annotated[
    SpeechJobRequest | BookJobRequest | TrainJobRequest | PrepareJobRequest | ExportJobRequest | BenchmarkJobRequest,
    Field(discriminator="kind"),
]
