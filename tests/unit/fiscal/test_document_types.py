"""The properties of each document type."""

from datetime import timedelta
from typing import Any

import pytest

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.documents.cte.definition import CTE
from carimbo.fiscal.documents.nfce.definition import NFCE
from carimbo.fiscal.documents.nfe.definition import NFE
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.filing import UndoRequest
from carimbo.fiscal.registry import DOCUMENT_TYPES
from unit.fiscal.documents.cte.bodies import FREIGHT, RECIPIENT
from unit.fiscal.goods.support import NFCE_BODY

NAMES = {
    "nfe": ("nfe", "invoices", "nfe"),
    "nfce": ("nfce", "invoices", "nfce"),
    "nfse": ("nfse", "invoices", "nfse"),
    "cte": ("cte", "cte", "cte"),
    "cteOs": ("cte-os", "cte", "cte"),
    "mdfe": ("mdfe", "mdfe", "mdfe"),
}
CSC = {"cscId": "1", "csc": "0123456789ABCDEF"}


def missing(environment: Environment, **settings: Any) -> tuple[str, ...]:
    assert NFCE.requirements.settings
    return NFCE.requirements.settings(NFCE.settings.model_validate(settings), environment)


class TestEveryType:
    def test_each_type_has_its_collection_namespace_and_prefix(self) -> None:
        names = {
            document_type.name: (
                document_type.collection,
                document_type.namespace,
                document_type.event_prefix,
            )
            for document_type in DOCUMENT_TYPES
        }
        assert names == NAMES

    def test_event_that_undoes_others_waits_for_them_and_they_for_it(self) -> None:
        undoings = [
            (document_type, event)
            for document_type in DOCUMENT_TYPES
            for event in document_type.events
            if event.undoes
        ]
        assert {event.name for _, event in undoings} >= {"deliveryCancellation", "failedDeliveryCancellation"}
        for document_type, event in undoings:
            assert event.undoes and event.request is UndoRequest
            undone = document_type.event_named(event.undoes.event)
            assert document_type.undoing_of(undone.name) is event
            assert event.repetition and event.repetition.previous_is_open
            assert undone.repetition and undone.repetition.previous_is_open

    def test_only_the_nfce_is_urgent(self) -> None:
        assert [document_type.name for document_type in DOCUMENT_TYPES if document_type.is_urgent] == ["nfce"]


class TestMissingNfceSettings:
    @pytest.mark.parametrize(
        ("environment", "settings"),
        [
            (Environment.PRODUCTION, CSC),
            (Environment.HOMOLOGATION, {"homologation": CSC}),
            (Environment.PRODUCTION, {"qrVersion": 3}),
            (Environment.HOMOLOGATION, {"qrVersion": 3}),
        ],
    )
    def test_no_setting_is_missing_when_an_nfce_can_be_issued(
        self, environment: Environment, settings: dict[str, Any]
    ) -> None:
        assert missing(environment, active=True, **settings) == ()

    def test_missing_settings_are_reported_all_at_once(self) -> None:
        assert missing(Environment.PRODUCTION) == ("nfce.active", "nfce.cscId", "nfce.csc")

    def test_missing_settings_are_those_of_the_environment(self) -> None:
        fields = missing(Environment.HOMOLOGATION, active=True, **CSC)
        assert fields == ("nfce.homologation.cscId", "nfce.homologation.csc")
        assert missing(Environment.PRODUCTION, active=True, homologation=CSC) == ("nfce.cscId", "nfce.csc")

    def test_one_missing_half_of_the_security_code_is_reported(self) -> None:
        fields = missing(Environment.HOMOLOGATION, active=True, homologation={"cscId": "1"})
        assert fields == ("nfce.homologation.csc",)

    def test_missing_switch_alone_is_reported(self) -> None:
        assert missing(Environment.PRODUCTION, qrVersion=3) == ("nfce.active",)


class TestIssuing:
    @pytest.mark.parametrize(
        ("transmit", "waits"), [({}, False), ({"transmit": "now"}, False), ({"transmit": "later"}, True)]
    )
    def test_nfce_waits_on_request(self, transmit: dict[str, str], waits: bool) -> None:
        assert NFCE.issuing.waits
        request = NFCE.issuing.request.model_validate(NFCE_BODY | transmit)
        assert NFCE.issuing.waits(request) is waits

    def test_nfce_is_stale_before_the_authority_considers_it_late(self) -> None:
        assert NFCE.issuing.stale_after
        assert NFCE.issuing.stale_after < timedelta(minutes=5)

    def test_cte_is_stale_before_the_authority_considers_it_late(self) -> None:
        assert CTE.issuing.stale_after
        assert timedelta(days=6) < CTE.issuing.stale_after < timedelta(hours=168)

    def test_cte_is_mailed_to_its_taker(self) -> None:
        request = CTE.issuing.request.model_validate(FREIGHT | {"taker": "recipient"})
        addressee = CTE.issuing.addressee(request)
        assert addressee is not None
        assert addressee.tax_id == RECIPIENT["taxId"]

    def test_nfe_neither_waits_nor_becomes_stale(self) -> None:
        assert (NFE.issuing.waits, NFE.issuing.stale_after) == (None, None)

    @pytest.mark.parametrize("document_type", [NFE, NFCE], ids=["nfe", "nfce"])
    def test_files_of_both_outcomes_are_stored(self, document_type: DocumentType) -> None:
        issuing = document_type.issuing
        assert issuing.archived(b"<NFe/>", b"<protNFe/>").startswith(b"<nfeProc ")
        assert issuing.refused(b"<NFe/>", None).startswith(b"<rejection>")
