"""What each document type says of itself."""

from datetime import timedelta
from typing import Any

import pytest

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.documents.nfce.definition import NFCE
from carimbo.fiscal.documents.nfe.definition import NFE
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.registry import DOCUMENT_TYPES
from unit.fiscal.goods.support import NFCE_BODY

NAMES = {
    "nfe": ("nfe", "invoices", "nfe"),
    "nfce": ("nfce", "invoices", "nfce"),
    "nfse": ("nfse", "invoices", "nfse"),
}
CSC = {"cscId": "1", "csc": "0123456789ABCDEF"}


def missing(environment: Environment, **settings: Any) -> tuple[str, ...]:
    assert NFCE.requirements.settings
    return NFCE.requirements.settings(NFCE.settings.model_validate(settings), environment)


class TestEveryType:
    def test_has_its_collection_its_namespace_and_its_prefix(self) -> None:
        told = {one.name: (one.collection, one.namespace, one.event_prefix) for one in DOCUMENT_TYPES}
        assert told == NAMES

    def test_goes_its_turn_but_the_receipt_that_somebody_waits_for(self) -> None:
        assert [one.name for one in DOCUMENT_TYPES if one.is_urgent] == ["nfce"]


class TestSettingsThatAnNfceLacks:
    @pytest.mark.parametrize(
        ("environment", "settings"),
        [
            (Environment.PRODUCTION, CSC),
            (Environment.HOMOLOGATION, {"homologation": CSC}),
            (Environment.PRODUCTION, {"qrVersion": 3}),
            (Environment.HOMOLOGATION, {"qrVersion": 3}),
        ],
    )
    def test_are_none_when_it_can_be_issued(self, environment: Environment, settings: dict[str, Any]) -> None:
        assert missing(environment, active=True, **settings) == ()

    def test_are_told_all_at_once(self) -> None:
        assert missing(Environment.PRODUCTION) == ("nfce.active", "nfce.cscId", "nfce.csc")

    def test_are_those_of_the_environment(self) -> None:
        found = missing(Environment.HOMOLOGATION, active=True, **CSC)
        assert found == ("nfce.homologation.cscId", "nfce.homologation.csc")
        assert missing(Environment.PRODUCTION, active=True, homologation=CSC) == ("nfce.cscId", "nfce.csc")

    def test_may_be_one_half_of_the_security_code(self) -> None:
        found = missing(Environment.HOMOLOGATION, active=True, homologation={"cscId": "1"})
        assert found == ("nfce.homologation.csc",)

    def test_may_be_the_switch_alone(self) -> None:
        assert missing(Environment.PRODUCTION, qrVersion=3) == ("nfce.active",)


class TestIssuing:
    @pytest.mark.parametrize(
        ("transmit", "waits"), [({}, False), ({"transmit": "now"}, False), ({"transmit": "later"}, True)]
    )
    def test_an_nfce_waits_if_it_asks_to(self, transmit: dict[str, str], waits: bool) -> None:
        assert NFCE.issuing.waits
        request = NFCE.issuing.request.model_validate(NFCE_BODY | transmit)
        assert NFCE.issuing.waits(request) is waits

    def test_an_nfce_is_stale_before_the_authority_finds_it_late(self) -> None:
        assert NFCE.issuing.stale_after
        assert NFCE.issuing.stale_after < timedelta(minutes=5)

    def test_an_nfe_is_neither_stored_only_nor_stale(self) -> None:
        assert (NFE.issuing.waits, NFE.issuing.stale_after) == (None, None)

    @pytest.mark.parametrize("document_type", [NFE, NFCE], ids=["nfe", "nfce"])
    def test_keeps_files_of_both_outcomes(self, document_type: DocumentType) -> None:
        issuing = document_type.issuing
        assert issuing.archived(b"<NFe/>", b"<protNFe/>").startswith(b"<nfeProc ")
        assert issuing.refused(b"<NFe/>", None).startswith(b"<rejection>")
