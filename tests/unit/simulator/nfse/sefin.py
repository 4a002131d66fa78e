"""A client of the Sefin Nacional without a network, and a tester of its rules."""

import gzip
import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from lxml import etree

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.family import HOMOLOGATION, RequestContext, ServicePath
from carimbo.simulator.http import ConnectionClosed, Reply, Request
from carimbo.simulator.ledger import Ledger
from carimbo.simulator.nfse.dps import JudgedDps
from carimbo.simulator.nfse.rule_sets import broken_dps_rules
from carimbo.simulator.nfse.stored_notes import Declarations
from carimbo.simulator.program.journal import JournalEntry
from carimbo.simulator.program.site import Site
from carimbo.simulator.rules import AuthorityVerdict
from carimbo.simulator.store import Store
from carimbo.simulator.trust import TrustedAuthorities
from unit.fiscal.goods.support import ISSUED_AT, signer_of
from unit.simulator.mutating import Edit
from unit.simulator.nfse.declaring import NAMESPACE, PERSON, base, mutated, resigned
from unit.simulator.rule_tester import RuleTester, RuleViolation, no_preparation, schema_errors
from unit.simulator.rules.certificates import of_person

SEFIN, ADN = "/sefin/nfse/SefinNacional", "/adn/nfse/parametrizacao"
DECLARATION = b'<?xml version="1.0" encoding="UTF-8"?>'
REASON = "Serviço cobrado duas vezes por engano"
AT_SEFIN = ServicePath("SEFIN", HOMOLOGATION, "nfse", "SefinNacional", "nfse")


def packed(xml: bytes, before: bytes = DECLARATION) -> str:
    """Returns XML as a client sends it."""
    return b64encode(gzip.compress(before + xml)).decode()


def unpacked(text: str) -> bytes:
    """Returns the XML of an answer."""
    return gzip.decompress(b64decode(text, validate=True))


@dataclass(frozen=True)
class Answer:
    """An answer of the Sefin."""

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
        """The error codes, in any of the three forms."""
        body = {name.lower(): value for name, value in self.body.items()}
        errors_field = body.get("erros") or body.get("erro") or []
        errors = errors_field if isinstance(errors_field, list) else [errors_field]
        return [{name.lower(): text for name, text in error.items()}.get("codigo", "") for error in errors]

    @property
    def access_key(self) -> str:
        assert self.status in (200, 201), self.reply.body.decode()
        return str(self.body["chaveAcesso"])

    @property
    def note(self) -> etree._Element:
        """The `NFSe` element."""
        return etree.fromstring(unpacked(self.body["nfseXmlGZipB64"]))

    @property
    def event(self) -> etree._Element:
        """The `evento` element."""
        return etree.fromstring(unpacked(self.body["eventoXmlGZipB64"]))

    def text(self, path: str) -> str:
        """Returns a text of the note by its path, like `infNFSe/valores/vLiq`."""
        return self.note.findtext("/".join(f"{{{NAMESPACE}}}{tag}" for tag in path.split("/"))) or ""


