"""TLS on every connection: of the coordinator, of Celery's worker and its results, and of our own client."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.work.cluster.jobs import Job
from tests.work.cluster.processes import ClusterWorker, RedisServer, wait_until
from voxmatrix.errors import UnreachableError
from voxmatrix.models.card import VoiceCard
from voxmatrix.work.cluster.broker import cluster_app
from voxmatrix.work.cluster.members import workers_health
from voxmatrix.work.cluster.store import open_store
from voxmatrix.work.unit import Unit

pytestmark = [pytest.mark.redis, pytest.mark.slow]


def _certificate(folder: Path, name: str) -> Path:
    """A self-signed certificate for 127.0.0.1."""
    certificate = folder / f"{name}.pem"
    files = ["-keyout", str(certificate.with_suffix(".key")), "-out", str(certificate)]
    subject = ["-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *files, *subject], check=True)
    return certificate


@pytest.fixture
def good(tmp_path: Path) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path / "redis", "s3cr3t", certificate=_certificate(tmp_path, "good"))
    yield server
    server.close()


def test_a_job_is_done_over_tls_and_an_impostor_is_refused_by_everybody(
    good: RedisServer,
    start_worker: Callable[..., ClusterWorker],
    voice: VoiceCard,
    sentences: Callable[[int], list[Unit]],
    tmp_path: Path,
) -> None:
    worker = start_worker(good.url, "a")
    assert Job(good.url, voice, tmp_path / "job", sentences(5)).end().given_up == ()
    good.kill()

    impostor = RedisServer(tmp_path / "impostor", certificate=_certificate(tmp_path, "evil"), port=good.port)
    try:
        wait_until(lambda: worker.log.count("CERTIFICATE_VERIFY_FAILED") > 1)
        with pytest.raises(UnreachableError, match="does not prove who it is") as error:
            workers_health(good.url)
        with pytest.raises(UnreachableError, match="does not prove"):
            open_store("", good.url).put("audio/1", b"", 1)
        for app in (cluster_app(good.url), cluster_app(good.url, worker="b")):
            with pytest.raises(Exception, match="CERTIFICATE_VERIFY_FAILED"):
                app.connection().default_channel.client.ping()
            with pytest.raises(Exception, match="CERTIFICATE_VERIFY_FAILED"):
                app.backend.client.ping()
        heard = impostor.client.info("commandstats")
    finally:
        impostor.close()

    assert "ssl_ca_certs" in error.value.remedy and "s3cr3t" not in str(error.value)
    assert not {name for name in heard if "auth" in name}
    assert "insecure" not in worker.log
