"""Workbooks as Excel and LibreOffice write them, and as nobody should."""

import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.errors import BadInputError
from voxmatrix.transcripts.table import read_table
from voxmatrix.transcripts.xlsx import read_xlsx

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
WORKBOOK = (
    f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets><sheet name="Texte" sheetId="3" r:id="rId7"/>'
    '<sheet name="Other" sheetId="1" r:id="rId1"/></sheets></workbook>'
)
RELS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Target="worksheets/sheet1.xml"/><Relationship Id="rId7" Target="{target}"/>'
    "</Relationships>"
)
STRINGS = (
    f'<sst xmlns="{MAIN}"><si><t>Datei</t></si><si><t>Text</t></si><si><r><t>Hallo </t></r><r><t>Müller.</t></r>'
    '<rPh sb="0" eb="1"><t>ハロー</t></rPh></si></sst>'
)
SHEET = (
    f'<worksheet xmlns="{MAIN}"><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row>'
    '<row r="3"><c r="A3"><v>7</v></c><c r="C3" t="s"><v>2</v></c><c r="D3" t="e"><v>#REF!</v></c></row>'
    '<row r="4"><c r="A4" t="inlineStr"><is><t>b.wav</t></is></c>'
    '<c r="C4" t="str"><f>A1</f><v>Two\n lines</v></c></row>'
    "</sheetData></worksheet>"
)


def workbook(sheet: str = SHEET, *, target: str = "worksheets/sheet9.xml", **others: str) -> bytes:
    parts = {
        "xl/workbook.xml": WORKBOOK,
        "xl/_rels/workbook.xml.rels": RELS.format(target=target),
        "xl/sharedStrings.xml": STRINGS,
        "xl/worksheets/sheet9.xml": sheet,
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{MAIN}"/>',
        **others,
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return file.getvalue()


@pytest.mark.parametrize("target", ["worksheets/sheet9.xml", "/xl/worksheets/sheet9.xml"])
def test_the_first_sheet_of_the_workbook_is_a_table(target: str) -> None:
    rows, problems = read_table(read_xlsx(workbook(target=target), "t.xlsx"), "t.xlsx")
    assert not problems
    assert [(row.line, row.file, row.text) for row in rows] == [
        ("t.xlsx:3", "7", "Hallo Müller."),
        ("t.xlsx:4", "b.wav", "Two lines"),
    ]


def test_cells_without_their_place_follow_one_another() -> None:
    sheet = f'<worksheet xmlns="{MAIN}"><row><c t="str"><v>a</v></c><c t="str"><v>b</v></c></row></worksheet>'
    assert read_xlsx(workbook(sheet), "t.xlsx") == b"a\tb"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"PK\x03\x04fake", "damaged, or no workbook"),
        (b"", "damaged, or no workbook"),
        (b"\xd0\xcf\x11\xe0 and more", "password"),
        (workbook()[:-300], "damaged, or no workbook"),
        (workbook("<worksheet><row>"), "XML is not well-formed"),
        (workbook(target="worksheets/none.xml"), "damaged, or no workbook"),
        (workbook('<!DOCTYPE w [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><w>&b;</w>'), "document type"),
        (workbook('<!DOCTYPE w SYSTEM "file:///etc/passwd"><w/>'), "document type"),
        (workbook("<w>" + " " * (65 * 2**20) + "</w>"), "unpacks to more than 64 MiB"),
        (workbook("<w>" + "<c/>" * 2**19 + "</w>"), "compressed to less than 1/300"),
    ],
    ids=["fake", "empty", "locked", "truncated", "half", "no sheet", "entities", "outside", "bomb", "cells"],
)
def test_what_is_damaged_or_hostile_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        read_xlsx(data, "t.xlsx")


def test_places_beyond_any_table_cost_nothing() -> None:
    cells = '<row r="9999999"><c r="XFD9999999" t="str"><v>far</v></c><c r="A1" t="s"><v>99</v></c></row>'
    assert read_xlsx(workbook(f'<worksheet xmlns="{MAIN}">{cells}</worksheet>'), "t.xlsx") == b""


@given(st.integers(0, 2000), st.binary(min_size=1, max_size=4))
def test_any_damage_gives_a_table_or_is_refused(place: int, damage: bytes) -> None:
    data = bytearray(workbook())
    data[place : place + len(damage)] = damage
    try:
        read_xlsx(bytes(data), "t.xlsx")
    except BadInputError as error:
        assert error.remedy
