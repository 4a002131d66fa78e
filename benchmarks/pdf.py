"""What a PDF costs: milliseconds of CPU for a DANFE of 1 and of 50 items, a receipt and a DANFSe.

`python benchmarks/pdf.py` draws documents of examples/ by turns with carimbo and with brazilfiscalreport,
from the XML to the bytes of the file, and prints both times and their ratio. DANFE are drawn in both layouts,
that of MOC 7.0 and that of NT 2026.010, which both programs choose by the date of issue.
"""

import argparse
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from carimbo.fiscal.printout import DocumentPrint, PaperSize
from carimbo.printing.registry import PdfRenderer
from report import tell, tell_origin

_EXAMPLES = Path(__file__).parent.parent / "examples"
_ISSUED = re.compile(rb"(?<=<dhEmi>)[^<]+")
_UNDER_THE_NEW_LAYOUT = b"2026-12-02T10:00:00-03:00"
# What the authority puts around a declaration, which is all that there is in examples/.
_NOTE = b"""<NFSe xmlns="http://www.sped.fazenda.gov.br/nfse" versao="1.01">
<infNFSe Id="NFS35503082211222333000181000000000012326111234567895"><xLocEmi>Guarulhos</xLocEmi>
<xLocPrestacao>Guarulhos</xLocPrestacao><nNFSe>123</nNFSe><cLocIncid>3518800</cLocIncid><xLocIncid>Guarulhos</xLocIncid>
<xTribNac>Desenvolvimento de sistemas</xTribNac><verAplic>1</verAplic><ambGer>2</ambGer><tpEmis>1</tpEmis>
<cStat>100</cStat><dhProc>2026-11-14T10:00:02-03:00</dhProc><nDFSe>1</nDFSe><emit><CNPJ>11222333000181</CNPJ>
<xNome>Loja Modelo Ltda</xNome><enderNac><xLgr>Avenida Tiradentes</xLgr><nro>10</nro><xBairro>Centro</xBairro>
<cMun>3518800</cMun><UF>SP</UF><CEP>07090000</CEP></enderNac></emit><valores><vBC>650.00</vBC>
<pAliqAplic>2.00</pAliqAplic><vISSQN>13.00</vISSQN><vLiq>650.00</vLiq></valores>%b</infNFSe></NFSe>"""
_BAR = 15
"""How many times less than the other library carimbo has to take: the project's own bar."""


@dataclass(slots=True)
class PdfDrawing:
    """A library that draws one document, and the seconds that each run took."""

    draw: Callable[[], bytes]
    seconds: list[float] = field(default_factory=list)

    @property
    def milliseconds(self) -> float:
        """The middle of what it took."""
        return 1_000 * sorted(self.seconds)[len(self.seconds) // 2]

    def run(self) -> None:
        """Draw once, and look at the time of the processor."""
        start = time.process_time()
        drawn = self.draw()
        self.seconds.append(time.process_time() - start)
        if not drawn.startswith(b"%PDF-"):
            raise SystemExit("what was drawn is not a PDF")


@dataclass(frozen=True, slots=True)
class Subject:
    """A document to be drawn."""

    title: str
    type: str
    xml: bytes
    paper: PaperSize


def subjects() -> Iterator[Subject]:
    """The documents that are measured."""
    for title, name in (("1 item", "minimal"), ("50 items", "fifty-items"), ("1 item, ICMS", "normal-sale")):
        xml = (_EXAMPLES / "nfe" / f"{name}.xml").read_bytes()
        yield Subject(f"DANFE, {title}", "nfe", xml, PaperSize.A4)
        yield Subject(
            f"DANFE, {title}, NT 2026.010", "nfe", _ISSUED.sub(_UNDER_THE_NEW_LAYOUT, xml), PaperSize.A4
        )
    for title, name in (("QR 2", "cash"), ("QR 2 offline", "offline-qr2"), ("QR 3", "pix-qr3")):
        xml = (_EXAMPLES / "nfce" / f"{name}.xml").read_bytes()
        yield Subject(f"NFC-e, {title}", "nfce", xml, PaperSize.ROLL_80)
    for title, name in (("minimal", "minimal"), ("30 NF-e", "thirty-invoices")):
        yield Subject(
            f"DACTE, {title}", "cte", (_EXAMPLES / "cte" / f"{name}.xml").read_bytes(), PaperSize.A4
        )
    xml = (_EXAMPLES / "cteOs" / "charter-between-states.xml").read_bytes()
    yield Subject("DACTE OS, charter", "cteOs", xml, PaperSize.A4)
    for title, name in (("minimal", "minimal"), ("40 CT-e", "many-documents")):
        xml = (_EXAMPLES / "mdfe" / f"{name}.xml").read_bytes()
        yield Subject(f"DAMDFE, {title}", "mdfe", xml, PaperSize.A4)
    xml = (_EXAMPLES / "nfse" / "withholdings.xml").read_bytes()
    yield Subject("DANFSe", "nfse", _NOTE % xml, PaperSize.A4)


def own_drawing(renderer: PdfRenderer, subject: Subject) -> PdfDrawing:
    """carimbo."""
    return PdfDrawing(lambda: renderer.document(DocumentPrint(subject.type, subject.xml, subject.paper)))


def other_drawing(subject: Subject) -> PdfDrawing | None:
    """brazilfiscalreport, if it is installed."""
    if find_spec("brazilfiscalreport") is None:
        return None
    from brazilfiscalreport.danfce import Danfce  # noqa: PLC0415
    from brazilfiscalreport.danfe import Danfe  # noqa: PLC0415
    from brazilfiscalreport.danfse import Danfse  # noqa: PLC0415

    draw = {"nfe": Danfe, "nfce": Danfce, "nfse": Danfse}.get(subject.type)
    if draw is None:
        return None
    return PdfDrawing(lambda: bytes(draw(xml=subject.xml.decode()).output()))


def measure(subject: Subject, renderer: PdfRenderer, seconds: float) -> str:
    """Draw by turns until the time is over, and tell what came of it."""
    own, other = own_drawing(renderer, subject), other_drawing(subject)
    drawings = [own, other] if other else [own]
    if seconds:
        # The first ones fill caches.
        for drawing in drawings:
            drawing.draw()
    end = time.monotonic() + seconds
    while time.monotonic() < end or not own.seconds:
        for drawing in drawings:
            drawing.run()
    line = f"{subject.title:32} {own.milliseconds:8.2f} ms"
    if other is None:
        return line
    ratio = other.milliseconds / own.milliseconds
    return f"{line}   brazilfiscalreport {other.milliseconds:8.1f} ms   {ratio:5.1f} times, bar {_BAR}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure every document."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--seconds", type=float, default=8.0, help="for each document; with 0, each is drawn once"
    )
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    tell_origin()
    start = time.process_time()
    renderer = PdfRenderer()
    renderer.document(DocumentPrint("nfe", next(subjects()).xml, PaperSize.A4))
    tell(f"first document of a process, fonts and all: {1_000 * (time.process_time() - start):.1f} ms")
    if find_spec("brazilfiscalreport"):
        tell(f"beside brazilfiscalreport {version('brazilfiscalreport')}, by turns in one process")
    else:
        tell("brazilfiscalreport is not installed: pip install 'carimbo[bench]'")
    for subject in subjects():
        tell(measure(subject, renderer, options.seconds))


if __name__ == "__main__":
    main(sys.argv[1:])
