from pathlib import Path

import pytest

from tests.transcripts.test_xlsx import workbook
from voxmatrix.dataset.layouts import tables
from voxmatrix.errors import BadInputError


def put(folder: Path, **files: str | bytes) -> None:
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_csv", ".csv").replace("_wav", ".wav").replace(
            "_list", ".list"
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def listed(folder: Path) -> list[tuple[str, str]]:
    found = tables.read(folder)
    assert found is not None
    return [(row.file, row.text) for row in found[0]]


def test_the_parts_of_a_set_are_read_together(tmp_path: Path) -> None:
    put(
        tmp_path,
        a_wav="",
        metadata_train_csv="audio_file|text\na.wav|One.",
        metadata_eval_csv="audio_file|text\nb.wav|Two.",
    )
    assert sorted(listed(tmp_path)) == [("a.wav", "One."), ("b.wav", "Two.")]


def test_of_common_voice_what_was_confirmed_is_read(tmp_path: Path) -> None:
    put(tmp_path, clips__a_wav="")
    for name in ("validated", "train", "invalidated", "other"):
        (tmp_path / f"{name}.tsv").write_text(f"client_id\tpath\tsentence\nx\ta.wav\t{name}")
    assert listed(tmp_path) == [("a.wav", "validated")]


def test_of_several_tables_none_is_chosen(tmp_path: Path) -> None:
    put(tmp_path, a_wav="", one_csv="a|x", two_csv="a|x\na|y")
    with pytest.raises(BadInputError, match=r"but one\.csv, two\.csv") as caught:
        tables.read(tmp_path)
    assert caught.value.remedy.endswith("two.csv")


def test_a_table_of_other_things_is_none_of_recordings(tmp_path: Path) -> None:
    put(tmp_path, a_wav="", costs_csv="train,12\nhotel,80")
    assert tables.read(tmp_path) is None


@pytest.mark.parametrize(
    "written",
    [
        "output/slicer_opt/a.wav",
        "D:\\GPT-SoVITS\\output\\slicer_opt\\a.wav",
        "/content/slicer_opt/a.wav",
        "../../a.wav",
    ],
)
def test_a_list_names_files_by_the_ends_of_their_paths(tmp_path: Path, written: str) -> None:
    place = "a.wav" if "slicer" not in written else "slicer_opt/a.wav"
    put(tmp_path, **{place.replace("/", "__").replace(".wav", "_wav"): ""}, s_list=f"{written}|anna|EN|Hello you.")
    found = tables.read(tmp_path)
    assert found is not None
    assert [(row.file, row.speaker, row.text) for row in found[0]] == [(place, "anna", "Hello you.")]


def test_other_tables_lead_nowhere_else(tmp_path: Path) -> None:
    put(tmp_path, data__a_wav="", data__m_csv="../a.wav|Hello.")
    put(tmp_path, a_wav="")
    assert tables.read(tmp_path / "data") is None


def test_a_workbook_is_read_and_a_damaged_one_named(tmp_path: Path) -> None:
    put(tmp_path, b_wav="")
    (tmp_path / "Mappe1.xlsx").write_bytes(workbook())
    (tmp_path / "~$Mappe1.xlsx").write_bytes(b"\x05Anna")
    assert ("b.wav", "Two lines") in listed(tmp_path)
    (tmp_path / "Mappe1.xlsx").write_bytes(b"PK\x03\x04fake")
    with pytest.raises(BadInputError, match=r"Mappe1\.xlsx is damaged"):
        tables.read(tmp_path)


@pytest.mark.parametrize("name", ["Texte.ods", "Texte.xls", "Texte.numbers"])
def test_a_table_of_another_program_is_named(tmp_path: Path, name: str) -> None:
    put(tmp_path, a_wav="")
    (tmp_path / name).touch()
    with pytest.raises(BadInputError, match=name) as caught:
        tables.read(tmp_path)
    assert ".xlsx or .csv" in caught.value.remedy


@pytest.mark.parametrize(
    "header",
    [
        "Datei;Text",
        "Archivo;Frase",
        "Fichier;Texte",
        "Nome do arquivo;Texto",
        "Nome file;Testo",
        "Filnamn;Mening",
        "File;Text",
    ],
)
def test_excel_in_seven_languages_and_its_encoding(tmp_path: Path, header: str) -> None:
    put(tmp_path, a_wav="", Mappe1_csv=f'{header}\r\na.wav;"Ein Müller; und ""er"" ging."\r\n'.encode("cp1252"))
    assert listed(tmp_path) == [("a.wav", 'Ein Müller; und "er" ging.')]
    _, (problem,) = tables.read(tmp_path) or ([], [])
    assert (problem.kind, problem.severity) == ("bad-encoding", "warning") and "'Müller'" in problem.problem


def test_times_of_whisper_are_no_table(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("start\tend\ttext\n0\t1500\tOne.\n")
    assert tables.read(tmp_path) is None
