"""Files that are refused, and the limits of the process that reads them."""

import base64
import json
import zlib
from pathlib import Path

import pytest

from tests.book.pdfs import lines, pdf
from voxmatrix.book.read import read_book
from voxmatrix.book.read.pdf import document, extract
from voxmatrix.errors import BadInputError, MissingProgramError
from voxmatrix.landlock import landlock_version, python_folders

#: Encrypted by pypdf (RC4, 128 bits), with the password "secret", and with one of the owner only. The text is "Locked."
LOCKED = (
    "c-oy*zi-n(6qaD(Bv$5I!hqEJeD<C1q!5X;O&bA9lmJCSRdu%CrLIytvYo1B>0iLe!oWYk#KOeVjRjGu3u37Re*r>bKnOTHNo&a+"
    "D(uDn-h1Eoe%&?ttDPl#*+Y%5-#(op8xx%PyQtYjRzFR`X#gp1`XUUZ;M#!}YPAr=Vc|n7zK;$kfUUk7L58fAWE$t#M%Mi(%<wbp"
    "8pi?Ns)RbV&=r-daWX<P4qR{#Dgo}LTF80`VWis0fl(pmbt%D2GNWaZh;xYZ46~BT8bFpz)4*^S935jVKL(i3>}~8VG_9vSe;0z8"
    "Ll=t$UYPnSHLSJ#SS7y)5RdX5%vfR1@)Xn_x_LW2-aZ<Be*N~W_oMaa;AQ;F{rzJ7&BoDnkAJy)>-g{4`&ZxFcUs-k{dXrfmXCk#"
    "Z=ZbpP|(jA=0d#Ih@uo^4X1uy{uZEVeOqNv7FkRqjUYwVS{x){6pygA8O8VFELs4SI=ug-Uuq}g@M;>OrZMk#MW(w~j(0N(O(%`s"
    "21KKsa;H|3agq)vDllHFupb4mo~lEWQIuzWNLP}*NfH+$66ce!D}%UJZ>g;0^90jkC!C8|YIyo)v7{@xN2M`$qH%6cg*D7o9IDh*"
    "-NQ{1`b;pU1Ljc9xCD<gNqC?%cfmE`$_*$9IY`NM2wHLnq|b;TS^^P{S*^#oNj0&V6b{uOnFzEesS=@QbMOW8G*IDd7Z|wUF`-<W"
    "yM&m3uC-RgCZc*g4^q&GV4EOv{$S3S!?4EZm~A$<w8R$}lQqn?MIGZ_4RdH6a~)d4*d>1a63p}L3oK7nG&Y-D3~CrXhoUxXkR&;F"
    "W@oq?>jc~L?^SarG{eAlgl3uw$8<<h8Ztsv;Cg118a%gk6_>4YuhYXxj^*OqXSquAvc=|NM2*H;uY>*p7KVEW"
)
OWNED = (
    "c-oy*yKdA#6fNkcO2G$=f|df2c*gVaSXxD5H(3Y|?P`~hNGQeFGqZ8Du@~Em5{guO01YLI6qGUzB7Z=Of_VG@bRf}D(J*#)6H87J"
    "VK<(0?>*<f#*N-`X8|vIpz;03=@)<@f=RFqnoZ#J(nL){ox-Nem0$u<ik86A640?KeB6rf<GrzlPEQVX2Ap;>iF1g7^B__gd<v;`"
    "?8D7UD5-_EWiCg_5S($qg1cV{pqFX^=aE*CY$dx^1=*Ln2r{2pEt^D~>p0IKE2*5m&XP$QTJD0QW3A;!AM!JM3wkq6XQLZz>+sBB"
    "6^a>Nn0hj`thM}DCBKI{9_Cw+vBI9^sg^rn?(og+SJ&vTmj{bC*Y>Y>`|m&A%K3-CH+~<T936a`|9QM|`p$p*`TpGg>y59AhsRqd"
    "f9AhEE9j>TQz2e!L{SQG29qE!j|FI3-;$Xwi!7#*Mmhz~N*pFCiiglykK#LV7R`W49p3-aFSL@8x|)WlX-xZFky+g-$GaXW+exc;"
    "Pe;S8a;MtKC`kun8CtJp{X7cw-Bj+`jG{d2>9n2fjFY$+kvN|Ot_<R+-crAk&lBhtJ3%gDUCYz6i{(?Fd#-QIooJNXTj30H87rCE"
    "s=KhsI5$#wL~BAq&-X$_0v}PMq%s0iX(XY__>u_2wW2ui1=ViIm2{=#hS}9xgUwKJ6o|kTo)-k62?@f4Y3k$9Fot~Pioj595$!P{"
    "DdrR*d*;R%i7*n?>$#h10}#Xrpz{ZE#t4H3o@3Z<ZfS`xFy_}Vj71&eUJWB|9izmpVeAq=ehKDz_yWsQ8I9~F7lRr^FLY6x(@&Bd"
    "lCwL!8k+>->G!hzCp1GOk*kRyF7q@Gg+@&H26=8Mu%>RXbQPD)a<9|9aSr|2z0Y!)=4Fe0!9k<3((QnMX*hZl"
)


