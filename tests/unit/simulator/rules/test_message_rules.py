"""Messages of every service: their sender, and their form."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from lxml import etree

import nfe_dialect as messages
from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.sample_certificate import SampleAuthority
from carimbo.fiscal.schemas.files import Schema
from carimbo.fiscal.tables.statuses import NFE_STATUSES
from carimbo.simulator.family import PRODUCTION
from carimbo.simulator.nfe.dialect import DIALECT
from carimbo.simulator.nfe.rules.message import MESSAGE_RULES
from carimbo.simulator.rules import AuthorityVerdict, first_broken
from carimbo.simulator.sefaz.call import ServiceCall
from carimbo.simulator.trust import CertificateFlaw, JudgedCertificate, TrustedAuthorities
from support import CNPJ
from unit.simulator.mutating import AT_SP, context, nfe
from unit.simulator.rules.certificates import FLAWED, of_company

KEY = AccessKey.parse("35261111222333000181550010000000011123456806")
Change = Callable[[ServiceCall], ServiceCall]


@dataclass(frozen=True)
class CallViolation:
    """A change of an accepted call that breaks exactly one message rule."""

    code: str
    change: Change = lambda call: call
    base: str = "status"
    flaw: CertificateFlaw | None = None
    switches: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.code}-{self.base}"


def with_message(text: str, call: ServiceCall) -> ServiceCall:
    return replace(call, root=etree.fromstring(text), text=text.encode())


def with_replaced_text(old: str, new: str) -> Change:
    """Returns a change that replaces a text of the message."""

    def change(call: ServiceCall) -> ServiceCall:
        text = etree.tostring(call.root, encoding="unicode")
        assert old in text
        return with_message(text.replace(old, new), call)

    return change


def prefixed(call: ServiceCall) -> ServiceCall:
    text = etree.tostring(call.root, encoding="unicode")
    named = text.replace("xmlns=", "xmlns:n=").replace("</", "\0").replace("<", "<n:").replace("\0", "</n:")
    return with_message(named, call)


def of_version(version: str) -> Change:
    """Returns a change of the version, without XSD validation."""
    return lambda call: replace(with_replaced_text("versao=", f'versao="{version}" was=')(call), schema=None)


VIOLATIONS = [
    CallViolation("280", lambda call: replace(call, sender=None)),
    *(CallViolation(f"28{flaw}", flaw=flaw) for flaw in FLAWED),
    CallViolation("284", flaw=CertificateFlaw.REVOKED),
    CallViolation("286", switches={"revocation_list": False}),
    CallViolation("214", lambda call: replace(call, text=b"x" * (500 * 1024 + 1))),
    CallViolation("402", lambda call: replace(call, envelope_encoding="ISO-8859-1")),
    CallViolation("404", prefixed),
    CallViolation("588", with_replaced_text("<xServ>", "\n<xServ>")),
    CallViolation("588", with_replaced_text("<infNFe", " <infNFe"), base="lot"),
    CallViolation("239", of_version("3.10")),
    CallViolation("239", of_version("1.00"), base="distribution"),
    CallViolation("225", with_replaced_text("<mod>55<", "<mod>99<"), base="lot"),
    CallViolation("215", with_replaced_text("<xServ>STATUS<", "<xServ>ESTADO<")),
    CallViolation("225", with_replaced_text("<mod>", "<!-- modelo --><mod>"), base="lot"),
    CallViolation("215", with_replaced_text("<xServ>", "<?x?><xServ>")),
    CallViolation("252", lambda call: replace(call, service_path=AT_SP._replace(environment=PRODUCTION))),
]


@dataclass(frozen=True)
class MessageRuleTester:
    """Applies the message rules to calls."""

    trust: TrustedAuthorities
    authority: SampleAuthority
    signer: Signer

    def verdict(
        self, violation: CallViolation, *, changed: bool = True, **switches: Any
    ) -> AuthorityVerdict | None:
        """Returns the verdict on a call, changed or not."""
        issue = (
            FLAWED.get(violation.flaw, of_company) if changed and violation.flaw is not None else of_company
        )
        sender = JudgedCertificate.of(issue(self.authority).certificate)
        revoked = {sender.serial_number} if changed and violation.flaw is CertificateFlaw.REVOKED else ()
        request_context = context(replace(self.trust, revoked=frozenset(revoked)), **switches)
        message, schema = self.messages()[violation.base]
        with closing(request_context.store):
            call = ServiceCall(
                dialect=DIALECT,
                root=etree.fromstring(message),
                text=message,
                schema=schema,
                sender=sender,
                service_path=AT_SP,
                context=request_context,
            )
            judged = violation.change(call) if changed else call
            return first_broken(MESSAGE_RULES, judged, request_context.controls.rules_off)

    def messages(self) -> dict[str, tuple[bytes, Schema]]:
        """Returns messages as our client writes them, with the XSDs of their services."""
        environment, state = AT_SP.environment, "35"
        distribution = messages.distribution_after(environment, state, CNPJ, 0)
        return {
            "lot": (messages.authorization_lot(1, [nfe(self.signer)]), Schema.NFE_BATCH),
            "status": (messages.status_query(environment, state), Schema.NFE_SERVICE_QUERY),
            "key": (messages.key_query(environment, KEY), Schema.NFE_DOCUMENT_QUERY),
            "receipt": (messages.receipt_query(environment, "351000000000001"), Schema.NFE_RECEIPT_QUERY),
            "distribution": (distribution, Schema.NFE_DISTRIBUTION),
        }


@pytest.fixture
def tester(trust: TrustedAuthorities, authority: SampleAuthority, signer: Signer) -> MessageRuleTester:
    return MessageRuleTester(trust, authority, signer)


class TestMessageRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_message_rule_refuses_the_call(
        self, violation: CallViolation, tester: MessageRuleTester
    ) -> None:
        assert tester.verdict(violation, changed=False) is None
        refusal = tester.verdict(violation, **violation.switches)
        assert refusal is not None
        assert refusal.code == violation.code
        assert tester.verdict(violation, rules_off=frozenset({violation.code}), **violation.switches) is None

    @pytest.mark.parametrize("name", ["lot", "status", "key", "receipt", "distribution"])
    def test_messages_of_our_client_are_accepted(self, name: str, tester: MessageRuleTester) -> None:
        assert tester.verdict(CallViolation("none", base=name)) is None

    def test_newer_distribution_version_is_accepted(self, tester: MessageRuleTester) -> None:
        newer = with_replaced_text('versao="1.01"', 'versao="1.35"')
        assert tester.verdict(CallViolation("239", newer, base="distribution")) is None
        wrong = with_replaced_text("<ultNSU>", "<ultNSU>x")
        refused = tester.verdict(CallViolation("215", lambda call: wrong(newer(call)), base="distribution"))
        assert refused is not None
        assert refused.code == "215"

    def test_unused_prefixes_are_accepted(self, tester: MessageRuleTester) -> None:
        declared = with_replaced_text(
            "<xServ>", '<xServ xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        )
        assert tester.verdict(CallViolation("404", declared)) is None

    def test_prefixed_attribute_is_refused(self, tester: MessageRuleTester) -> None:
        named = with_replaced_text("<xServ>", '<xServ xml:lang="pt">')
        assert tester.verdict(CallViolation("404", named)) == AuthorityVerdict("404")

    def test_white_space_within_a_text_is_accepted(self, tester: MessageRuleTester) -> None:
        inside = with_replaced_text("<natOp>", "<natOp> ")
        assert tester.verdict(CallViolation("588", inside, base="lot"), rules_off=frozenset({"225"})) is None


class TestDetail:
    """The detail that an XSD violation adds to the official text."""

    def detail(self, tester: MessageRuleTester, change: Change, base: str = "lot") -> str:
        refusal = tester.verdict(CallViolation("none", change, base=base))
        assert refusal
        return refusal.detail

    def test_element_is_named_by_its_path(self, tester: MessageRuleTester) -> None:
        detail = self.detail(tester, with_replaced_text("<NCM>69120000<", "<NCM>X<"))
        assert detail == "[enviNFe/NFe/infNFe/det/prod/NCM: formato inválido]"

    def test_repeated_element_is_named_by_its_position(self, tester: MessageRuleTester) -> None:
        empty = with_replaced_text("</detPag>", "</detPag><detPag><tPag>1</tPag></detPag>")
        assert self.detail(tester, empty) == "[enviNFe/NFe/infNFe/pag/detPag[2]/tPag: formato inválido]"

    def test_misplaced_element_is_reported(self, tester: MessageRuleTester) -> None:
        detail = self.detail(tester, with_replaced_text("<cUF>35</cUF>", ""), base="status")
        assert detail == "[consStatServ/xServ: elemento inesperado, repetido ou ausente]"

    def test_other_message_is_reported_by_its_root(self, tester: MessageRuleTester) -> None:
        renamed = with_replaced_text("consStatServ", "consEstadoServ")
        assert self.detail(tester, renamed, base="status") == "[consEstadoServ: elemento desconhecido]"

    def test_detail_fits_after_the_official_text(self, tester: MessageRuleTester) -> None:
        deep = "".join(f"<x{'y' * 40}{number}>" for number in range(9))
        closed = "".join(f"</x{'y' * 40}{number}>" for number in reversed(range(9)))
        detail = self.detail(
            tester, with_replaced_text("<xServ>STATUS</xServ>", f"<xServ>{deep}{closed}</xServ>"), "status"
        )
        assert len(f"Rejeição: {NFE_STATUSES['215'].text} {detail}") <= 255
        assert detail.startswith("[")
        assert detail.endswith("]")
