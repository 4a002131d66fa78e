"""Messages of every service: their sender, and their form."""

from dataclasses import replace

import pytest

import nfe_dialect as messages
from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.sample_certificate import SampleAuthority
from carimbo.fiscal.schemas.files import Schema
from carimbo.fiscal.tables.statuses import NFE_STATUSES
from carimbo.simulator.family import PRODUCTION
from carimbo.simulator.nfe.dialect import DIALECT
from carimbo.simulator.nfe.rules.message import MESSAGE_RULES
from carimbo.simulator.rules import AuthorityVerdict
from carimbo.simulator.trust import TrustedAuthorities
from support import CNPJ
from unit.simulator.message_rule_tester import (
    SENDER_VIOLATIONS,
    CallViolation,
    Change,
    MessageRuleTester,
    prefixed,
    with_replaced_text,
)
from unit.simulator.mutating import AT_SP, nfe

KEY = AccessKey.parse("35261111222333000181550010000000011123456806")


def of_version(version: str) -> Change:
    """Returns a change of the version, without XSD validation."""
    return lambda call: replace(with_replaced_text("versao=", f'versao="{version}" was=')(call), schema=None)


VIOLATIONS = [
    *SENDER_VIOLATIONS,
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


@pytest.fixture
def tester(trust: TrustedAuthorities, authority: SampleAuthority, signer: Signer) -> MessageRuleTester:
    """The rules with messages as our client writes them."""
    environment, state = AT_SP.environment, "35"
    distribution = messages.distribution_after(environment, state, CNPJ, 0)
    by_name = {
        "lot": (messages.authorization_lot(1, [nfe(signer)]), Schema.NFE_BATCH),
        "status": (messages.status_query(environment, state), Schema.NFE_SERVICE_QUERY),
        "key": (messages.key_query(environment, KEY), Schema.NFE_DOCUMENT_QUERY),
        "receipt": (messages.receipt_query(environment, "351000000000001"), Schema.NFE_RECEIPT_QUERY),
        "distribution": (distribution, Schema.NFE_DISTRIBUTION),
    }
    return MessageRuleTester(trust, authority, DIALECT, MESSAGE_RULES, AT_SP, by_name)


class TestMessageRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_message_rule_refuses_the_call(
        self, violation: CallViolation, tester: MessageRuleTester
    ) -> None:
        tester.check(violation)

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
