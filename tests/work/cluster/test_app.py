import subprocess
import sys

import pytest

from voxmatrix.errors import MissingProgramError
from voxmatrix.work.cluster.app import cluster_app
from voxmatrix.work.cluster.store import open_store


@pytest.mark.parametrize("package", ["celery", "redis", "fsspec"])
def test_a_package_that_is_missing_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("app", "store"):
        monkeypatch.setattr(f"voxmatrix.work.cluster.{module}.find_spec", lambda name: None)

    with pytest.raises(MissingProgramError, match=f"(?i){package} is not installed") as error:
        if package == "celery":
            cluster_app("redis://box")
        else:
            open_store("" if package == "redis" else "/shared", "redis://box")

    assert error.value.remedy == 'pip install "voxmatrix[cluster]"'


@pytest.mark.redis
def test_a_queue_takes_json_only_and_nothing_depends_on_the_visibility_timeout() -> None:
    conf = cluster_app("redis://box", worker="a").conf

    assert conf.accept_content == conf.result_accept_content == ["json"]
    assert (conf.task_acks_late, conf.worker_prefetch_multiplier, conf.worker_concurrency) == (True, 1, 1)
    assert conf.broker_transport_options["visibility_timeout"] == 86_400
    assert conf.broker_transport_options["unacked_key"] == "unacked:a"


def test_the_command_line_imports_no_celery() -> None:
    code = "import sys; import voxmatrix.cli.main; print([m for m in ('celery', 'kombu', 'redis') if m in sys.modules])"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
