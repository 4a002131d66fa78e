"""What can be read of a document besides its record: files, history and lines."""

from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from lxml import etree

from carimbo.fiscal.layouts.dps_v1.service_note import NAMESPACE as SERVICES
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE as INVOICES
from carimbo.fiscal.schemas import Schema, Schemas
from integration.issuing.actions import xml_of
from integration.issuing.floor import Floor
from integration.issuing.shop import GOODS, KINDS, MUG, REFUSAL_CODES, REFUSALS, Shop, own_number
from support import data_of
from xmlsec1 import xmlsec1_accepts

BEFORE_AN_ANSWER = ["created", "queued", "numbered", "signed", "transmitted"]
BLAMED = {"nfe": "items[].icms.amount", "nfce": "items[].icms.amount", "nfse": "federalServiceCode"}
EVENT = {
    "id", "type", "status", "sequence", "protocol", "authorityCode", "authorityMessage", "createdAt"
}  # fmt: skip
of_every_type = pytest.mark.parametrize("kind", KINDS)
of_goods = pytest.mark.parametrize("kind", GOODS)


@dataclass(frozen=True, kw_only=True)
class Files:
    """What the files of a type are made of."""

    namespace: str
    root: str
    signed: str
    """What we sign of it."""
    number: str
    key: str
    """Where the key stands, by XPath: a note has it within an Id."""
    protocol: str
    authorized: Schema
    sent: Schema
    refusal: str
    """Where a refusal has its code."""
    words_of_authorization: str
    words_of_refusal: str
    """How the message of the refusal begins that these tests ask for."""
    services: list[str]
    """What is asked when an answer is lost."""


_INVOICE = Files(
    namespace=INVOICES,
    root="nfeProc",
    signed="infNFe",
    number="nNF",
    key="string(//d:protNFe//d:chNFe)",
    protocol="nProt",
    authorized=Schema.NFE_AUTHORIZED,
    sent=Schema.NFE,
    refusal="cStat",
    words_of_authorization="Autorizado o uso",
    words_of_refusal="Rejeição: Valor do ICMS difere",
    services=["NFeAutorizacao4", "NFeConsultaProtocolo4"],
)
_NOTE = Files(
    namespace=SERVICES,
    root="NFSe",
    signed="infDPS",
    number="nNFSe",
    key="substring-after(//d:infNFSe/@Id, 'NFS')",
    protocol="nDFSe",
    authorized=Schema.NFSE_AUTHORIZED,
    sent=Schema.NFSE_DPS,
    refusal="codigo",
    words_of_authorization="NFS-e Gerada",
    words_of_refusal="O código de tributação nacional informado não existe",
    services=[
        "GET /dps/{id}",
        "GET /nfse/{chave}",
        # One for each way in which a note may have been canceled.
        *["GET /nfse/{chave}/eventos/{tipo}/{sequencia}"] * 4,
        "POST /nfse",
    ],
)
FILES = {"nfe": _INVOICE, "nfce": _INVOICE, "nfse": _NOTE}


def text_of(xml: bytes, tag: str) -> str | None:
    return etree.fromstring(xml).findtext(f".//{{*}}{tag}")


def digest_in(xml: bytes) -> str | None:
    return etree.fromstring(xml).findtext(".//{http://www.w3.org/2000/09/xmldsig#}DigestValue")


def key_in(xml: bytes, files: Files) -> str:
    return str(etree.fromstring(xml).xpath(files.key, namespaces={"d": files.namespace}))


@of_every_type
class TestAuthorized:
    async def test_xml_and_history_are_what_the_authority_has(
        self, floor: Floor, shop: Shop, kind: str
    ) -> None:
        record = await shop.issue(kind)
        xml, files = await xml_of(shop, record), FILES[kind]
        assert etree.fromstring(xml).tag == f"{{{files.namespace}}}{files.root}"
        assert Schemas().problems(files.authorized, etree.fromstring(xml)) == ()
        assert xmlsec1_accepts(xml, files.signed)
        assert (key_in(xml, files), text_of(xml, files.protocol)) == (record["accessKey"], record["protocol"])
        assert text_of(xml, files.number) == str(record["number"])
        async with httpx2.AsyncClient(base_url=floor.simulator.control_url) as client:
            kept = (await client.get(f"/documents/{record['accessKey']}.xml")).content
        assert digest_in(xml) == digest_in(kept)
        assert digest_in(xml)
        self.assert_history(record, await shop.events(record), files)

    @staticmethod
    def assert_history(record: dict[str, Any], events: list[dict[str, Any]], files: Files) -> None:
        assert [event["type"] for event in events] == [*BEFORE_AN_ANSWER, "authorized"]
        assert [event["status"] for event in events] == ["processing"] * 5 + ["authorized"]
        last = events[-1]
        assert (last["authorityCode"], last["protocol"]) == ("100", record["protocol"])
        assert last["authorityMessage"].startswith(files.words_of_authorization)
        assert {frozenset(event) for event in events} == {frozenset(EVENT)}

    async def test_history_shows_an_answer_that_was_lost(self, floor: Floor, shop: Shop, kind: str) -> None:
        record = await shop.issue(kind, notes="SIMULA:RESPOSTA_PERDIDA")
        events = await shop.events(record)
        assert (record["status"], own_number(record)) == ("authorized", 1)
        assert [event["type"] for event in events] == [*BEFORE_AN_ANSWER, "consulted", "authorized"]
        assert (events[-2]["status"], events[-2]["authorityCode"]) == ("processing", "100")
        sent = [entry["service"] for entry in await floor.journal(record["accessKey"])]
        assert sorted(sent) == FILES[kind].services


