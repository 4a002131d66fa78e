"""A client of the Sefin Nacional, over one store and without a network, and a court for its rules."""

import gzip
import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from lxml import etree

from carimbo.fiscal.schemas.catalog import Schema
from carimbo.fiscal.signature import Signer
from carimbo.simulator.family import World
from carimbo.simulator.http import HungUp, Reply, Request
from carimbo.simulator.journal import Entry
from carimbo.simulator.ledger import Ledger
from carimbo.simulator.nfse.case import NoteCase
from carimbo.simulator.nfse.declarations import Declarations
from carimbo.simulator.nfse.judge import judge
from carimbo.simulator.place import HOMOLOGATION, Place
from carimbo.simulator.rule import Refusal
from carimbo.simulator.site import Site
from carimbo.simulator.store import Store
from carimbo.simulator.trust import Trust
from unit.fiscal.goods.support import ISSUED_AT, signer_of
from unit.simulator.courtroom import Broken, Courtroom, as_usual, faults_by
from unit.simulator.mutating import Edit
from unit.simulator.nfse.declaring import NAMESPACE, PERSON, base, mutated, resigned
from unit.simulator.rules.certificates import of_person

SEFIN, ADN = "/sefin/nfse/SefinNacional", "/adn/nfse/parametrizacao"
DECLARATION = b'<?xml version="1.0" encoding="UTF-8"?>'
REASON = "Serviço cobrado duas vezes por engano"
AT_SEFIN = Place("SEFIN", HOMOLOGATION, "nfse", "SefinNacional", "nfse")


def packed(xml: bytes, before: bytes = DECLARATION) -> str:
    """XML as a client sends it."""
    return b64encode(gzip.compress(before + xml)).decode()


def unpacked(text: str) -> bytes:
    """XML as an answer has it."""
    return gzip.decompress(b64decode(text, validate=True))


@dataclass(frozen=True)
class Answer:
    """What the Sefin answered."""

    reply: Reply

    @property
    def status(self) -> int:
        return self.reply.status

    @property
    def body(self) -> Any:
        assert self.reply.media_type.startswith(("application/json", "application/problem+json")), self.reply
        return json.loads(self.reply.body)

    @property
    def codes(self) -> list[str]:
        """The errors, in whichever of their three shapes."""
        body = {name.lower(): value for name, value in self.body.items()}
        found = body.get("erros") or body.get("erro") or []
        errors = found if isinstance(found, list) else [found]
        return [{name.lower(): text for name, text in one.items()}.get("codigo", "") for one in errors]

    @property
    def access_key(self) -> str:
        assert self.status in (200, 201), self.reply.body.decode()
        return str(self.body["chaveAcesso"])

    @property
    def note(self) -> etree._Element:
        """The `NFSe`."""
        return etree.fromstring(unpacked(self.body["nfseXmlGZipB64"]))

    @property
    def event(self) -> etree._Element:
        """The `evento`."""
        return etree.fromstring(unpacked(self.body["eventoXmlGZipB64"]))

    def text(self, path: str) -> str:
        """A text of the note, `infNFSe/valores/vLiq`."""
        return self.note.findtext("/".join(f"{{{NAMESPACE}}}{tag}" for tag in path.split("/"))) or ""


