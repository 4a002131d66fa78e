"""Sefin's rules about notes that replace others, checked before they are sent."""

from datetime import date
from typing import Any

import pytest

from carimbo.fiscal.issuance import ReplacedDocument
from carimbo.fiscal.parties.company import Company
from unit.fiscal.documents.nfse_support import (
    FIRM,
    KEY,
    MEI,
    NBS,
    NORMAL,
    REPLACED,
    RIO_CODE,
    SIMPLES,
    TRADE,
    body,
    composed,
    refusals,
)

DOCUMENT_ID = "0b7c3f3e-9d2a-4f0e-8a51-2f6f3f9f1c11"
ABROAD = {"nbs": NBS, "foreignTrade": TRADE}


class TestReplacement:
    def test_replacement_names_the_note_and_the_reason(self) -> None:
        replaces = {"documentId": DOCUMENT_ID, "reason": "Valor a menor na nota"}
        result = composed(body(replaces=replaces), replaced=REPLACED)
        assert result.problems == ()
        assert result.note
        assert result.note.substitution
        assert (result.note.substitution.access_key, result.note.substitution.reason_code) == (KEY, "99")

    def test_replacement_keeps_the_competence_of_the_note(self) -> None:
        payload = body(replaces={"documentId": DOCUMENT_ID, "reasonCode": "01"})
        before = ReplacedDocument(KEY, REPLACED.signed.replace(b"<dCompet>2026-11", b"<dCompet>2026-10"))
        kept = composed(payload, replaced=before)
        assert kept.note and kept.note.competence == date(2026, 10, 14)

    @pytest.mark.parametrize(
        ("changes", "field"),
        [
            ({"issueDate": "2026-11-13"}, "issueDate"),
            ({"federalServiceCode": "01.07"}, "federalServiceCode"),
            ({"cityServiceCode": "123"}, "cityServiceCode"),
            ({"serviceCityCode": RIO_CODE}, "serviceCityCode"),
        ],
    )
    def test_replacement_outside_simples_keeps_day_service_and_place(
        self, changes: dict[str, str], field: str
    ) -> None:
        payload = body(**{"replaces": {"documentId": DOCUMENT_ID, "reasonCode": "01"}} | changes)
        assert refusals(payload, replaced=REPLACED, by=NORMAL) == {("E0060", field)}

    @pytest.mark.parametrize("by", [SIMPLES, MEI])
    @pytest.mark.parametrize(
        ("changes", "field"),
        [
            ({"issueDate": "2026-11-13"}, "issueDate"),
            ({"amount": 149}, "amount"),
            ({"borrower": FIRM}, "borrower.taxId"),
        ],
    )
    def test_replacement_in_simples_keeps_day_amount_and_taker(
        self, by: Company, changes: dict[str, Any], field: str
    ) -> None:
        payload = body(**{"replaces": {"documentId": DOCUMENT_ID, "reasonCode": "01"}} | changes)
        assert refusals(payload, replaced=REPLACED, by=by) == {("E0061", field)}

    def test_replacement_in_simples_may_change_everything_else(self) -> None:
        payload = body(
            replaces={"documentId": DOCUMENT_ID, "reasonCode": "01"},
            federalServiceCode="01.07",
            serviceCityCode=RIO_CODE,
            borrower={"name": "Maria da Silva"},
        )
        assert refusals(payload, replaced=REPLACED, by=SIMPLES) == set()

    def test_replacement_outside_simples_may_change_everything_else(self) -> None:
        payload = body(replaces={"documentId": DOCUMENT_ID, "reasonCode": "01"}, amount=99, borrower=FIRM)
        assert refusals(payload, replaced=REPLACED, by=NORMAL) == set()

    def test_replacement_outside_simples_cannot_move_abroad(self) -> None:
        payload = body(
            replaces={"documentId": DOCUMENT_ID, "reasonCode": "01"}, serviceCountryCode="US", **ABROAD
        )
        assert refusals(payload, replaced=REPLACED, by=NORMAL) == {
            ("E0060", "serviceCityCode"),
            ("E0060", "serviceCountryCode"),
        }

    def test_replacement_without_a_reason_code_needs_a_reason(self) -> None:
        payload = body(replaces={"documentId": DOCUMENT_ID})
        assert refusals(payload, replaced=REPLACED) == {("E0078", "replaces.reason")}

    def test_replacement_with_a_reason_code_needs_no_reason(self) -> None:
        payload = body(replaces={"documentId": DOCUMENT_ID, "reasonCode": "01"})
        assert refusals(payload, replaced=REPLACED) == set()

    def test_replacement_of_a_missing_note_is_refused(self) -> None:
        payload = body(replaces={"documentId": DOCUMENT_ID, "reasonCode": "01"})
        assert refusals(payload) == {("E0044", "replaces.documentId")}
