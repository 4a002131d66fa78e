"""Files, history and items of a document."""

from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from lxml import etree

from carimbo.fiscal.layouts.dps_v1.service_note import NAMESPACE as SERVICES
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE as INVOICES
from carimbo.fiscal.schemas import Schema, Schemas
from integration.issuing.actions import xml_of
from integration.issuing.shop import GOODS, KINDS, MUG, REFUSAL_CODES, REFUSALS, Shop, own_number
from integration.issuing.system import System
from support import data_of
from xmlsec1 import xmlsec1_accepts

BEFORE_AN_ANSWER = ["created", "queued", "numbered", "signed", "transmitted"]
BLAMED = {
    "nfe": "items[].icms.amount",
    "nfce": "items[].icms.amount",
    "nfse": "federalServiceCode",
    "cte": "serviceType",
}
EVENT = {
    "id", "type", "status", "sequence", "protocol", "authorityCode", "authorityMessage",
    "undoneEventId", "actor", "createdAt"
}  # fmt: skip
of_every_type = pytest.mark.parametrize("document_type", KINDS)
of_goods = pytest.mark.parametrize("document_type", GOODS)


@dataclass(frozen=True, kw_only=True)
class Files:
    """The expected contents of the files of a type."""

    namespace: str
    root: str
    signed: str
    """The element that we sign."""
    number: str
    key: str
    """The XPath of the key: an NFS-e has it within an Id."""
    protocol: str
    authorized: Schema
    sent: Schema
    refusal: str
    """The element of a refusal's code."""
    words_of_authorization: str
    words_of_refusal: str
    """The beginning of the refusal message in these tests."""
    services: list[str]
    """The requests after a lost answer."""


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
        # One for each event that may have canceled a note.
        *["GET /nfse/{chave}/eventos/{tipo}/{sequencia}"] * 4,
        "POST /nfse",
    ],
)
_WAYBILL = Files(
    namespace="http://www.portalfiscal.inf.br/cte",
    root="cteProc",
    signed="infCte",
    number="nCT",
    key="string(//d:protCTe//d:chCTe)",
    protocol="nProt",
    authorized=Schema.CTE_AUTHORIZED,
    sent=Schema.CTE,
    refusal="cStat",
    words_of_authorization="Autorizado o uso",
    words_of_refusal="Rejeição: ",
    services=["CTeConsultaV4", "CTeRecepcaoSincV4"],
)
FILES = {"nfe": _INVOICE, "nfce": _INVOICE, "nfse": _NOTE, "cte": _WAYBILL}
KEY_TAGS = {"nfe": "chNFe", "nfce": "chNFe", "nfse": "chNFSe", "cte": "chCTe"}


def text_of(xml: bytes, tag: str) -> str | None:
    return etree.fromstring(xml).findtext(f".//{{*}}{tag}")


def digest_in(xml: bytes) -> str | None:
    return etree.fromstring(xml).findtext(".//{http://www.w3.org/2000/09/xmldsig#}DigestValue")


def key_in(xml: bytes, files: Files) -> str:
    return str(etree.fromstring(xml).xpath(files.key, namespaces={"d": files.namespace}))


@of_every_type
class TestAuthorized:
    async def test_xml_and_history_agree_with_the_authority(
        self, system: System, shop: Shop, document_type: str
    ) -> None:
        record = await shop.issue(document_type)
        xml, files = await xml_of(shop, record), FILES[document_type]
        assert etree.fromstring(xml).tag == f"{{{files.namespace}}}{files.root}"
        assert Schemas().problems(files.authorized, etree.fromstring(xml)) == ()
        assert xmlsec1_accepts(xml, files.signed)
        assert (key_in(xml, files), text_of(xml, files.protocol)) == (record["accessKey"], record["protocol"])
        assert text_of(xml, files.number) == str(record["number"])
        async with httpx2.AsyncClient(base_url=system.simulator.control_url) as client:
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

    async def test_history_shows_a_lost_answer_and_the_consult(
        self, system: System, shop: Shop, document_type: str
    ) -> None:
        record = await shop.issue(document_type, notes="SIMULA:RESPOSTA_PERDIDA")
        events = await shop.events(record)
        assert (record["status"], own_number(record)) == ("authorized", 1)
        assert [event["type"] for event in events] == [*BEFORE_AN_ANSWER, "consulted", "authorized"]
        assert (events[-2]["status"], events[-2]["authorityCode"]) == ("processing", "100")
        sent = [entry["service"] for entry in await system.journal(record["accessKey"])]
        assert sorted(sent) == FILES[document_type].services


