"""Formulas of Word documents are text before Calibre, which drops them, converts the document."""

import zipfile

import pytest

from voxmatrix.book.read.docx_formulas import with_readable_formulas

_DOCUMENT = (
    '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    ' xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><w:body>'
    "<w:p><w:r><w:t>It is</w:t></w:r>{}<w:r><w:t>, you see.</w:t></w:r></w:p></w:body></w:document>"
)


def _r(text):
    return f"<m:r><m:rPr/><m:t>{text}</m:t></m:r>"


def _docx(tmp_path, formula):
    path = tmp_path / "a.docx"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("word/document.xml", _DOCUMENT.format(formula))
        file.writestr("word/media/a.png", b"picture")
    return path


_SQUARE = f"<m:sSup><m:e>{_r('c')}</m:e><m:sup>{_r('2')}</m:sup></m:sSup>"


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (_r("E") + _r("=") + _r("m") + _SQUARE, "E = mc²"),
        (f"<m:f><m:fPr/><m:num>{_r('a')}{_r('+')}{_r('b')}</m:num><m:den>{_r('2')}</m:den></m:f>", "(a + b)/2"),
        (f"<m:rad><m:radPr/><m:deg/><m:e>{_SQUARE}</m:e></m:rad>", "√c²"),
        (f"<m:sSub><m:e>{_r('x')}</m:e><m:sub>{_r('1')}</m:sub></m:sSub>", "x₁"),
        (f'<m:d><m:dPr><m:begChr m:val="["/></m:dPr><m:e>{_r("a")}</m:e><m:e>{_r("b")}</m:e></m:d>', "[a, b)"),
        (f'<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub/><m:sup/><m:e>{_r("k")}</m:e></m:nary>', "∑ k"),
    ],
)
@pytest.mark.parametrize("displayed", [True, False])
def test_a_formula_becomes_text(formula, text, displayed, tmp_path):
    formula = f"<m:oMath>{formula}</m:oMath>"
    path = _docx(tmp_path, f"<m:oMathPara>{formula}</m:oMathPara>" if displayed else formula)
    copy, count = with_readable_formulas(path, _folder(tmp_path))
    assert count == 1
    with zipfile.ZipFile(copy) as file:
        document = file.read("word/document.xml").decode()
        assert file.read("word/media/a.png") == b"picture"
    assert f'>It is</w:t></w:r><w:r><w:t xml:space="preserve"> {text} </w:t></w:r>' in document
    assert document.index(text) < document.index(", you see.")


def _folder(tmp_path):
    folder = tmp_path / "made"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("formula", ["", "<m:oMath>"])
def test_a_document_without_formulas_or_a_damaged_one_is_left_as_it_is(formula, tmp_path):
    path = _docx(tmp_path, formula)
    assert with_readable_formulas(path, _folder(tmp_path)) == (path, 0)
    path.write_bytes(b"PK\x03\x04")
    assert with_readable_formulas(path, tmp_path) == (path, 0)
