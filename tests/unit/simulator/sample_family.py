"""A small family of documents, requests to it, and calls of the control API."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from carimbo.simulator.family import HOMOLOGATION, CallReply, IncomingCall, RequestContext, ServicePath
from carimbo.simulator.http import ConnectionClosed, Reply, Request
from carimbo.simulator.ledger import Ledger, StoredDocument, StoredEvent, StoredInutilization
from carimbo.simulator.nfe.dialect import DIALECT
from carimbo.simulator.program.control_api import ControlApi
from carimbo.simulator.program.journal import JournalEntry
from carimbo.simulator.program.site import Site
from carimbo.simulator.sefaz.answers import authorized_document
from carimbo.simulator.sefaz.soap import server_fault
from carimbo.simulator.store import Store
from carimbo.simulator.trust import TrustedAuthorities
from support import CNPJ

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
KEY = "35261111222333000181550010000000011000000014"
OTHER_KEY = "35261111222333000181550010000000021000000025"
SERVICE = "NFeAutorizacao4"
AT_SP = f"/sp/nfe/{SERVICE}"
NONSENSE = b"?"
BODY_OF_ANSWER = "<protNFe>{}</protNFe>"
JSON_HERE = {"host": "127.0.0.1:8444", "content-type": "application/json; charset=utf-8"}
CONTRIBUTOR = {"state": "SP", "taxId": CNPJ, "registration": "110042490114", "name": "LOJA MODELO LTDA"}


@dataclass(frozen=True)
class SampleFamily:
    """Takes `<key> <any text>` and authorizes each key once; the name makes several families possible.

    Several keys separated by commas are a lot, which is authorized as a whole.
    """

    name: str = "nfe"
    codes: frozenset[str] = frozenset({"204", "610"})
    methods: frozenset[str] = frozenset({"POST"})

    def describe(self, service_path: ServicePath, address: str) -> Reply | None:
        is_shown = service_path.service == SERVICE and not service_path.rest
        return Reply(200, f"wsdl of {address}".encode()) if is_shown else None

    def read_call(self, service_path: ServicePath, request: Request) -> IncomingCall | CallReply | None:
        if service_path.service != SERVICE:
            return None
        if request.body == NONSENSE:
            return CallReply(Reply(500, b"nonsense"), "", "it makes no sense")
        joined_keys, _, text = request.body.decode().partition(" ")
        keys = tuple(joined_keys.split(","))
        subject = joined_keys if len(keys) == 1 else "lote 77"
        return IncomingCall(SERVICE, subject, ("a name", text), joined_keys, keys, keys)

    def answer(
        self, service_path: ServicePath, incoming: IncomingCall, request: Request, context: RequestContext
    ) -> CallReply:
        ledger = Ledger(context.store)
        if any(ledger.document(service_path.environment, key) for key in incoming.keys):
            return _reply("204")
        for key in incoming.keys:
            ledger.keep_document(document(service_path, key, context.now))
        return _reply("100")

    def refuse(
        self, service_path: ServicePath, incoming: IncomingCall, code: str, context: RequestContext
    ) -> CallReply:
        return _reply(code)

    def can_refuse_with(self, code: str) -> bool:
        return code != "150"

    def fail(self) -> Reply:
        return server_fault()

    def archived_document(self, document: StoredDocument) -> bytes | None:
        return authorized_document(DIALECT, document.xml, document.protocol_xml).encode()


def _reply(code: str) -> CallReply:
    return CallReply(Reply(200, BODY_OF_ANSWER.format(code).encode()), code, f"text of {code}")


def document(service_path: ServicePath, key: str, at: datetime) -> StoredDocument:
    return StoredDocument(
        environment=service_path.environment,
        access_key=key,
        authorizer=service_path.authorizer,
        issuer=key[6:20],
        recipient="",
        series=1,
        number=int(key[25:34]),
        issued_at=at,
        received_at=at,
        code="100",
        protocol="135260000000001",
        digest="",
        xml=b'<NFe xmlns="http://www.portalfiscal.inf.br/nfe"/>',
        protocol_xml=b'<protNFe xmlns="http://www.portalfiscal.inf.br/nfe" versao="4.00"/>',
    )


def site_of(
    store: Store, trust: TrustedAuthorities, families: Sequence[SampleFamily] = (SampleFamily(),)
) -> Site:
    return Site(store, lambda: trust, lambda: NOW, families)


def request(method: str = "POST", path: str = AT_SP, body: bytes = b"", **changes: Any) -> Request:
    values: dict[str, Any] = {"query": "", "headers": {"host": "localhost:8443"}, "certificate": None}
    return Request(method=method, path=path, body=body, **values | changes)


async def send(site: Site, text: str = "", key: str = KEY, path: str = AT_SP) -> Reply | ConnectionClosed:
    """Sends a document with a text."""
    return await site.answer(request(path=path, body=f"{key} {text}".encode()))


async def code_sent(site: Site, text: str = "", key: str = KEY, path: str = AT_SP) -> str:
    """Sends a document that must be answered completely, and returns the code."""
    reply = await send(site, text, key, path)
    assert isinstance(reply, Reply), reply
    before, _, after = BODY_OF_ANSWER.partition("{}")
    assert reply.status == 200, reply
    assert not reply.cut
    return reply.body.decode().removeprefix(before).removesuffix(after)


def holds(site: Site, key: str = KEY) -> bool:
    """Tells whether the authority has authorized a key."""
    return key in {document.access_key for document in Ledger(site.store).documents()}


def last_entry(site: Site) -> JournalEntry:
    return site.journal.entries()[-1]


def switch(site: Site, **changes: Any) -> None:
    site.switches.change(changes, NOW)


async def control(site: Site, method: str, path: str, **changes: Any) -> Reply:
    """Sends a request to the control API of a site."""
    options = {"headers": {"host": "localhost:8444", "content-type": "application/json"}} | changes
    reply = await ControlApi(site).answer(request(method, path, **options))
    assert isinstance(reply, Reply)
    return reply


async def read_json(site: Site, path: str, query: str = "") -> Any:
    return _data(await control(site, "GET", path, query=query))


async def write_json(site: Site, method: str, path: str, body: object) -> Any:
    return _data(await control(site, method, path, body=json.dumps(body).encode(), headers=JSON_HERE))


async def refusal(site: Site, method: str, path: str, **changes: Any) -> tuple[int, str]:
    reply = await control(site, method, path, **changes)
    assert reply.media_type == "application/json"
    problem = json.loads(reply.body)
    assert set(problem) == {"error"}
    return reply.status, problem["error"]


def _data(reply: Reply) -> Any:
    assert (reply.status, reply.media_type) == (200, "application/json"), reply.body
    return json.loads(reply.body)


def keep_event(site: Site, key: str, at: datetime) -> None:
    event = StoredEvent(
        environment=HOMOLOGATION,
        access_key=key,
        type="110111",
        sequence=1,
        author=CNPJ,
        authorizer="SP",
        registered_at=at,
        code="135",
        protocol="135260000000002",
        xml=b"<evento/>",
        answer_xml=b"<retEvento/>",
    )
    Ledger(site.store).keep_event(event)


def keep_range(site: Site, first: int, at: datetime) -> None:
    inutilized = StoredInutilization(
        environment=HOMOLOGATION,
        state_code="35",
        issuer=CNPJ,
        model="55",
        series=1,
        year="26",
        first_number=first,
        last_number=first + 1,
        authorizer="SP",
        received_at=at,
        protocol="135260000000003",
    )
    Ledger(site.store).keep_range(inutilized)
