"""Write docs/images: two documents of examples/ as they look on paper, were they authorised in production."""

import re
import subprocess
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageDraw

from carimbo.fiscal.layouts.nfe_v4.messages import authorized_invoice
from carimbo.fiscal.printout import DocumentPrint, Paper
from carimbo.printing.press import Press

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"
DOTS_PER_INCH = 110
COLORS = 32
_PROTOCOL = """<protNFe xmlns="http://www.portalfiscal.inf.br/nfe" versao="4.00"><infProt><tpAmb>1</tpAmb>
<chNFe>{key}</chNFe><dhRecbto>2026-12-02T10:00:02-03:00</dhRecbto><nProt>135260000012345</nProt><cStat>100</cStat>
<xMotivo>Autorizado o uso da NF-e</xMotivo></infProt></protNFe>"""
_CHANGES = (
    (r"<tpAmb>2<", "<tpAmb>1<"),
    (r"<dhEmi>[^<]+<", "<dhEmi>2026-12-02T10:00:00-03:00<"),
    (r"<dhSaiEnt>[^<]+<", "<dhSaiEnt>2026-12-02T14:00:00-03:00<"),
    (r"<xNome>NF-E EMITIDA[^<]+<", "<xNome>Papelaria Central Ltda<"),
    (r"<xProd>NOTA FISCAL EMITIDA[^<]+<", "<xProd>Caderno de 200 folhas, capa dura<"),
    (r"www\.homologacao\.", "www."),
)


def picture(type_name: str, example: str, paper: Paper, logo: bytes) -> Image.Image:
    """Draw an example as if it were in force, and turn its first page into an image."""
    xml = (ROOT / "examples" / type_name / f"{example}.xml").read_text(encoding="utf-8")
    for pattern, replacement in _CHANGES:
        xml = re.sub(pattern, replacement, xml)
    (key,) = re.findall(r'Id="NFe(\w{44})"', xml)
    file = authorized_invoice(xml.encode(), _PROTOCOL.format(key=key).encode())
    pdf = Press().document(DocumentPrint(type_name, file, paper, logo=logo))
    with tempfile.NamedTemporaryFile(suffix=".pdf") as drawn:
        drawn.write(pdf)
        drawn.flush()
        command = ["pdftoppm", "-r", str(DOTS_PER_INCH), "-png", "-singlefile", drawn.name]
        png = subprocess.run(command, capture_output=True, check=True).stdout  # noqa: S603
    return Image.open(BytesIO(png)).convert("P", palette=Image.Palette.ADAPTIVE, colors=COLORS)


def sample_logo() -> bytes:
    """A stamp, for want of a logo."""
    image = Image.new("RGB", (400, 400), "white")
    draw = ImageDraw.Draw(image)
    draw.ellipse((10, 10, 390, 390), outline=(20, 90, 140), width=22)
    draw.ellipse((60, 60, 340, 340), outline=(20, 90, 140), width=8)
    draw.line((120, 205, 180, 270, 290, 140), fill=(20, 90, 140), width=34, joint="curve")
    written = BytesIO()
    image.save(written, "PNG")
    return written.getvalue()


def main() -> None:
    """Write both pictures."""
    IMAGES.mkdir(exist_ok=True)
    logo = sample_logo()
    picture("nfe", "road-freight", Paper.A4, logo).save(IMAGES / "danfe.png", optimize=True)
    picture("nfce", "cards", Paper.ROLL_80, logo).save(IMAGES / "receipt.png", optimize=True)


if __name__ == "__main__":
    main()
