"""Imported files are kept byte by byte: what other programs write around a document changes nothing."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from integration.receiving.inbox import NFES, Buyer, carried, served, upload, xml_of
from support import data_of
from xmlsec1 import xmlsec1_accepts

CTES, NFSES = "received-ctes", "received-nfses"
BOM = b"\xef\xbb\xbf"
DECLARATION = b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n'
AROUND = b'<!-- sent by \xc3\x89RP -->\r\n<?xml-stylesheet href="x.xsl"?>\n\t '


@pytest.mark.parametrize(
    "before", [BOM + DECLARATION + AROUND, b"\r\n\t " + AROUND], ids=["declared", "bare"]
)
@pytest.mark.parametrize(
    ("issue", "collection", "root", "signed"),
    [
        (Buyer.buys, NFES, b"<nfeProc", "infNFe"),
        (carried, CTES, b"<cteProc", "infCte"),
        (served, NFSES, b"<NFSe", "infDPS"),
    ],
    ids=["nfe", "cte", "nfse"],
)
async def test_imported_file_is_kept_as_it_is_and_its_signature_stays_valid(
    buyer: Buyer,
    issue: Callable[[Buyer], Awaitable[dict[str, Any]]],
    collection: str,
    root: bytes,
    signed: str,
    before: bytes,
) -> None:
    xml = await xml_of(buyer.supplier, await issue(buyer))
    written = before + xml[xml.index(root) :] + b"\n<!-- end -->\r\n"
    document = data_of(await upload(buyer.shop, written, collection))
    file = data_of(await buyer.shop.get(f"/{collection}/{document['id']}/xml"))
    assert file["xml"].encode() == written
    downloaded = (await buyer.shop.system.client({}).get(file["xmlUrl"])).content
    assert downloaded == written
    assert xmlsec1_accepts(downloaded, signed)
    assert data_of(await buyer.shop.get(f"/{collection}/{document['id']}"))["details"]["parties"]
