"""Writes docs/images: printed documents of examples/, as if authorized in production."""

import re
import subprocess
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageDraw

from carimbo.fiscal.layouts.cte_v4.dialect import CTE_DIALECT
from carimbo.fiscal.layouts.cteos_v4.dialect import CTE_OS_DIALECT
from carimbo.fiscal.layouts.mdfe_v3.dialect import MDFE_DIALECT
from carimbo.fiscal.layouts.nfe_v4.dialect import NFE_DIALECT
from carimbo.fiscal.layouts.sefaz.messages import authorized_document
from carimbo.fiscal.printout import DocumentPrint, PaperSize
from carimbo.printing.registry import PdfRenderer

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"
DOTS_PER_INCH = 110
COLORS = 32
# By the root of a signed document.
_DIALECTS = {"NFe": NFE_DIALECT, "CTe": CTE_DIALECT, "CTeOS": CTE_OS_DIALECT, "MDFe": MDFE_DIALECT}
_PROTOCOL = """<prot{stem} xmlns="{namespace}" versao="{version}"><infProt><tpAmb>1</tpAmb>
<ch{stem}>{key}</ch{stem}><dhRecbto>2026-12-02T10:00:02-03:00</dhRecbto><nProt>135260000012345</nProt>
<cStat>100</cStat><xMotivo>Autorizado o uso</xMotivo></infProt></prot{stem}>"""
_NOTE = """<NFSe xmlns="http://www.sped.fazenda.gov.br/nfse" versao="1.01">
<infNFSe Id="NFS35503082211222333000696000000000012326121234567896"><xLocEmi>São Paulo</xLocEmi>
<xLocPrestacao>São Paulo</xLocPrestacao><nNFSe>123</nNFSe><cLocIncid>3550308</cLocIncid>
<xLocIncid>São Paulo</xLocIncid><xTribNac>Datilografia, digitação, estenografia e congêneres.</xTribNac>
<verAplic>SefinNacional_1.6.0</verAplic><ambGer>2</ambGer><tpEmis>1</tpEmis><procEmi>1</procEmi>
<cStat>100</cStat><dhProc>2026-12-02T10:00:02-03:00</dhProc><nDFSe>4567</nDFSe><emit>
<CNPJ>11222333000696</CNPJ><IM>1234567</IM><xNome>Serviços Modelo Ltda</xNome><enderNac>
<xLgr>Avenida Paulista</xLgr><nro>1000</nro><xBairro>Bela Vista</xBairro><cMun>3550308</cMun><UF>SP</UF>
<CEP>01310100</CEP></enderNac><fone>1133334444</fone><email>fiscal@example.com</email></emit><valores>
<vBC>650.00</vBC><pAliqAplic>2.00</pAliqAplic><vISSQN>13.00</vISSQN><vTotalRet>111.47</vTotalRet>
<vLiq>538.53</vLiq></valores><IBSCBS><cLocalidadeIncid>3550308</cLocalidadeIncid>
<xLocalidadeIncid>São Paulo</xLocalidadeIncid><valores>
<vBC>613.28</vBC><uf><pIBSUF>0.10</pIBSUF><pAliqEfetUF>0.10</pAliqEfetUF></uf><mun><pIBSMun>0.00</pIBSMun>
<pAliqEfetMun>0.00</pAliqEfetMun></mun><fed><pCBS>0.90</pCBS><pAliqEfetCBS>0.90</pAliqEfetCBS></fed></valores>
<totCIBS><vTotNF>538.53</vTotNF><gIBS><vIBSTot>0.61</vIBSTot><gIBSUFTot><vIBSUF>0.61</vIBSUF></gIBSUFTot>
<gIBSMunTot>
<vIBSMun>0.00</vIBSMun></gIBSMunTot></gIBS><gCBS><vCBS>5.52</vCBS></gCBS></totCIBS></IBSCBS>{declaration}
</infNFSe></NFSe>"""
_CHANGES = (
    (r"<tpAmb>2<", "<tpAmb>1<"),
    (r"<dhEmi>[^<]+<", "<dhEmi>2026-12-02T10:00:00-03:00<"),
    (r"<dCompet>[^<]+<", "<dCompet>2026-12-02<"),
    (r"<dhSaiEnt>[^<]+<", "<dhSaiEnt>2026-12-02T14:00:00-03:00<"),
    (r"<xNome>NF-E EMITIDA[^<]+<", "<xNome>Papelaria Central Ltda<"),
    (r"(<rem>.*?<xNome>)CTE EMITIDO[^<]+<", r"\1Indústria de Eletrônicos Paulista S.A.<"),
    (r"(<dest>.*?<xNome>)CTE EMITIDO[^<]+<", r"\1Lojas Guanabara Comércio Ltda<"),
    (r"<(dProg|dPrev)>[^<]+<", r"<\1>2026-12-04<"),
    (r"<xProd>NOTA FISCAL EMITIDA[^<]+<", "<xProd>Caderno de 200 folhas, capa dura<"),
    (r"(?<!<infServico>)<xDescServ>[^<]+<", "<xDescServ>Digitação das contagens do inventário, 20 horas<"),
    (r"www\.homologacao\.", "www."),
    (r"//homologacao\.", "//"),
    (r"tpAmb=2<", "tpAmb=1<"),
)