@of_every_type
class TestRejected:
    async def test_record_history_and_file_contain_the_refusal_of_the_authority(
        self, shop: Shop, document_type: str
    ) -> None:
        record, files = await shop.issue(document_type, notes=REFUSALS[document_type]), FILES[document_type]
        rejection, last = record["rejection"], (await shop.events(record))[-1]
        assert (rejection["code"], rejection["field"]) == (
            REFUSAL_CODES[document_type],
            BLAMED[document_type],
        )
        assert rejection["message"].startswith(files.words_of_refusal)
        assert rejection["hint"].endswith(".")
        assert rejection["retryable"] is False
        assert (last["type"], last["authorityCode"]) == ("rejected", REFUSAL_CODES[document_type])
        assert last["authorityMessage"].startswith(files.words_of_refusal)
        root = etree.fromstring(await xml_of(shop, record, "rejection-xml"))
        (sent,), (received,) = root.iterfind("sent/*"), root.iterfind("received/*")
        document = etree.tostring(sent)
        assert Schemas().problems(files.sent, etree.fromstring(document)) == ()
        assert xmlsec1_accepts(document, files.signed)
        assert received.findtext(f".//{{{files.namespace}}}{files.refusal}") == REFUSAL_CODES[document_type]
        # An NFS-e has no key before it is authorized.
        assert received.findtext(f".//{{*}}{KEY_TAGS[document_type]}") == record["accessKey"]

    async def test_codes_of_the_type_decide_about_retry_and_wrong_field(
        self, shop: Shop, document_type: str
    ) -> None:
        outside, nowhere = {"nfse": ("E0038", "E1229"), "cte": ("280", "243")}.get(
            document_type, ("280", "214")
        )
        rejection = (await shop.issue(document_type, notes=f"SIMULA:REJEICAO:{outside}"))["rejection"]
        assert (rejection["code"], rejection["retryable"]) == (outside, True)
        rejection = (await shop.issue(document_type, notes=f"SIMULA:REJEICAO:{nowhere}"))["rejection"]
        assert (rejection["code"], rejection["field"]) == (nowhere, None)


@of_goods
class TestItems:
    async def test_items_are_listed_with_their_taxes(self, shop: Shop, document_type: str) -> None:
        items = [MUG | {"sku": "A1", "unit": "CX"}, MUG | {"cfop": "5101", "unitValue": 10}]
        record = await shop.issue(document_type, cfop="5102", items=items, payments=None)
        first, second = data_of(await shop.get(f"/{document_type}/{record['id']}/items"))
        assert (first["number"], first["sku"], first["unit"], first["cfop"]) == (1, "A1", "CX", "5102")
        assert (second["number"], second["cfop"], second["quantity"], second["amount"]) == (2, "5101", 2, 20)
        assert (first["ncm"], first["unitValue"], first["icms"]["csosn"]) == ("69120000", 29.9, "102")

    async def test_items_are_the_same_before_and_after_issuing(
        self, system: System, shop: Shop, document_type: str
    ) -> None:
        async with system.worker_stopped():
            document = await shop.create(
                document_type, items=[MUG, MUG | {"unitValue": 0.3333333333}], payments=None
            )
            before = data_of(await shop.get(f"/{document_type}/{document['id']}/items"))
        await shop.settled(document)
        assert data_of(await shop.get(f"/{document_type}/{document['id']}/items")) == before
        assert [line["number"] for line in before] == [1, 2]

    async def test_items_of_a_corrected_document_are_the_corrected_ones(
        self, shop: Shop, document_type: str
    ) -> None:
        record = await shop.issue(document_type, notes=REFUSALS[document_type], payments=None)
        corrected = data_of(await shop.patch(record, items=[MUG | {"unitValue": 5}]))
        (line,) = data_of(await shop.get(f"/{document_type}/{record['id']}/items"))
        assert (corrected["amount"], line["amount"]) == (10, 10)
