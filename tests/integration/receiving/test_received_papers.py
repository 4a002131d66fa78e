"""The PDF of received documents: whose paper it is, and files that other programs wrote."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from lxml import etree

from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.identity.signature import Signer, canonical
from integration.issuing.shop import error_of
from integration.receiving.inbox import NFES, Buyer, carried, served, upload, xml_of
from pdf_reading import text_of
from support import data_of

CTES, NFSES = "received-ctes", "received-nfses"


async def imported(buyer: Buyer, xml: bytes) -> str:
    """Imports an NF-e, and returns the path of its PDF."""
    return f"/{NFES}/{data_of(await upload(buyer.shop, xml))['id']}/pdf"


def signed_again(xml: bytes, pattern: bytes, text: bytes, certificate: A1Certificate) -> bytes:
    """Returns an authorized NF-e with a change, as if it had been signed and authorized with it."""
    changed = re.sub(pattern, text, xml, count=1, flags=re.DOTALL)
    assert changed != xml
    signed = etree.fromstring(changed)[0][0]
    signature = Signer.of(certificate).sign(canonical(signed), signed.get("Id", ""))
    start, end = changed.index(b"<Signature"), changed.index(b"</Signature>") + len(b"</Signature>")
    digest = f"<digVal>{signature.digest_value}".encode()
    return changed[:start] + signature.text + re.sub(b"<digVal>[^<]*", digest, changed[end:])


class TestPaper:
    @pytest.mark.parametrize(
        ("issue", "collection"),
        [(Buyer.buys, NFES), (carried, CTES), (served, NFSES)],
        ids=["nfe", "cte", "nfse"],
    )
    async def test_paper_is_that_of_the_issuer_also_after_a_cancellation(
        self, buyer: Buyer, issue: Callable[[Buyer], Awaitable[dict[str, Any]]], collection: str
    ) -> None:
        issued = await issue(buyer)
        await buyer.sync(collection)
        received = f"/{collection}/{(await buyer.only(collection))['id']}/pdf"
        of_issuer = f"/{issued['type']}/{issued['id']}"
        before = await buyer.shop.get(received)
        assert text_of(before.content) == text_of((await buyer.supplier.get(f"{of_issuer}/pdf")).content)
        body = {"reasonCode": "2"} if collection == NFSES else None
        path = buyer.supplier.path(of_issuer)
        data_of(await buyer.supplier.caller.http.request("DELETE", path, json=body))
        await buyer.an_hour_passes()
        after = await buyer.shop.get(received)
        assert after.headers["etag"] != before.headers["etag"]
        assert text_of(after.content) != text_of(before.content)
        assert text_of(after.content) == text_of((await buyer.supplier.get(f"{of_issuer}/pdf")).content)


class TestFilesOfOthers:
    async def test_declaration_and_line_breaks_outside_of_the_signed_part_change_nothing(
        self, buyer: Buyer
    ) -> None:
        bought = await buyer.buys()
        of_issuer = await buyer.supplier.get(f"/nfe/{bought['id']}/pdf")
        xml = await xml_of(buyer.supplier, bought)
        body = xml[xml.index(b"<nfeProc") :].replace(b"<NFe", b"\r\n  <NFe").replace(b"<prot", b"\r\n  <prot")
        declared = b'\xef\xbb\xbf<?xml version="1.0" encoding="utf-8" standalone="no"?>\r\n' + body
        received = await buyer.shop.get(await imported(buyer, declared))
        assert text_of(received.content) == text_of(of_issuer.content)

    @pytest.mark.parametrize(
        ("pattern", "text"),
        [
            (b"<xBairro>[^<]*</xBairro>", b""),
            (b"<vNF>([^<]*)</vNF>", rb"<vNF>\1</vNF><vNF>\1</vNF>"),
            (b"<qCom>[^<]*", b"<qCom>duas"),
        ],
        ids=["missing", "repeated", "no number"],
    )
    async def test_content_that_our_layout_cannot_read_is_refused(
        self, buyer: Buyer, supplier_certificate: A1Certificate, pattern: bytes, text: bytes
    ) -> None:
        xml = await xml_of(buyer.supplier, await buyer.buys())
        path = await imported(buyer, signed_again(xml, pattern, text, supplier_certificate))
        refused = await buyer.shop.get(path)
        error_of(refused, 409, "INVALID_STATE")
        assert "use o PDF que o emitente enviou" in refused.json()["error"]["message"]

    async def test_denied_document_has_no_paper(self, buyer: Buyer) -> None:
        xml = (await xml_of(buyer.supplier, await buyer.buys())).replace(b"<cStat>100<", b"<cStat>110<")
        refused = await buyer.shop.get(await imported(buyer, xml))
        error_of(refused, 409, "INVALID_STATE")
        assert "denegou" in refused.json()["error"]["message"]
