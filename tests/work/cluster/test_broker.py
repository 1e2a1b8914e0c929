import subprocess
import sys

import pytest

from voxmatrix.errors import MissingProgramError, UsageError
from voxmatrix.work.cluster.broker import broker_url, cluster_app, is_redis, verified, without_password
from voxmatrix.work.cluster.store import open_store


@pytest.mark.parametrize("package", ["celery", "redis", "fsspec"])
def test_a_package_that_is_missing_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("broker", "store"):
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


@pytest.mark.parametrize(
    ("given", "environment", "url"),
    [
        ("redis://box:6380/1", {"REDIS_URL": "redis://other"}, "redis://box:6380/1"),
        ("", {"REDIS_URL": "redis://other", "COORDINATOR_IP": "10.0.0.1"}, "redis://other"),
        ("", {"COORDINATOR_IP": "10.0.0.1"}, "redis://10.0.0.1:6379/0"),
        ("", {"COORDINATOR_IP": " 10.0.0.1:6380 "}, "redis://10.0.0.1:6380/0"),
        ("[::1]", {}, "redis://[::1]:6379/0"),
        ("box", {"REDIS_PASSWORD": "a/b@c"}, "redis://:a%2Fb%40c@box:6379/0"),
        ("redis://box/0", {"REDIS_PASSWORD": "unused"}, "redis://box/0"),
        ("amqp://guest:guest@box//", {}, "amqp://guest:guest@box//"),
    ],
)
def test_the_url_that_was_given_comes_first(given: str, environment: dict[str, str], url: str) -> None:
    assert broker_url(given, environment) == url


@pytest.mark.parametrize("given", ["", "  ", "redis://box:port/0", "redis://"])
def test_what_is_no_url_is_a_usage_error(given: str) -> None:
    with pytest.raises(UsageError):
        broker_url(given, {})


@pytest.mark.parametrize("url", ["redis://:s3cr3t@box:port/0", "redis://:s3cr3t#1@box/0"])
def test_a_password_is_not_part_of_an_error_which_says_how_signs_in_it_are_written(url: str) -> None:
    with pytest.raises(UsageError) as error:
        broker_url(url, {})
    assert "s3cr3t" not in str(error.value) and "# as %23" in error.value.remedy


@pytest.mark.parametrize(
    ("given", "level"),
    [
        ("", "required"),
        ("?ssl_cert_reqs=CERT_REQUIRED", "required"),
        ("?ssl_cert_reqs=none", "none"),
        ("?ssl_cert_reqs=CERT_OPTIONAL", "optional"),
    ],
)
def test_a_certificate_is_verified_unless_the_url_says_otherwise(given: str, level: str) -> None:
    url = verified(f"rediss://:a%23b@box:6379/1{given}")

    assert url == verified(url) == f"rediss://:a%23b@box:6379/1?ssl_check_hostname=true&ssl_cert_reqs={level}"


@pytest.mark.parametrize("query", ["ssl_cert_reqs=perhaps", "ssl_ca_certs=/nowhere/ca.pem"])
def test_a_wrong_parameter_of_tls_is_a_usage_error(query: str) -> None:
    with pytest.raises(UsageError, match=r"perhaps|nowhere") as error:
        broker_url(f"rediss://:s3cr3t@box/0?{query}", {})
    assert "s3cr3t" not in str(error.value)


def test_other_urls_stay_as_they_are() -> None:
    assert verified("redis://box/0") == "redis://box/0" and verified("") == ""


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://:s3cr3t@box:6379/0", "redis://:**@box:6379/0"),
        ("redis://me:s3@cr3t@box/0", "redis://me:**@box/0"),
        ("redis://box/0", "redis://box/0"),
    ],
)
def test_messages_show_a_url_without_its_password(url: str, shown: str) -> None:
    assert without_password(url) == shown


def test_brokers_that_are_redis() -> None:
    assert [is_redis(url) for url in ("redis://a", "rediss://a", "redis+socket:///a", "amqp://a")] == [True] * 3 + [
        False
    ]
