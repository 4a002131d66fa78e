"""Accepted documents that are changed in one place and signed again."""

import hashlib
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lxml import etree

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.access_key import check_digit
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.signed_documents import SignedDocument
from carimbo.simulator.controls import Controls
from carimbo.simulator.family import HOMOLOGATION, RequestContext, ServicePath
from carimbo.simulator.nfe.judged import JudgedInvoice
from carimbo.simulator.store import Store
from carimbo.simulator.trust import TrustedAuthorities
from unit.fiscal.goods.support import ISSUED_AT, emission, issued_nfce, issued_nfe

NAMESPACE = "http://www.portalfiscal.inf.br/nfe"
DS = "{http://www.w3.org/2000/09/xmldsig#}"
CSC = "0123456789ABCDEF0123456789ABCDEF"
PRODUCTION = emission(environment=Environment.PRODUCTION)
AT_SP = ServicePath("SP", HOMOLOGATION, "nfe", "NFeAutorizacao4")

Edit = Callable[[etree._Element], object]
"""Changes the root element in place."""


def nfe(signer: Signer, **changes: Any) -> bytes:
    """Returns a signed NF-e of a Simples shop in São Paulo, in homologation, with changes of its body."""
    return _signed(issued_nfe(signer, **changes))


def nfce(signer: Signer, **changes: Any) -> bytes:
    """Returns a signed NFC-e of the same shop, with QR code version 2 unless `settings` say otherwise."""
    return _signed(issued_nfce(signer, **changes))


def _signed(document: object) -> bytes:
    assert isinstance(document, SignedDocument), document
    return document.xml


def context(trust: TrustedAuthorities, now: datetime = ISSUED_AT, **switches: Any) -> RequestContext:
    """Returns a request context with an in-memory store, at the moment of issue."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    return RequestContext(now, Store(connection), trust, Controls(**switches))


def case_of(xml: bytes, at: RequestContext, service_path: ServicePath = AT_SP) -> JudgedInvoice:
    """Returns a document as the rules see it."""
    return JudgedInvoice(etree.fromstring(xml), service_path, at)


def at(root: etree._Element, path: str) -> etree._Element:
    """Returns the element at a path like `infNFe/det[2]/prod/NCM`, in the namespace of the root."""
    namespace = etree.QName(root).namespace
    element = root.find("/".join(f"{{{namespace}}}{tag}" for tag in path.split("/")))
    assert element is not None, path
    return element


def says(path: str, text: str) -> Edit:
    """Writes another text at a path."""

    def edit(root: etree._Element) -> None:
        element = at(root, path)
        assert element.text != text, "nothing would change"
        element.text = text

    return edit


def without(path: str) -> Edit:
    """Removes an element."""

    def edit(root: etree._Element) -> None:
        element = at(root, path)
        parent = element.getparent()
        assert parent is not None
        parent.remove(element)

    return edit


def after(path: str, tag: str, text: str) -> Edit:
    """Inserts a new element with a text after the one at a path."""

    def edit(root: etree._Element) -> None:
        new = etree.Element(f"{{{etree.QName(root).namespace}}}{tag}")
        new.text = text
        at(root, path).addnext(new)

    return edit


def both(*edits: Edit) -> Edit:
    """Combines several changes, where one alone would be refused for another reason."""

    def edit(root: etree._Element) -> None:
        for single_edit in edits:
            single_edit(root)

    return edit


def mutated(xml: bytes, edit: Edit, signer: Signer, *, keyed: bool = True, quoted: bool = True) -> bytes:
    """Returns the document changed and signed again; key and QR code follow unless disabled."""
    root = etree.fromstring(xml)
    edit(root)
    if keyed:
        renew_key(root, NFE_TAGS)
    renew_signature(root, NFE_TAGS.content, signer)
    if quoted:
        _renew_qr(root, signer)
    return etree.tostring(root, encoding="utf-8")


@dataclass(frozen=True)
class DocumentTags:
    """The names of a family that its key depends on."""

    content: str
    number: str
    numeric_code: str
    id_prefix: str


NFE_TAGS = DocumentTags("infNFe", "nNF", "cNF", "NFe")


def renew_key(root: etree._Element, tags: DocumentTags) -> None:
    """Computes key and check digit again from the fields."""
    namespace = etree.QName(root).namespace

    def text(path: str) -> str:
        steps = "/".join(f"{{{namespace}}}{tag}" for tag in (tags.content, *path.split("/")))
        return root.findtext(steps) or ""

    tax_id = text("emit/CNPJ") or text("emit/CPF").zfill(14)
    month = text("ide/dhEmi")[2:4] + text("ide/dhEmi")[5:7]
    numbered = f"{text('ide/mod')}{int(text('ide/serie')):03d}{int(text(f'ide/{tags.number}')):09d}"
    code = text(f"ide/{tags.numeric_code}")
    parts = f"{text('ide/cUF')}{month}{tax_id}{numbered}{text('ide/tpEmis')}{code}"
    digit = check_digit(parts)
    at(root, tags.content).set("Id", f"{tags.id_prefix}{parts}{digit}")
    at(root, f"{tags.content}/ide/cDV").text = digit


def renew_signature(root: etree._Element, content_tag: str, signer: Signer) -> None:
    """Signs the content of a document again."""
    sign_again(root, at(root, content_tag), signer)


def sign_again(root: etree._Element, signed: etree._Element, signer: Signer) -> None:
    """Replaces the signature by a new one."""
    alone = etree.fromstring(etree.tostring(signed))
    new = signer.sign(etree.tostring(alone, method="c14n"), signed.get("Id", ""))
    old = root.find(f"{DS}Signature")
    assert old is not None
    root.replace(old, etree.fromstring(new.text))


def _renew_qr(root: etree._Element, signer: Signer) -> None:
    element = root.find(f"{{{NAMESPACE}}}infNFeSupl/{{{NAMESPACE}}}qrCode")
    if element is None or element.text is None:
        return
    address, _, query = element.text.partition("?p=")
    parts = query.split("|")
    parts[0] = at(root, "infNFe").get("Id", "")[3:]
    parts[2] = at(root, "infNFe/ide/tpAmb").text or ""
    offline = at(root, "infNFe/ide/tpEmis").text == "9"
    if offline:
        parts[3] = (at(root, "infNFe/ide/dhEmi").text or "")[8:10]
        parts[4] = at(root, "infNFe/total/ICMSTot/vNF").text or ""
    if offline and parts[1] == "2":
        digest = root.findtext(f".//{DS}DigestValue") or ""
        parts[5] = digest.encode().hex()
    element.text = f"{address}?p={qr_of(parts, signer)}"


def qr_of(parts: list[str], signer: Signer) -> str:
    """Returns the parameters with the hash of version 2, or the offline signature of version 3."""
    *first, last = parts
    text = "|".join(first)
    if parts[1] == "2":
        return f"{text}|{hashlib.sha1(f'{text}{CSC}'.encode()).hexdigest().upper()}"
    return f"{text}|{signer.sign_text(text)}" if len(parts) > 3 else f"{text}|{last}"
