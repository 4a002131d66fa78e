"""NFeInutilizacao4: the service read by our own client, and each of its rules broken."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest
from lxml import etree

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.nfe_v4.inutilization import (
    InutilizationRange,
    read_inutilization,
    signed_inutilization,
)
from carimbo.fiscal.outcome import Authorized, Duplicate, Rejected, Throttled
from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.controls import Controls
from carimbo.simulator.family import HOMOLOGATION, RequestContext, ServicePath
from carimbo.simulator.limits import count_use
from carimbo.simulator.nfe.dialect import DIALECT
from carimbo.simulator.nfe.inutilization import (
    INUTILIZATION_RULES,
    REFUSALS_OF_A_RANGE,
    SERVICE,
    JudgedInutilization,
)
from carimbo.simulator.rules import AuthorityVerdict, first_broken
from carimbo.simulator.sefaz.call import ServiceCall
from support import CNPJ
from unit.simulator.mutating import Edit, at, nfe, says, sign_again
from unit.simulator.nfe.event_scenario import unchanged
from unit.simulator.nfe.sefaz_client import (
    INUTILIZATION,
    RANGE,
    SefazClient,
    schema_errors,
    service_path,
    text_of,
)

RECEIPTS = replace(RANGE, model="65")
AT_SP = service_path(INUTILIZATION)


class TestInutilization:
    def test_range_is_voided_with_a_protocol(self, client: SefazClient) -> None:
        answer = client.inutilize(RANGE)
        outcome = read_inutilization(answer.reply.body, RANGE)
        assert isinstance(outcome, Authorized), answer.reply.body.decode()
        assert (outcome.code, outcome.protocol) == ("102", "135260000000001")
        assert schema_errors(answer, Schema.NFE_INUTILIZATION_ANSWER) == []

    def test_receipt_numbers_are_voided_at_their_own_address(self, client: SefazClient) -> None:
        assert client.inutilize(RECEIPTS, family="nfce").code == "102"

    def test_voided_number_may_not_be_issued(self, client: SefazClient) -> None:
        client.inutilize(RANGE)
        assert client.send(nfe(client.signer)).code == "206"

    def test_same_range_again_is_a_duplicate_with_its_protocol(self, client: SefazClient) -> None:
        client.inutilize(RANGE)
        answer = client.inutilize(RANGE)
        outcome = read_inutilization(answer.reply.body, RANGE)
        assert isinstance(outcome, Duplicate)
        assert (outcome.code, outcome.protocol) == ("563", "135260000000001")
        assert schema_errors(answer, Schema.NFE_INUTILIZATION_ANSWER) == []

    def test_first_protocol_stays_with_the_duplicate_rule_off(self, client: SefazClient) -> None:
        client.inutilize(RANGE)
        client.switches["rules_off"] = frozenset({"563"})
        assert client.inutilize(RANGE).code == "102"
        client.switches["rules_off"] = frozenset()
        assert text_of(client.inutilize(RANGE), "infInut/nProt") == "135260000000001"

    def test_number_in_use_may_not_be_voided(self, client: SefazClient) -> None:
        client.authorized(nfe(client.signer))
        answer = client.inutilize(RANGE)
        outcome = read_inutilization(answer.reply.body, RANGE)
        assert isinstance(outcome, Rejected)
        assert outcome.code == "241"
        assert schema_errors(answer, Schema.NFE_INUTILIZATION_ANSWER) == []

    def test_range_refused_twenty_times_is_throttled(self, client: SefazClient) -> None:
        client.authorized(nfe(client.signer))
        assert {client.inutilize(RANGE).code for _ in range(20)} == {"241"}
        outcome = read_inutilization(client.inutilize(RANGE).reply.body, RANGE)
        assert isinstance(outcome, Throttled)
        client.now += timedelta(hours=1, seconds=1)
        assert client.inutilize(RANGE).code == "241"

    def test_message_that_violates_the_xsd_is_reported(self, client: SefazClient) -> None:
        answer = client.inutilize(replace(RANGE, reason="curta"))
        assert answer.code == "215"
        assert "xJust" in text_of(answer, "infInut/xMotivo")
        assert schema_errors(answer, Schema.NFE_INUTILIZATION_ANSWER) == []


@dataclass(frozen=True)
class RangeViolation:
    """A change of an accepted range that breaks exactly one rule."""

    code: str
    edit: Edit = unchanged
    base: InutilizationRange = RANGE
    identified: bool = True
    """Whether the Id is computed again after the edit."""
    prepare: Callable[[SefazClient], object] = lambda client: None
    where: ServicePath = AT_SP
    signer: Callable[[Signer, Signer], Signer] = lambda company, buyer: company
    after_signing: Edit = unchanged

    def __str__(self) -> str:
        return self.code

    def check(self, client: SefazClient, buyer: SefazClient) -> None:
        """Checks that the base is voided, the change is refused, and voided with the rule off."""
        message = signed_inutilization(self.base, client.signer)
        family = "nfe" if self.base.model == "55" else "nfce"
        assert verdict(client, message, service_path(INUTILIZATION, family=family)) is None
        self.prepare(client)
        broken = self.broken(message, self.signer(client.signer, buyer.signer))
        refusal = verdict(client, broken, self.where)
        assert refusal is not None, "inutilized"
        assert refusal.code == self.code, refusal
        assert verdict(client, broken, self.where, rules_off=frozenset({self.code})) is None

    def broken(self, message: bytes, signer: Signer) -> bytes:
        root = etree.fromstring(message)
        self.edit(root)
        signed = at(root, "infInut")
        if self.identified:
            signed.set("Id", identity(signed))
        sign_again(root, signed, signer)
        self.after_signing(root)
        return etree.tostring(root, encoding="utf-8")


def identity(signed: etree._Element) -> str:
    """Returns the Id of a range, computed from its fields."""
    texts = {child.tag.rpartition("}")[2]: child.text or "" for child in signed}
    issuer = f"{texts['cUF']}{texts['ano']}{texts['CNPJ']}{texts['mod']}{int(texts['serie']):03d}"
    return f"ID{issuer}{int(texts['nNFIni']):09d}{int(texts['nNFFin']):09d}"


def verdict(
    client: SefazClient, message: bytes, where: ServicePath, **switches: Any
) -> AuthorityVerdict | None:
    context = RequestContext(client.now, client.store, client.trust, Controls(**switches))
    call = ServiceCall(
        dialect=DIALECT,
        root=etree.fromstring(message),
        text=message,
        schema=None,
        sender=None,
        service_path=where,
        context=context,
    )
    return first_broken(INUTILIZATION_RULES, JudgedInutilization(call), context.controls.rules_off)


def refused_twenty_times(client: SefazClient) -> None:
    for _ in range(REFUSALS_OF_A_RANGE):
        count_use(client.context, CNPJ, SERVICE, RANGE.id)


def inutilized(numbers: InutilizationRange) -> Callable[[SefazClient], object]:
    return lambda client: client.inutilize(numbers)


def with_another_id(root: etree._Element) -> None:
    at(root, "infInut").set("Id", f"ID{'1' * 41}")


VIOLATIONS = [
    RangeViolation("656", prepare=refused_twenty_times),
    RangeViolation("297", after_signing=says("infInut/xJust", "Outra razão para inutilizar")),
    RangeViolation("213", signer=lambda company, buyer: buyer),
    RangeViolation("250", where=service_path(INUTILIZATION, "SVRS")),
    RangeViolation("450", says("infInut/mod", "65")),
    RangeViolation(
        "775", says("infInut/mod", "55"), RECEIPTS, where=service_path(INUTILIZATION, family="nfce")
    ),
    RangeViolation("266", says("infInut/serie", "920")),
    RangeViolation("453", says("infInut/ano", "27")),
    RangeViolation("454", says("infInut/ano", "05")),
    RangeViolation("207", says("infInut/CNPJ", "11222333000182")),
    RangeViolation("224", says("infInut/nNFFin", "2")),
    RangeViolation("201", says("infInut/nNFFin", "10003")),
    RangeViolation("502", with_another_id, identified=False),
    RangeViolation("563", prepare=inutilized(RANGE)),
    RangeViolation("256", prepare=inutilized(replace(RANGE, first_number=12, last_number=13))),
    RangeViolation("241", prepare=lambda client: client.authorized(nfe(client.signer))),
]


class TestRules:
    @pytest.mark.parametrize("violation", VIOLATIONS, ids=str)
    def test_broken_range_rule_refuses_the_range(
        self, violation: RangeViolation, client: SefazClient, buyer: SefazClient
    ) -> None:
        violation.check(client, buyer)

    def test_ten_thousand_numbers_may_be_voided(self, client: SefazClient) -> None:
        assert client.inutilize(replace(RANGE, last_number=10_002)).code == "102"
        assert client.ledger.inutilization_of(HOMOLOGATION, "35261111222333000181550010000100021123456826")
