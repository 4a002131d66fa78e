"""Documents that the simulator accepts, changed in one place and signed again."""

import hashlib
import sqlite3
from collections.abc import Callable
from datetime import datetime
from typing import Any

from lxml import etree

from carimbo.fiscal.access_key import check_digit
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.signed_document import SignedDocument
from carimbo.simulator.controls import Controls
from carimbo.simulator.family import World
from carimbo.simulator.nfe.case import Case
from carimbo.simulator.place import HOMOLOGATION, Place
from carimbo.simulator.store import Store
from carimbo.simulator.trust import Trust
from unit.fiscal.goods.support import ISSUED_AT, emission, issued_nfce, issued_nfe

NAMESPACE = "http://www.portalfiscal.inf.br/nfe"
DS = "{http://www.w3.org/2000/09/xmldsig#}"
CSC = "0123456789ABCDEF0123456789ABCDEF"
PRODUCTION = emission(environment=Environment.PRODUCTION)
AT_SP = Place("SP", HOMOLOGATION, "nfe", "NFeAutorizacao4")

Edit = Callable[[etree._Element], object]
"""Changes the `NFe` in place."""


def nfe(signer: Signer, **changes: Any) -> bytes:
    """A signed NF-e of a shop of the Simples in São Paulo, in homologation, made of a body with changes."""
    return _signed(issued_nfe(signer, **changes))


def nfce(signer: Signer, **changes: Any) -> bytes:
    """A signed NFC-e of the same shop, with version 2 of the QR code unless `settings` are told."""
    return _signed(issued_nfce(signer, **changes))


def _signed(made: object) -> bytes:
    assert isinstance(made, SignedDocument), made
    return made.xml


def world(trust: Trust, now: datetime = ISSUED_AT, **switches: Any) -> World:
    """A simulator's world in memory, at the moment of issue."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    return World(now, Store(connection), trust, Controls(**switches))


def case_of(xml: bytes, at: World, place: Place = AT_SP) -> Case:
    """A document in front of the judge."""
    return Case(etree.fromstring(xml), place, at)


def at(root: etree._Element, path: str) -> etree._Element:
    """The element at `infNFe/det[2]/prod/NCM`, of the namespace of the root."""
    namespace = etree.QName(root).namespace
    found = root.find("/".join(f"{{{namespace}}}{tag}" for tag in path.split("/")))
    assert found is not None, path
    return found


def says(path: str, text: str) -> Edit:
    """Write another text at a path."""

    def edit(root: etree._Element) -> None:
        element = at(root, path)
        assert element.text != text, "nothing would change"
        element.text = text

    return edit


def without(path: str) -> Edit:
    """Take an element away."""

    def edit(root: etree._Element) -> None:
        element = at(root, path)
        parent = element.getparent()
        assert parent is not None
        parent.remove(element)

    return edit


def after(path: str, tag: str, text: str) -> Edit:
    """Put a new element with a text right after the one at a path."""

    def edit(root: etree._Element) -> None:
        new = etree.Element(f"{{{etree.QName(root).namespace}}}{tag}")
        new.text = text
        at(root, path).addnext(new)

    return edit


def both(*edits: Edit) -> Edit:
    """Several changes together, where one alone would be refused for another reason."""

    def edit(root: etree._Element) -> None:
        for one in edits:
            one(root)

    return edit


def mutated(xml: bytes, edit: Edit, signer: Signer, *, keyed: bool = True, quoted: bool = True) -> bytes:
    """The document changed and signed again; its key and its QR code follow unless told otherwise."""
    root = etree.fromstring(xml)
    edit(root)
    if keyed:
        _renew_key(root)
    _renew_signature(root, signer)
    if quoted:
        _renew_qr(root, signer)
    return etree.tostring(root, encoding="utf-8")


def _renew_key(root: etree._Element) -> None:
    """Key and check digit, put together of the fields as they are now."""

    def text(path: str) -> str:
        return at(root, f"infNFe/{path}").text or ""

    issuer = root.findtext(f"{{{NAMESPACE}}}infNFe/{{{NAMESPACE}}}emit/{{{NAMESPACE}}}CNPJ")
    tax_id = issuer or text("emit/CPF").zfill(14)
    month = text("ide/dhEmi")[2:4] + text("ide/dhEmi")[5:7]
    numbered = f"{text('ide/mod')}{int(text('ide/serie')):03d}{int(text('ide/nNF')):09d}"
    parts = f"{text('ide/cUF')}{month}{tax_id}{numbered}{text('ide/tpEmis')}{text('ide/cNF')}"
    digit = check_digit(parts)
    at(root, "infNFe").set("Id", f"NFe{parts}{digit}")
    at(root, "infNFe/ide/cDV").text = digit


def _renew_signature(root: etree._Element, signer: Signer) -> None:
    signed = at(root, "infNFe")
    alone = etree.fromstring(etree.tostring(signed))
    new = signer.sign(etree.tostring(alone, method="c14n"), signed.get("Id", ""))
    old = root.find(f"{DS}Signature")
    assert old is not None
    root.replace(old, etree.fromstring(new.text))


def _renew_qr(root: etree._Element, signer: Signer) -> None:
    found = root.find(f"{{{NAMESPACE}}}infNFeSupl/{{{NAMESPACE}}}qrCode")
    if found is None or found.text is None:
        return
    address, _, query = found.text.partition("?p=")
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
    found.text = f"{address}?p={qr_of(parts, signer)}"


def qr_of(parts: list[str], signer: Signer) -> str:
    """The parameters with the hash of version 2, or the signature of version 3 offline."""
    *first, last = parts
    told = "|".join(first)
    if parts[1] == "2":
        return f"{told}|{hashlib.sha1(f'{told}{CSC}'.encode()).hexdigest().upper()}"
    return f"{told}|{signer.sign_text(told)}" if len(parts) > 3 else f"{told}|{last}"