@dataclass
class Sefin:
    """A client of one company, with its own clock."""

    store: Store
    trust: TrustedAuthorities
    signer: Signer
    certificate: bytes | None
    now: datetime = ISSUED_AT
    prefix: str = ""
    """Prefix of the paths: `/producao`, or empty."""
    numbers: list[int] = field(default_factory=lambda: [100])

    def __post_init__(self) -> None:
        self.site = Site(self.store, lambda: self.trust, lambda: self.now)

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.store)

    async def call(
        self, method: str, path: str, body: bytes = b"", **changes: Any
    ) -> Answer | ConnectionClosed:
        values = {
            "query": "",
            "headers": {"content-type": "application/json; charset=utf-8"},
            "certificate": self.certificate,
        }
        request = Request(method=method, path=f"{self.prefix}{path}", body=body, **values | changes)
        reply = await self.site.answer(request)
        return Answer(reply) if isinstance(reply, Reply) else reply

    async def ask(self, method: str, path: str, body: bytes = b"", **changes: Any) -> Answer:
        """Sends a request that must be answered."""
        answer = await self.call(method, path, body, **changes)
        assert isinstance(answer, Answer)
        return answer

    async def post(self, xml: bytes, before: bytes = DECLARATION) -> Answer:
        """Sends a declaration."""
        return await self.post_packed(packed(xml, before))

    async def post_packed(self, text: str) -> Answer:
        body = json.dumps({"dpsXmlGZipB64": text}).encode()
        return await self.ask("POST", f"{SEFIN}/nfse", body)

    async def issue(self, name: str = "simples", *edits: Edit) -> Answer:
        """Sends a declaration that must become a note."""
        answer = await self.post(self.declaration(name, *edits))
        assert answer.status == 201, answer.reply.body.decode()
        return answer

    def declaration(self, name: str = "simples", *edits: Edit) -> bytes:
        """Returns a new declaration with the next number."""
        self.numbers[0] += 1

        def edit(root: etree._Element) -> None:
            number = root.find(f".//{{{NAMESPACE}}}nDPS")
            assert number is not None
            number.text = str(self.numbers[0])
            for single_edit in edits:
                single_edit(root)

        return mutated(base(name, self.signer), edit, self.signer)

    async def send_event(self, xml: bytes, key: str) -> Answer:
        """Sends an event of a note."""
        body = json.dumps({"pedidoRegistroEventoXmlGZipB64": packed(xml)}).encode()
        return await self.ask("POST", f"{SEFIN}/nfse/{key}/eventos", body)

    async def cancel(self, key: str, **changes: str) -> Answer:
        return await self.send_event(self.event(key, **changes), key)

    def event(
        self,
        key: str,
        type_: str = "101101",
        detail: str | None = None,
        author: str | None = None,
        reason: str = REASON,
    ) -> bytes:
        """Returns a request to register an event, signed by the company."""
        content = (
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
                f"<chNFSe>{key}</chNFSe><e{type_}>{content}</e{type_}></infPedReg></pedRegEvento>"
            ),
            self.signer,
        )

    def entries(self, **filters: Any) -> list[JournalEntry]:
        return self.site.journal.entries(**filters)

    def knows(self, id_: str) -> bool:
        return Declarations(self.store, HOMOLOGATION).key_of(id_) is not None


def id_in(xml: bytes) -> str:
    """Returns the Id of a declaration."""
    return etree.fromstring(xml)[0].get("Id", "")


def body_of(xml: bytes) -> bytes:
    """Returns the body of a request to issue a note."""
    return json.dumps({"dpsXmlGZipB64": packed(xml)}).encode()


def texts_of(note: etree._Element, path: str) -> dict[str, str]:
    """Returns the texts of a group, in their order."""
    group = note.find("/".join(f"{{{NAMESPACE}}}{tag}" for tag in path.split("/")))
    assert group is not None, path
    return {etree.QName(child).localname: child.text or "" for child in group if not len(child)}


@dataclass(frozen=True)
class Violation(RuleViolation):
    """A change of an accepted declaration that breaks exactly one rule; its base is a name of `BASES`."""

    base: str = "simples"
    before: Callable[[RequestContext, bytes], object] = no_preparation
    """Called before the base is judged, so that it is accepted."""

    def prepare_context(self, context: RequestContext, xml: bytes) -> None:
        self.before(context, xml)
        self.prepare(context, xml)


@dataclass(frozen=True)
class ServiceRuleTester(RuleTester[Violation, list[AuthorityVerdict]]):
    """Tests the NFS-e rules, which report all refusals at once."""

    usual_path = AT_SEFIN

    def signer_of(self, base: str) -> Signer:
        """Returns the signer of the company, or of the person who issues a base."""
        return signer_of(of_person(self.authority, PERSON)) if base == "by_person" else self.signer

    def base(self, name: str) -> bytes:
        return base(name, self.signer_of(name))

    def check(self, violation: Violation) -> None:
        """Checks that the base is accepted, and that only this rule refuses the change."""
        assert self.verdict(self.base(violation.base), prepare=violation.before) == []
        broken = self.broken(violation)
        assert not violation.fits_schema or xsd_errors(broken) == []
        refusals = self.verdict_on(broken, violation)
        assert [refusal.code for refusal in refusals] == [violation.code], refusals
        assert violation.detail in refusals[0].detail
        assert self.verdict_on(broken, violation, rules_off=frozenset({violation.code})) == []

    def edited(self, violation: Violation, signer: Signer) -> bytes:
        return mutated(self.base(violation.base), violation.edit, signer, keyed=violation.keyed)

    def judged(
        self, xml: bytes, service_path: ServicePath, context: RequestContext
    ) -> list[AuthorityVerdict]:
        return broken_dps_rules(JudgedDps(etree.fromstring(xml), service_path, context))


def xsd_errors(xml: bytes, schema: Schema = Schema.NFSE_DPS) -> list[str]:
    """Returns the XSD errors of a message."""
    return schema_errors(schema, xml)