def unpacked(text):
    return zlib.decompress(base64.b85decode(text))


@pytest.fixture
def novel(tmp_path):
    return tmp_path / "novel.pdf"


@pytest.mark.parametrize(
    ("content", "problem", "remedy"),
    [
        (pdf([], [], pictures=[1, 2]), "has no text: its pages are pictures", "ocrmypdf in.pdf out.pdf"),
        (pdf([], []), "has no text", "right file"),
        (unpacked(LOCKED), "is locked with a password", "qpdf --password=PASSWORD --decrypt in.pdf out.pdf"),
        (b"PK\x03\x04", "is not what its name says", "check the file"),
        (b"%PDF-1.7\nnothing\n%%EOF", "is damaged", "qpdf in.pdf out.pdf"),
        (pdf(lines("Text."), count=30_000), "has 30000 pages; 20000 are the most", "divide it"),
    ],
)
def test_a_file_that_is_refused_is_named_with_its_remedy(content, problem, remedy, novel):
    novel.write_bytes(content)
    with pytest.raises(BadInputError) as caught:
        read_book(novel)
    assert f"{novel} {problem}" in caught.value.problem
    assert remedy in caught.value.remedy


def test_a_file_that_only_its_owner_has_a_password_of_is_read(novel):
    novel.write_bytes(unpacked(OWNED))
    assert read_book(novel).chapters[0].paragraphs == ("Locked.",)


def test_a_process_that_does_not_end_is_ended(novel, monkeypatch):
    monkeypatch.setattr(document, "TIME_LIMIT_SECONDS", 0.001)
    novel.write_bytes(pdf(lines("Text.")))
    with pytest.raises(BadInputError, match="is not read within"):
        read_book(novel)


def test_more_text_than_any_book_has_is_refused(novel, monkeypatch):
    monkeypatch.setattr(document, "MAX_OUTPUT_BYTES", 100)
    novel.write_bytes(pdf(lines("Text.")))
    with pytest.raises(BadInputError, match="more text than any book"):
        read_book(novel)


def test_a_file_larger_than_any_book_is_refused(novel, monkeypatch):
    monkeypatch.setattr(document, "MAX_FILE_BYTES", 100)
    novel.write_bytes(pdf(lines("Text.")))
    with pytest.raises(BadInputError, match="more than"):
        read_book(novel)


def test_without_the_library_the_error_says_what_to_install(novel, monkeypatch):
    with_nothing = f"import sys; sys.path.insert(0, {str(novel.parent)!r})\n"
    (novel.parent / "pypdfium2.py").write_text("raise ImportError('not here')", encoding="utf-8")
    monkeypatch.setattr(document, "python_folders", lambda: (*python_folders(), novel.parent))
    script = novel.parent / "extract.py"
    script.write_text(with_nothing + Path(extract.__file__).read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(document, "SCRIPT", script)
    novel.write_bytes(pdf(lines("Text.")))
    with pytest.raises(MissingProgramError, match="pypdfium2") as caught:
        read_book(novel)
    assert "pip install pypdfium2" in caught.value.remedy


@pytest.mark.skipif(not landlock_version(), reason="needs Landlock")
def test_the_process_reads_nothing_but_the_file_and_has_no_secrets(novel, monkeypatch):
    secret = novel.with_name("secret.txt")
    secret.write_text("secret")
    script = novel.with_name("extract.py")
    script.write_text(
        "import json, os, pathlib, sys\n"
        "def opened(path):\n"
        "    try:\n"
        "        return bool(pathlib.Path(path).read_bytes())\n"
        "    except OSError:\n"
        "        return False\n"
        f"found = [opened(sys.argv[1]), opened({str(secret)!r}), 'VOXMATRIX_KEY' in os.environ]\n"
        "print(json.dumps({'error': 'pages', 'detail': str(found)}))\n"
    )
    monkeypatch.setattr(document, "SCRIPT", script)
    monkeypatch.setenv("VOXMATRIX_KEY", "secret")
    novel.write_bytes(pdf(lines("Text.")))
    with pytest.raises(BadInputError, match=r"\[True, False, False\]"):
        document.read_content(novel)


@pytest.mark.parametrize(
    "page", ["{}", '{"runs":[["a",NaN,1,1,1,false]]}', '{"runs":[["a",1]]}', '{"runs":[["a",1,1,1e99,1,0]]}', "[]"]
)
def test_answers_that_make_no_sense_are_refused(page, novel, monkeypatch):
    said = {"title": "", "author": "", "language": "", "pages": 1, "outline": []}
    script = novel.with_name("answers.py")
    script.write_text(f"print({json.dumps(said)!r}); print({page!r})", encoding="utf-8")
    monkeypatch.setattr(document, "SCRIPT", script)
    novel.write_bytes(pdf(lines("Text.")))
    with pytest.raises(BadInputError, match="is damaged"):
        read_book(novel)