@dataclass
class Sefin:
    """A company in front of the Sefin, at one moment after the other."""

    store: Store
    trust: Trust
    signer: Signer
    certificate: bytes | None
    now: datetime = ISSUED_AT
    prefix: str = ""
    """Of the paths: `/producao`, or nothing."""
    numbers: list[int] = field(default_factory=lambda: [100])

    def __post_init__(self) -> None:
        self.site = Site(self.store, lambda: self.trust, lambda: self.now)

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.store)

    async def call(self, method: str, path: str, body: bytes = b"", **changes: Any) -> Answer | HungUp:
        values = {
            "query": "",
            "headers": {"content-type": "application/json; charset=utf-8"},
            "certificate": self.certificate,
        }
        request = Request(method=method, path=f"{self.prefix}{path}", body=body, **values | changes)
        reply = await self.site.answer(request)
        return Answer(reply) if isinstance(reply, Reply) else reply

    async def ask(self, method: str, path: str, body: bytes = b"", **changes: Any) -> Answer:
        """Ask for something, which has to be answered."""
        answer = await self.call(method, path, body, **changes)
        assert isinstance(answer, Answer)
        return answer

    async def post(self, xml: bytes, before: bytes = DECLARATION) -> Answer:
        """Send a declaration."""
        return await self.post_packed(packed(xml, before))

    async def post_packed(self, text: str) -> Answer:
        body = json.dumps({"dpsXmlGZipB64": text}).encode()
        return await self.ask("POST", f"{SEFIN}/nfse", body)

    async def issue(self, name: str = "simples", *edits: Edit) -> Answer:
        """Have a declaration made a note, which must work."""
        answer = await self.post(self.declaration(name, *edits))
        assert answer.status == 201, answer.reply.body.decode()
        return answer

    def declaration(self, name: str = "simples", *edits: Edit) -> bytes:
        """A new declaration, with the next number."""
        self.numbers[0] += 1

        def edit(root: etree._Element) -> None:
            found = root.find(f".//{{{NAMESPACE}}}nDPS")
            assert found is not None
            found.text = str(self.numbers[0])
            for one in edits:
                one(root)

        return mutated(base(name, self.signer), edit, self.signer)

    async def tell(self, xml: bytes, key: str) -> Answer:
        """Send an event of a note."""
        body = json.dumps({"pedidoRegistroEventoXmlGZipB64": packed(xml)}).encode()
        return await self.ask("POST", f"{SEFIN}/nfse/{key}/eventos", body)

    async def cancel(self, key: str, **changes: str) -> Answer:
        return await self.tell(self.event(key, **changes), key)

    def event(
        self,
        key: str,
        type_: str = "101101",
        detail: str | None = None,
        author: str | None = None,
        reason: str = REASON,
    ) -> bytes:
        """A request to register an event, signed by the company."""
        told = (
            detail
            if detail is not None
            else (f"<xDesc>Cancelamento de NFS-e</xDesc><cMotivo>1</cMotivo><xMotivo>{reason}</xMotivo>")
        )
        by = author or "<CNPJAutor>11222333000181</CNPJAutor>"
        moment = self.now.isoformat(timespec="seconds")
        return resigned(
            etree.fromstring(
                f'<pedRegEvento xmlns="{NAMESPACE}" versao="1.01"><infPedReg Id="PRE{key}{type_}">'
                f"<tpAmb>2</tpAmb><verAplic>teste 1.0</verAplic><dhEvento>{moment}</dhEvento>{by}"
                f"<chNFSe>{key}</chNFSe><e{type_}>{told}</e{type_}></infPedReg></pedRegEvento>"
            ),
            self.signer,
        )

    def entries(self, **filters: Any) -> list[Entry]:
        return self.site.journal.entries(**filters)

    def knows(self, id_: str) -> bool:
        return Declarations(self.store, HOMOLOGATION).key_of(id_) is not None


def id_in(xml: bytes) -> str:
    """The Id of a declaration."""
    return etree.fromstring(xml)[0].get("Id", "")


def body_of(xml: bytes) -> bytes:
    """The body of a request to issue."""
    return json.dumps({"dpsXmlGZipB64": packed(xml)}).encode()


def told(note: etree._Element, path: str) -> dict[str, str]:
    """The texts of a group, in their order."""
    group = note.find("/".join(f"{{{NAMESPACE}}}{tag}" for tag in path.split("/")))
    assert group is not None, path
    return {etree.QName(one).localname: one.text or "" for one in group if not len(one)}


@dataclass(frozen=True)
class Breaking(Broken):
    """What breaks one rule, and nothing else, of a declaration that is taken; its base is one of `BASES`."""

    base: str = "simples"
    before: Callable[[World, bytes], object] = as_usual
    """What has to have happened for the base to be taken."""

    def happened(self, world: World, xml: bytes) -> None:
        self.before(world, xml)
        self.prepare(world, xml)


@dataclass(frozen=True)
class ServiceCourt(Courtroom[Breaking, list[Refusal]]):
    """The judge of NFS-e, who tells all at once."""

    usual_place = AT_SEFIN

    def signer_of(self, base: str) -> Signer:
        """Of the company, or of the person who issues a base."""
        return signer_of(of_person(self.authority, PERSON)) if base == "by_person" else self.signer

    def base(self, name: str) -> bytes:
        return base(name, self.signer_of(name))

    def prove(self, breaking: Breaking) -> None:
        """The base is taken; changed it is refused with the code alone: that rule off, it is taken."""
        assert self.verdict(self.base(breaking.base), prepare=breaking.before) == []
        broken = self.broken(breaking)
        assert not breaking.fits_schema or faults(broken) == []
        refusals = self.verdict_on(broken, breaking)
        assert [one.code for one in refusals] == [breaking.code], refusals
        assert breaking.detail in refusals[0].detail
        assert self.verdict_on(broken, breaking, rules_off=frozenset({breaking.code})) == []

    def edited(self, breaking: Breaking, signer: Signer) -> bytes:
        return mutated(self.base(breaking.base), breaking.edit, signer, keyed=breaking.keyed)

    def judged(self, xml: bytes, place: Place, around: World) -> list[Refusal]:
        return judge(NoteCase(etree.fromstring(xml), place, around))


def faults(xml: bytes, kind: Schema = Schema.NFSE_DPS) -> list[str]:
    """What the XSD finds wrong with a message."""
    return faults_by(kind, xml)
