"""Who speaks in a book: found, decided by a person, kept, and heard in the audiobook."""

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serve.conftest import Running, copy_voice, error_of
from tests.serve.jobs.conftest import download, submit, upload, wait_for
from tests.serve.talk import talk
from voxmatrix.config import home
from voxmatrix.serve.casts import store
from voxmatrix.serve.errors import ApiError
from voxmatrix.voices.cast_table import read_table


@pytest.fixture
def other_voice(server: Running, make_onnx: Callable[..., Path]) -> str:
    """A speaker of a voice in the folder of voices."""
    copy_voice(make_onnx("tiny", 3, "text"), home() / "voices" / "other.onnx")
    return "other:1"


def opened(server: Running, content: bytes | None = None) -> dict[str, Any]:
    answer = server.post("/v1/casts", {"file": upload(server, "talk.epub", content or talk())})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def change(server: Running, cast: dict[str, Any], path: str, **body: Any) -> dict[str, Any]:
    answer = httpx.put(f"{server.url}/v1/casts/{cast['id']}/{path}", json=body, timeout=60)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def refused(server: Running, cast: dict[str, Any], path: str, **body: Any) -> dict[str, Any]:
    answer = httpx.put(f"{server.url}/v1/casts/{cast['id']}/{path}", json=body, timeout=60)
    assert answer.status_code in (400, 404), answer.text
    return error_of(answer)