def picture(type_name: str, example: str, paper: PaperSize, logo: bytes) -> Image.Image:
    """Draw an example as if it were in force, and turn its first page into an image."""
    xml = (ROOT / "examples" / type_name / f"{example}.xml").read_text(encoding="utf-8")
    for pattern, replacement in _CHANGES:
        xml = re.sub(pattern, replacement, xml)
    pdf = PdfRenderer().document(DocumentPrint(type_name, authorized(xml), paper, logo=logo))
    with tempfile.NamedTemporaryFile(suffix=".pdf") as drawn:
        drawn.write(pdf)
        drawn.flush()
        command = ["pdftoppm", "-r", str(DOTS_PER_INCH), "-png", "-singlefile", drawn.name]
        png = subprocess.run(command, capture_output=True, check=True).stdout  # noqa: S603
    return Image.open(BytesIO(png)).convert("P", palette=Image.Palette.ADAPTIVE, colors=COLORS)


def authorized(xml: str) -> bytes:
    """Returns the legally valid file: a document with its protocol, or the note with a declaration."""
    signed = re.search(r'<(NFe|CTeOS|CTe|MDFe) .*?Id="(NFe|CTe|MDFe)(\w{44})"', xml)
    if signed is None:
        return _NOTE.format(declaration=xml).encode()
    root, stem, key = signed.groups()
    dialect = _DIALECTS[root]
    protocol = _PROTOCOL.format(stem=stem, namespace=dialect.namespace, version=dialect.version, key=key)
    return authorized_document(dialect, xml.encode(), protocol.encode())


def sample_logo() -> bytes:
    """Returns a stamp that serves as a logo."""
    image = Image.new("RGB", (400, 400), "white")
    draw = ImageDraw.Draw(image)
    draw.ellipse((10, 10, 390, 390), outline=(20, 90, 140), width=22)
    draw.ellipse((60, 60, 340, 340), outline=(20, 90, 140), width=8)
    draw.line((120, 205, 180, 270, 290, 140), fill=(20, 90, 140), width=34, joint="curve")
    written = BytesIO()
    image.save(written, "PNG")
    return written.getvalue()


def main() -> None:
    """Write the pictures."""
    IMAGES.mkdir(exist_ok=True)
    logo = sample_logo()
    picture("nfe", "road-freight", PaperSize.A4, logo).save(IMAGES / "danfe.png", optimize=True)
    picture("nfce", "cards", PaperSize.ROLL_80, logo).save(IMAGES / "receipt.png", optimize=True)
    picture("nfse", "withholdings", PaperSize.A4, logo).save(IMAGES / "danfse.png", optimize=True)
    picture("cte", "road-freight", PaperSize.A4, logo).save(IMAGES / "dacte.png", optimize=True)
    charter = picture("cteOs", "charter-between-states", PaperSize.A4, logo)
    charter.save(IMAGES / "dacte-os.png", optimize=True)
    picture("mdfe", "tractor-trailers", PaperSize.A4, logo).save(IMAGES / "damdfe.png", optimize=True)


if __name__ == "__main__":
    main()
