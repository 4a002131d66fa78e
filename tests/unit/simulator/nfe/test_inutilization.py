"""NFeInutilizacao4: the service as our own reader understands it, and each of its rules broken."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest
from lxml import etree

from carimbo.fiscal.layouts.nfe_v4.inutilization import (
    Inutilization,
    read_inutilization,
    signed_inutilization,
)
from carimbo.fiscal.outcome import Authorized, Duplicate, Rejected, Throttled
from carimbo.fiscal.schemas.catalog import Schema
from carimbo.fiscal.signature import Signer
from carimbo.simulator.controls import Controls
from carimbo.simulator.family import World
from carimbo.simulator.nfe.dialect import DIALECT
from carimbo.simulator.nfe.range_case import RangeCase
from carimbo.simulator.nfe.rules.inutilization import INUTILIZATION_RULES, REFUSALS_OF_A_RANGE, SERVICE
from carimbo.simulator.place import HOMOLOGATION, Place
from carimbo.simulator.rule import Refusal, first_broken
from carimbo.simulator.sefaz.call import Call
from carimbo.simulator.sefaz.limits import spend
from support import CNPJ
from unit.simulator.mutating import Edit, at, nfe, says
from unit.simulator.nfe.counter import INUTILIZATION, RANGE, Counter, faults, place, text_of
from unit.simulator.nfe.registrar import sign_again, unchanged

RECEIPTS = replace(RANGE, model="65")
AT_SP = place(INUTILIZATION)


class TestVoiding:
    def test_a_range_is_voided_with_a_protocol(self, counter: Counter) -> None:
        said = counter.void(RANGE)
        outcome = read_inutilization(said.reply.body, RANGE)
        assert isinstance(outcome, Authorized), said.reply.body.decode()
        assert (outcome.code, outcome.protocol) == ("102", "135260000000001")
        assert faults(said, Schema.NFE_INUTILIZATION_ANSWER) == []

    def test_receipts_are_voided_at_their_own_address(self, counter: Counter) -> None:
        assert counter.void(RECEIPTS, family="nfce").code == "102"

    def test_its_numbers_are_no_documents_any_more(self, counter: Counter) -> None:
        counter.void(RANGE)
        assert counter.send(nfe(counter.signer)).code == "206"

    def test_the_same_range_again_is_told_with_its_protocol(self, counter: Counter) -> None:
        counter.void(RANGE)
        said = counter.void(RANGE)
        outcome = read_inutilization(said.reply.body, RANGE)
        assert isinstance(outcome, Duplicate)
        assert (outcome.code, outcome.protocol) == ("563", "135260000000001")
        assert faults(said, Schema.NFE_INUTILIZATION_ANSWER) == []

    def test_with_that_rule_off_the_first_protocol_stays(self, counter: Counter) -> None:
        counter.void(RANGE)
        counter.switches["rules_off"] = frozenset({"563"})
        assert counter.void(RANGE).code == "102"
        counter.switches["rules_off"] = frozenset()
        assert text_of(counter.void(RANGE), "infInut/nProt") == "135260000000001"

    def test_a_number_in_use_is_refused(self, counter: Counter) -> None:
        counter.authorised(nfe(counter.signer))
        said = counter.void(RANGE)
        outcome = read_inutilization(said.reply.body, RANGE)
        assert isinstance(outcome, Rejected)
        assert outcome.code == "241"
        assert faults(said, Schema.NFE_INUTILIZATION_ANSWER) == []

    def test_a_range_refused_twenty_times_is_not_looked_at(self, counter: Counter) -> None:
        counter.authorised(nfe(counter.signer))
        assert {counter.void(RANGE).code for _ in range(20)} == {"241"}
        outcome = read_inutilization(counter.void(RANGE).reply.body, RANGE)
        assert isinstance(outcome, Throttled)
        counter.now += timedelta(hours=1, seconds=1)
        assert counter.void(RANGE).code == "241"

    def test_a_message_that_the_xsd_refuses_is_told(self, counter: Counter) -> None:
        said = counter.void(replace(RANGE, reason="curta"))
        assert said.code == "215"
        assert "xJust" in text_of(said, "infInut/xMotivo")
        assert faults(said, Schema.NFE_INUTILIZATION_ANSWER) == []


@dataclass(frozen=True)
class RangeBreaking:
    """What breaks one rule, and nothing else, of a range that is voided."""

    code: str
    edit: Edit = unchanged
    base: Inutilization = RANGE
    identified: bool = True
    """Whether the Id follows the edit."""
    prepare: Callable[[Counter], object] = lambda counter: None
    where: Place = AT_SP
    signer: Callable[[Signer, Signer], Signer] = lambda company, buyer: company
    after_signing: Edit = unchanged

    def __str__(self) -> str:
        return self.code

    def prove(self, counter: Counter, buyer: Counter) -> None:
        """The base is voided; changed it is refused with the code, and voided with that rule off."""
        asked = signed_inutilization(self.base, counter.signer)
        family = "nfe" if self.base.model == "55" else "nfce"
        assert verdict(counter, asked, place(INUTILIZATION, family=family)) is None
        self.prepare(counter)
        broken = self.broken(asked, self.signer(counter.signer, buyer.signer))
        found = verdict(counter, broken, self.where)
        assert found is not None, "voided"
        assert found.code == self.code, found
        assert verdict(counter, broken, self.where, rules_off=frozenset({self.code})) is None

    def broken(self, asked: bytes, signer: Signer) -> bytes:
        root = etree.fromstring(asked)
        self.edit(root)
        told = at(root, "infInut")
        if self.identified:
            told.set("Id", identity(told))
        sign_again(root, told, signer)
        self.after_signing(root)
        return etree.tostring(root, encoding="utf-8")


def identity(told: etree._Element) -> str:
    """The Id of a range, put together of its fields as they are."""
    texts = {child.tag.rpartition("}")[2]: child.text or "" for child in told}
    issuer = f"{texts['cUF']}{texts['ano']}{texts['CNPJ']}{texts['mod']}{int(texts['serie']):03d}"
    return f"ID{issuer}{int(texts['nNFIni']):09d}{int(texts['nNFFin']):09d}"


def verdict(counter: Counter, asked: bytes, where: Place, **switches: Any) -> Refusal | None:
    world = World(counter.now, counter.store, counter.trust, Controls(**switches))
    call = Call(
        dialect=DIALECT,
        root=etree.fromstring(asked),
        text=asked,
        schema=None,
        sender=None,
        place=where,
        world=world,
    )
    return first_broken(INUTILIZATION_RULES, RangeCase(call), world.controls.rules_off)


def refused_twenty_times(counter: Counter) -> None:
    for _ in range(REFUSALS_OF_A_RANGE):
        spend(counter.world, CNPJ, SERVICE, RANGE.id)


def voided(asked: Inutilization) -> Callable[[Counter], object]:
    return lambda counter: counter.void(asked)


def with_another_id(root: etree._Element) -> None:
    at(root, "infInut").set("Id", f"ID{'1' * 41}")


BREAKINGS = [
    RangeBreaking("656", prepare=refused_twenty_times),
    RangeBreaking("297", after_signing=says("infInut/xJust", "Outra razão para inutilizar")),
    RangeBreaking("213", signer=lambda company, buyer: buyer),
    RangeBreaking("250", where=place(INUTILIZATION, "SVRS")),
    RangeBreaking("450", says("infInut/mod", "65")),
    RangeBreaking("775", says("infInut/mod", "55"), RECEIPTS, where=place(INUTILIZATION, family="nfce")),
    RangeBreaking("266", says("infInut/serie", "920")),
    RangeBreaking("453", says("infInut/ano", "27")),
    RangeBreaking("454", says("infInut/ano", "05")),
    RangeBreaking("207", says("infInut/CNPJ", "11222333000182")),
    RangeBreaking("224", says("infInut/nNFFin", "2")),
    RangeBreaking("201", says("infInut/nNFFin", "10003")),
    RangeBreaking("502", with_another_id, identified=False),
    RangeBreaking("563", prepare=voided(RANGE)),
    RangeBreaking("256", prepare=voided(replace(RANGE, first_number=12, last_number=13))),
    RangeBreaking("241", prepare=lambda counter: counter.authorised(nfe(counter.signer))),
]


class TestRules:
    @pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
    def test_a_broken_rule_alone_refuses(
        self, breaking: RangeBreaking, counter: Counter, buyer: Counter
    ) -> None:
        breaking.prove(counter, buyer)

    def test_ten_thousand_numbers_are_not_too_many(self, counter: Counter) -> None:
        assert counter.void(replace(RANGE, last_number=10_002)).code == "102"
        assert counter.ledger.voided_number(HOMOLOGATION, "35261111222333000181550010000100021123456826")
