"""What the authorities hold already of a document and its number."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from lxml import etree

from carimbo.simulator.family import World
from carimbo.simulator.ledger import DocumentStatus, Ledger, StoredDocument, VoidedRange
from carimbo.simulator.nfe.dialect import DIALECT
from carimbo.simulator.place import HOMOLOGATION
from carimbo.simulator.rule import Refusal
from carimbo.simulator.sefaz.limits import REJECTIONS_OF_A_DOCUMENT
from carimbo.simulator.sefaz.rules.register import remember_rejection
from unit.fiscal.goods.support import ISSUED_AT
from unit.simulator.mutating import case_of
from unit.simulator.rules.breaking import Breaking, Court, base

Prepare = Callable[[World, bytes], None]
PROTOCOL = "135260000000001"
TOLD = f"[nProt:{PROTOCOL}][dhAut:2026-11-14T10:00:00-03:00]"


def known(**changes: Any) -> Prepare:
    """The document came before, with changes."""

    def prepare(world: World, xml: bytes) -> None:
        case = case_of(xml, world)
        usual: dict[str, Any] = {
            "environment": HOMOLOGATION,
            "access_key": case.access_key,
            "authorizer": "SP",
            "issuer": case.author,
            "recipient": "",
            "series": 1,
            "number": 3,
            "issued_at": ISSUED_AT,
            "received_at": ISSUED_AT,
            "code": "100",
            "protocol": PROTOCOL,
            "digest": "",
            "xml": xml,
            "protocol_xml": b"",
        }
        stored = StoredDocument(**usual | changes)
        Ledger(world.store).keep_document(stored, DIALECT.number_id(stored.access_key))

    return prepare


def with_other_code(world: World, xml: bytes) -> None:
    """Another document has the number."""
    known(access_key=other_key(case_of(xml, world).access_key))(world, xml)


def other_key(key: str, emission: str = "") -> str:
    return f"{key[:34]}{emission or key[34]}987654321"


def sent_before(world: World, xml: bytes) -> None:
    """The same number was sent in the normal way, under another key."""
    known(access_key=other_key(case_of(xml, world).access_key, emission="1"))(world, xml)


def voided(world: World, xml: bytes) -> None:
    key = case_of(xml, world).access_key
    Ledger(world.store).keep_range(
        VoidedRange(
            environment=HOMOLOGATION,
            state_code=key[:2],
            issuer=key[6:20],
            model=key[20:22],
            series=1,
            year="26",
            first_number=2,
            last_number=4,
            authorizer="SP",
            received_at=ISSUED_AT,
            protocol=PROTOCOL,
        )
    )


def rejected(times: int, before: timedelta = timedelta()) -> Prepare:
    def prepare(world: World, xml: bytes) -> None:
        earlier = World(world.now - before, world.store, world.trust, world.controls)
        for _ in range(times):
            remember_rejection(case_of(xml, earlier))

    return prepare


BREAKINGS = [
    Breaking("539", "nfe", prepare=with_other_code, detail=TOLD),
    Breaking("204", "nfe", prepare=known(), detail=TOLD),
    Breaking("218", "nfe", prepare=known(status=DocumentStatus.CANCELED), detail=TOLD),
    Breaking("206", "nfe", prepare=voided),
    Breaking("656", "nfe", prepare=rejected(REJECTIONS_OF_A_DOCUMENT)),
]


class TestRegisterRules:
    @pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
    def test_each_speaks_for_itself(self, breaking: Breaking, court: Court) -> None:
        court.prove(breaking)

    def test_the_other_key_is_told(self, court: Court) -> None:
        xml = base("nfe", court.signer)
        key = other_key(etree.fromstring(xml)[0].get("Id", "")[3:])
        assert court.verdict(xml, prepare=with_other_code) == Refusal("539", f"[chNFe:{key}]{TOLD}")

    def test_what_is_known_in_the_other_environment_is_not_known_here(self, court: Court) -> None:
        assert court.verdict(base("nfe", court.signer), prepare=known(environment="1")) is None

    def test_an_nfce_may_be_issued_again_offline_under_its_number(self, court: Court) -> None:
        breaking = Breaking("539", "nfce_offline", prepare=sent_before)
        assert court.verdict_on(base("nfce_offline", court.signer), breaking) is None

    def test_both_are_held_then(self, court: Court) -> None:
        def both_came(world: World, xml: bytes) -> None:
            sent_before(world, xml)
            known()(world, xml)

        breaking = Breaking("204", "nfce_offline", prepare=both_came)
        assert court.verdict_on(base("nfce_offline", court.signer), breaking) == Refusal("204", TOLD)

    def test_what_was_handed_out_offline_stands_although_its_number_was_voided(self, court: Court) -> None:
        breaking = Breaking("206", "nfce_offline", prepare=voided)
        assert court.verdict_on(base("nfce_offline", court.signer), breaking) is None

    @pytest.mark.parametrize(
        "prepare",
        [
            rejected(REJECTIONS_OF_A_DOCUMENT - 1),
            rejected(REJECTIONS_OF_A_DOCUMENT, before=timedelta(minutes=61)),
        ],
    )
    def test_rejections_are_counted_within_an_hour(self, prepare: Prepare, court: Court) -> None:
        assert court.verdict(base("nfe", court.signer), prepare=prepare) is None

    def test_without_limits_nothing_is_rejected_too_often(self, court: Court) -> None:
        xml = base("nfe", court.signer)
        assert court.verdict(xml, prepare=rejected(REJECTIONS_OF_A_DOCUMENT), limits=False) is None
