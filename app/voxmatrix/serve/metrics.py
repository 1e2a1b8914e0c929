"""What Prometheus reads. Each server has a registry of its own."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

#: The latency to the first byte of an answer, in seconds.
_BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 2.0, 5.0, 10.0, 30.0)


class ServerMetrics:
    """The figures of one server."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        self.requests = Counter(
            "voxmatrix_requests", "Requests by route and status.", ["route", "status"], registry=registry
        )
        self.first_byte = Histogram(
            "voxmatrix_first_byte_seconds",
            "Seconds from a request to the first byte of its answer.",
            ["route"],
            registry=registry,
            buckets=_BUCKETS,
        )
        self.audio_seconds = Counter("voxmatrix_audio_seconds", "Seconds of speech.", ["voice"], registry=registry)
        self.waiting = Gauge("voxmatrix_queue_length", "Answers that wait for a voice.", ["voice"], registry=registry)
        self.computing = Gauge("voxmatrix_computing", "Answers that are being computed.", registry=registry)
        self.voices_loaded = Gauge("voxmatrix_voices_loaded", "Voices in memory.", registry=registry)
        self.jobs = Gauge("voxmatrix_jobs", "Jobs by state.", ["state"], registry=registry)
        self.rejected = Counter("voxmatrix_rejected", "Requests refused, by reason.", ["reason"], registry=registry)
        self.aborted = Counter(
            "voxmatrix_aborted", "Answers that ended early, by reason.", ["reason"], registry=registry
        )
        self.fallback = Gauge("voxmatrix_cpu_fallback", "1: the CPU speaks instead of a GPU.", registry=registry)

    def text(self) -> bytes:
        """All figures, in Prometheus' text format."""
        return generate_latest(self._registry)
