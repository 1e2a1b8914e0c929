"""What is sent to the browser, and with which headers."""

import posixpath
import re
from importlib.resources import files

import httpx
import pytest

from tests.serve.page.conftest import Server, StartServer
from voxmatrix.serve.page.files import read_page
from voxmatrix.serve.page.routes import belongs_to_page

PAGE = read_page()
MAIN = f"page/{PAGE.version}/js/main.js"


def test_the_whole_page_is_small_as_it_is_sent() -> None:
    assert sum(len(file.compressed) for file in PAGE.files.values()) <= 155_000


def test_comments_are_not_sent_and_all_code_is() -> None:
    source = (files("voxmatrix.serve.page") / "static/js/record/capture.js").read_text(encoding="utf-8").splitlines()
    code = [line for line in source if not line.lstrip().startswith(("//", "/**"))]
    assert text("js/record/capture.js").splitlines() == code and len(code) < len(source)
    for name, file in PAGE.files.items():
        assert not re.search(rb"(?m)^ *(?://|\*)", file.content) or not name.endswith(".js"), name


def test_the_first_tab_is_one_script() -> None:
    main = text("js/main.js")
    assert imports("js/main.js") == [] and re.findall(r"(?m)^export .*", main) == ["export const modules = {};"]
    blocks = re.findall(r"(?m)^\{ // (js/.*)$", main)
    assert blocks[-1] == "js/main.js" and not set(blocks[:-1]) & set(PAGE.files)


def test_what_a_module_takes_from_another_is_there() -> None:
    exported = dict(re.findall(r'(?m)^modules\["(.*)"\] = \{ (.*) \};$', text("js/main.js")))
    taken = 0
    for name in (name for name in PAGE.files if name.endswith(".js")):
        for names, module in re.findall(r'(?m)^const \{ (.*) \} = modules\["(.*)"\];$', text(name)):
            assert {one.split(":")[0] for one in names.split(", ")} <= set(exported[module].split(", ")), name
            taken += 1
    assert taken > 100


def test_what_a_module_loads_later_is_there() -> None:
    loaded = [
        posixpath.normpath(posixpath.join(posixpath.dirname(name), other))
        for name in PAGE.files
        if name.endswith(".js")
        for other in re.findall(r'import\("(.*?)"\)', text(name))
    ]
    assert len(loaded) > 10 and set(loaded) <= set(PAGE.files)


def test_a_later_tab_names_all_that_it_imports_itself() -> None:
    told = {"js/main.js"}
    tabs = re.findall(r'whenShown\(.*import\("(.*?)"\)', text("js/main.js"))
    entries = [posixpath.normpath(f"js/{name}") for name in tabs]
    assert len(entries) == text("index.html").count('role="tab"') - 1
    for entry in entries:
        named = {*imports(entry), *told}
        for name in named - told:
            assert set(imports(name)) <= named


def text(name: str) -> str:
    return PAGE.files[name].content.decode()


def imports(name: str) -> list[str]:
    """What a module imports at once, however that is written."""
    found = re.findall(r'^(?:import|export)\s[^"=]*"(\.[^"]*)"', text(name), re.MULTILINE)
    return [posixpath.normpath(posixpath.join(posixpath.dirname(name), other)) for other in found]


def test_the_api_is_described_at_docs_without_a_script_or_another_place(server: Server) -> None:
    answer = httpx.get(f"{server.url}docs")
    assert answer.headers["content-security-policy"].startswith("default-src 'none'; style-src 'unsafe-inline'")
    described = httpx.get(f"{server.url}openapi.json").json()
    for path, methods in described["paths"].items():
        for method in methods:
            assert f"<code>{method.upper()} {path}</code>" in answer.text
    assert "<code>response_format</code>" in answer.text and "mp3 or " in answer.text
    assert "<code>chapters</code>" in answer.text  # of one of the kinds of jobs
    assert "http://" not in answer.text and "https://" not in answer.text.replace("https://github.com", "")


def test_the_page_names_no_other_place() -> None:
    """But the name of a format: SVG's."""
    for name, file in PAGE.files.items():
        assert not re.search(rb"https?://", file.content.replace(b"http://www.w3.org/2000/svg", b"")), name


def test_a_voice_links_to_where_it_is_from_only_by_http() -> None:
    """A description of a voice can name any address: javascript:// too."""
    (shown,) = re.findall(rb"\n *(.*) && el\(\"a\", { href: voice.source", PAGE.files["js/voices/card.js"].content)
    assert shown == b"/^https?:/.test(voice.source)"


def test_its_headers_keep_everything_else_out(server: Server) -> None:
    headers = httpx.get(server.url).headers
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert headers["content-security-policy"].startswith("default-src 'self'; ")
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_the_index_is_sent_again_only_when_it_has_changed(server: Server) -> None:
    first = httpx.get(server.url)
    assert first.headers["cache-control"] == "no-cache"
    again = httpx.get(server.url, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert httpx.get(server.url, headers={"If-None-Match": '"older"'}).content == first.content


def test_a_file_is_never_asked_for_again_and_another_version_has_another_address(server: Server) -> None:
    file = httpx.get(server.url + MAIN)
    assert file.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert "unsafe" not in file.headers["content-security-policy"]
    older = httpx.get(server.url + MAIN.replace(PAGE.version, "0" * 16))
    assert older.status_code == 404
    assert "cache-control" not in older.headers


@pytest.mark.parametrize("path", ["", MAIN])
@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip, deflate, br", "gzip"),
        ("br;q=1.0, gzip;q=0.8", "gzip"),
        ("identity", None),
        ("gzip;q=0", None),
        ("gzip; q=0.0, br", None),
        ("x-gzipped", None),
    ],
)
def test_who_reads_gzip_gets_it(server: Server, path: str, accepted: str, encoding: str | None) -> None:
    answer = httpx.get(server.url + path, headers={"Accept-Encoding": accepted})
    plain = httpx.get(server.url + path, headers={"Accept-Encoding": "identity"})
    assert answer.headers.get("content-encoding") == encoding
    assert answer.content == plain.content
    assert (answer.headers["etag"] == plain.headers["etag"]) == (encoding is None)
    assert "Accept-Encoding" in answer.headers["vary"]
    assert (int(answer.headers["content-length"]) < len(plain.content)) == (encoding is not None)


@pytest.mark.parametrize(
    "name",
    [
        "nothing.js",
        f"{PAGE.version}/nothing.js",
        f"{PAGE.version}/..%2f..%2ffiles.py",
        f"{PAGE.version}/%2e%2e/routes.py",
        "js/main.js",
        PAGE.version,
        "",
    ],
)
def test_only_files_of_the_page_are_served(server: Server, name: str) -> None:
    answer = httpx.get(f"{server.url}page/{name}")
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "not_found"


def test_the_page_needs_no_key_and_the_api_does(
    start_server: StartServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("keys") / "keys"
    file.write_text("0" * 64 + "\n", encoding="utf-8")
    server = start_server("--keys", str(file))
    for path in ("", MAIN, "page/settings.json"):
        assert httpx.get(server.url + path).status_code == 200
    for path in ("v1/machine", "v1/audio/voices", "pages", "page"):
        assert httpx.get(server.url + path).status_code == 401


def test_what_belongs_to_the_page() -> None:
    assert belongs_to_page("/") and belongs_to_page("/page/js/main.js")
    assert not any(map(belongs_to_page, ("/page", "/pages/x", "/v1/page/", "//", "")))