def people(cast: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {person["name"]: person for person in cast["people"]}


def lines(server: Running, cast: dict[str, Any], number: int = 1) -> list[dict[str, Any]]:
    """The speeches of a chapter."""
    found = server.get(f"/v1/casts/{cast['id']}/chapters/{number}").json()
    return [piece for paragraph in found["paragraphs"] for piece in paragraph if "speech" in piece]


def test_the_people_of_a_book_are_found_with_what_they_say(server: Running) -> None:
    cast = opened(server)
    assert (cast["title"], cast["language"], cast["knows_speakers"]) == ("A Talk", "en", True)
    assert [(one["title"], one["parts"]) for one in cast["chapters"]] == [("The harbour", 1), ("The garden", 1)]
    anna, bell, old = (people(cast)[name] for name in ("Anna", "Mr Bell", "the man"))
    assert (anna["sex"], bell["sex"], old["sex"]) == ("f", "m", "m")
    assert anna["sure"] >= 5 and bell["sure"] >= 3 and anna["proposed"] and not anna["voice"]
    assert cast["speeches"] == sum(one["speeches"] for one in cast["chapters"]) == 13
    said = lines(server, cast)
    assert (said[0]["text"], said[0]["who"], said[0]["sure"]) == ("“Good morning,”", "Anna", True)
    assert not said[-1]["sure"]
    whole = server.get(f"/v1/casts/{cast['id']}/chapters/1").json()["paragraphs"]
    assert "".join(piece["text"] for piece in whole[6]) == "“Very late,” said Anna. “Come in.”"
    assert server.get(f"/v1/casts/{cast['id']}").json() == cast


def test_what_somebody_decides_outlives_another_finding_and_other_decisions(server: Running, other_voice: str) -> None:
    cast = opened(server)
    change(server, cast, "people", name="Anna", voice=other_voice, sex="m")
    merged = change(server, cast, "names", name="the man", into="Mr Bell")
    assert "the man" not in people(merged) and people(merged)["Mr Bell"]["merged"] == ["the man"]
    last = lines(server, cast)[-1]
    change(server, cast, f"chapters/1/speeches/{last['speech']}", who="Captain Vane")
    change(server, cast, "voices", dialogue_male=other_voice, unsure="guess")
    again = opened(server)  # the same file, sent again
    assert again["id"] == cast["id"]
    assert (people(again)["Anna"]["voice"], people(again)["Anna"]["sex"]) == (other_voice, "m")
    assert not people(again)["Anna"]["proposed"] and people(again)["Captain Vane"]["speeches"] == 1
    said = lines(server, again)
    assert (said[-1]["who"], said[-1]["corrected"], said[-1]["sure"]) == ("Captain Vane", True, True)
    assert said[0]["voice"] == other_voice and {line["who"] for line in lines(server, again, 2)} == {"Anna", "Mr Bell"}
    assert (again["dialogue_male"], again["dialogue_female"], again["unsure"]) == (other_voice, "", "guess")
    change(server, cast, f"chapters/1/speeches/{last['speech']}", who="")
    separated = change(server, cast, "names", name="the man")
    assert "the man" in people(separated) and "Captain Vane" not in people(separated)


def test_the_table_is_that_of_the_command_line_and_may_be_replaced(server: Running) -> None:
    cast = opened(server)
    address = f"/v1/casts/{cast['id']}/table"
    text = server.get(address).text
    own = "# mine\n" + text.replace('[people."Anna"]\n', '[people."Anna"]  # the one from the harbour\n')
    assert change(server, cast, "table", toml=own)["people"]
    change(server, cast, "people", name="Anna", sex="f")
    kept = server.get(address).text
    assert kept.startswith("# mine\n") and '[people."Anna"]  # the one from the harbour\n' in kept
    (path,) = (home() / "casts").iterdir()
    assert not read_table(path).by_name["anna"].proposed
    assert "is not TOML" in refused(server, cast, "table", toml="not a table [")["message"]
    assert server.get(address).text == kept
    lost = change(server, cast, "table", toml=kept + '[[said]]\ntext = "Never said here"\nwho = "Anna"\n')["lost"]
    assert lost == [{"text": "Never said here", "who": "Anna"}]


def test_what_cannot_be_is_refused_and_nothing_is_changed(server: Running) -> None:
    cast = opened(server)
    assert "no such voice" in refused(server, cast, "people", name="Anna", voice="nobody")["message"]
    assert "Anna already" in refused(server, cast, "names", name="Anna", into="anna")["message"]
    assert "no other name" in refused(server, cast, "names", name="Anna")["message"]
    assert refused(server, cast, "chapters/1/speeches/999", who="Anna")["code"] == "not_found"
    assert refused(server, cast, "chapters/9/speeches/0", who="Anna")["code"] == "not_found"
    assert refused(server, {"id": "0" * 32}, "people", name="Anna")["code"] == "not_found"
    assert server.get(f"/v1/casts/{cast['id']}/chapters/1?part=1").status_code == 404
    assert opened(server) == cast
    for body in ({}, {"file": "0" * 32}, {"file": "0" * 32, "job": "0" * 32}):
        assert server.post("/v1/casts", body).status_code in (400, 404)


def test_a_book_in_another_language_says_that_speakers_are_not_found_but_those_of_plays_are(server: Running) -> None:
    swedish = opened(server, talk("sv"))
    assert (swedish["knows_speakers"], swedish["people"]) == (False, []) and swedish["speeches"]
    play = tuple(
        f"<b>{who}.</b> Jag heter så, och detta är rad {number}." for number in range(6) for who in ("ANNA", "BO")
    )
    found = opened(server, talk("sv", play))
    assert {name: one["sure"] for name, one in people(found).items()} == {"ANNA": 6, "BO": 6}


def test_a_long_chapter_comes_in_parts(server: Running) -> None:
    cast = opened(server, talk("en", tuple(f"“This is line {number},” said Anna." for number in range(400))))
    assert cast["chapters"][0]["parts"] == 3
    parts = [server.get(f"/v1/casts/{cast['id']}/chapters/1?part={part}").json()["paragraphs"] for part in range(3)]
    said = [piece["speech"] for part in parts for paragraph in part for piece in paragraph if "speech" in piece]
    assert said == list(range(400)) and all(len(part) <= 150 for part in parts)


def test_an_audiobook_has_the_voices_of_its_people(server: Running, other_voice: str) -> None:
    book = upload(server, "talk.epub", talk())
    early = server.post("/v1/jobs", {"kind": "book", "file": book, "cast": True})
    assert (early.status_code, error_of(early)["param"]) == (400, "cast")
    cast = server.post("/v1/casts", {"file": book}).json()
    change(server, cast, "people", name="Anna", voice=other_voice)
    both = {"kind": "book", "file": book, "cast": True, "dialogue_voice": other_voice}
    assert error_of(server.post("/v1/jobs", both))["param"] == "dialogue_voice"
    job = submit(server, "book", file=book, cast=True)
    done = wait_for(server, job)
    assert done["state"] == "done", done
    certificate = json.loads(download(server, job, "book/talk.manifest.json"))
    voices = {unit.get("who", ""): unit["voice"] for unit in certificate["units"]}
    assert voices.pop("Anna") == "other.onnx#1" and set(voices.values()) == {"random.onnx"}
    assert any("other" in json.dumps(one) for one in certificate["cast"])
    (home() / "voices" / "other.onnx").unlink()
    gone = server.post("/v1/jobs", {"kind": "book", "job": job, "cast": True})
    assert (gone.status_code, error_of(gone)["param"]) == (400, "cast")


def test_a_cast_that_is_deleted_is_found_anew_without_what_was_decided(server: Running) -> None:
    cast = opened(server)
    change(server, cast, "people", name="Anna", sex="m")
    address = f"{server.url}/v1/casts/{cast['id']}"
    answer = httpx.delete(address, timeout=60)
    assert (answer.status_code, answer.json()) == (200, {"id": cast["id"], "deleted": True})
    assert not [*(home() / "casts").iterdir(), *(home() / "cache" / "casts").iterdir()]
    for gone in (httpx.get(address, timeout=60), httpx.delete(address, timeout=60)):
        assert (gone.status_code, error_of(gone)["param"]) == (404, "cast")
    assert people(opened(server))["Anna"]["sex"] == "f"


def test_proposed_voices_fill_only_what_is_empty(server: Running, monkeypatch: pytest.MonkeyPatch, voice: Path) -> None:
    from voxmatrix.book.people.sounds import VoiceSound
    from voxmatrix.serve.routes import casts

    for name in ("one", "two", "three"):
        copy_voice(voice, home() / "voices" / f"{name}.onnx")
    sexes = {"one": "f", "two": "m", "three": "f"}
    sounds = [VoiceSound(name, sex, 100.0 + len(name), 0.0, 14.0) for name, sex in sexes.items()]
    asked: list[str] = []

    def at_hand(language: str, text: str) -> Any:
        asked.append(language)
        yield from sounds

    monkeypatch.setattr(casts, "voices_at_hand", at_hand)
    cast = opened(server)
    change(server, cast, "people", name="Anna", voice="three")
    monkeypatch.setattr(casts, "_MEASURE_SECONDS", -1.0)
    waiting = server.post(f"/v1/casts/{cast['id']}/proposal", {}).json()
    assert (waiting["complete"], waiting["measured"], people(waiting)["Mr Bell"]["voice"]) == (False, 1, "")
    monkeypatch.setattr(casts, "_MEASURE_SECONDS", 60.0)
    found = server.post(f"/v1/casts/{cast['id']}/proposal", {"voice": "random"}).json()
    assert found["complete"] and asked == ["en", "en"]
    assert (people(found)["Anna"]["voice"], people(found)["Mr Bell"]["voice"]) == ("three", "two")
    assert people(found)["Mr Bell"]["proposed"]


def test_who_deletes_a_cast_that_is_being_opened_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (book := tmp_path / "talk.epub").write_bytes(talk())
    casts = store.Casts()
    identity = casts.open(book).id
    casts.remove(identity)
    answers: list[Exception] = []

    def remove() -> None:
        try:
            casts.remove(identity)
        except Exception as error:
            answers.append(error)

    other = threading.Thread(target=remove)

    def found_and_kept(_folder: Path) -> None:
        other.start()
        other.join(0.2)

    monkeypatch.setattr(store, "_tidy", found_and_kept)
    assert casts.open(book).id == identity
    other.join()
    assert not answers
    with pytest.raises(ApiError, match="open it again"):
        casts.read(identity)