@of_every_type
class TestRejected:
    async def test_record_history_and_file_say_what_the_authority_said(self, shop: Shop, kind: str) -> None:
        record, files = await shop.issue(kind, notes=REFUSALS[kind]), FILES[kind]
        rejection, last = record["rejection"], (await shop.events(record))[-1]
        assert (rejection["code"], rejection["field"]) == (REFUSAL_CODES[kind], BLAMED[kind])
        assert rejection["message"].startswith(files.words_of_refusal)
        assert rejection["hint"].endswith(".")
        assert rejection["retryable"] is False
        assert (last["type"], last["authorityCode"]) == ("rejected", REFUSAL_CODES[kind])
        assert last["authorityMessage"].startswith(files.words_of_refusal)
        root = etree.fromstring(await xml_of(shop, record, "rejection-xml"))
        (sent,), (received,) = root.iterfind("sent/*"), root.iterfind("received/*")
        document = etree.tostring(sent)
        assert Schemas().problems(files.sent, etree.fromstring(document)) == ()
        assert xmlsec1_accepts(document, files.signed)
        assert received.findtext(f".//{{{files.namespace}}}{files.refusal}") == REFUSAL_CODES[kind]
        # Of services there is no key before an authorization.
        assert received.findtext(".//{*}chNFe") == record["accessKey"]

    async def test_codes_of_the_type_say_whether_to_retry_and_which_field_is_wrong(
        self, shop: Shop, kind: str
    ) -> None:
        outside, nowhere = {"nfse": ("E0038", "E1229")}.get(kind, ("280", "214"))
        rejection = (await shop.issue(kind, notes=f"SIMULA:REJEICAO:{outside}"))["rejection"]
        assert (rejection["code"], rejection["retryable"]) == (outside, True)
        rejection = (await shop.issue(kind, notes=f"SIMULA:REJEICAO:{nowhere}"))["rejection"]
        assert (rejection["code"], rejection["field"]) == (nowhere, None)


@of_goods
class TestItems:
    async def test_list_the_lines_with_their_taxes(self, shop: Shop, kind: str) -> None:
        items = [MUG | {"sku": "A1", "unit": "CX"}, MUG | {"cfop": "5101", "unitValue": 10}]
        record = await shop.issue(kind, cfop="5102", items=items, payments=None)
        first, second = data_of(await shop.get(f"/{kind}/{record['id']}/items"))
        assert (first["number"], first["sku"], first["unit"], first["cfop"]) == (1, "A1", "CX", "5102")
        assert (second["number"], second["cfop"], second["quantity"], second["amount"]) == (2, "5101", 2, 20)
        assert (first["ncm"], first["unitValue"], first["icms"]["csosn"]) == ("69120000", 29.9, "102")

    async def test_are_the_same_before_and_after_issuing(self, floor: Floor, shop: Shop, kind: str) -> None:
        async with floor.standstill():
            made = await shop.create(kind, items=[MUG, MUG | {"unitValue": 0.3333333333}], payments=None)
            before = data_of(await shop.get(f"/{kind}/{made['id']}/items"))
        await shop.settled(made)
        assert data_of(await shop.get(f"/{kind}/{made['id']}/items")) == before
        assert [line["number"] for line in before] == [1, 2]

    async def test_of_a_corrected_document_are_the_corrected_ones(self, shop: Shop, kind: str) -> None:
        record = await shop.issue(kind, notes=REFUSALS[kind], payments=None)
        corrected = data_of(await shop.patch(record, items=[MUG | {"unitValue": 5}]))
        (line,) = data_of(await shop.get(f"/{kind}/{record['id']}/items"))
        assert (corrected["amount"], line["amount"]) == (10, 10)
