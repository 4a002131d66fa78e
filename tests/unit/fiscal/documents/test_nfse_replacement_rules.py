"""Rules of Sefin about notes that take the place of others, told before they are sent."""

from datetime import date
from typing import Any

import pytest

from carimbo.fiscal.company import Company
from carimbo.fiscal.issuance import Replaced
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
    def test_names_the_note_and_the_reason(self) -> None:
        told = {"documentId": DOCUMENT_ID, "reason": "Valor a menor na nota"}
        made = composed(body(replaces=told), replaced=REPLACED)
        assert made.problems == ()
        assert made.note
        assert made.note.substitution
        assert (made.note.substitution.access_key, made.note.substitution.reason_code) == (KEY, "99")

    def test_keeps_the_competence_of_the_note(self) -> None:
        told = body(replaces={"documentId": DOCUMENT_ID, "reasonCode": "01"})
        before = Replaced(KEY, REPLACED.signed.replace(b"<dCompet>2026-11", b"<dCompet>2026-10"))
        kept = composed(told, replaced=before)
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
    def test_outside_of_the_simples_keeps_day_service_and_place(
        self, changes: dict[str, str], field: str
    ) -> None:
        told = body(**{"replaces": {"documentId": DOCUMENT_ID, "reasonCode": "01"}} | changes)
        assert refusals(told, replaced=REPLACED, by=NORMAL) == {("E0060", field)}

    @pytest.mark.parametrize("by", [SIMPLES, MEI])
    @pytest.mark.parametrize(
        ("changes", "field"),
        [
            ({"issueDate": "2026-11-13"}, "issueDate"),
            ({"amount": 149}, "amount"),
            ({"borrower": FIRM}, "borrower.taxId"),
        ],
    )
    def test_in_the_simples_keeps_day_amount_and_taker(
        self, by: Company, changes: dict[str, Any], field: str
    ) -> None:
        told = body(**{"replaces": {"documentId": DOCUMENT_ID, "reasonCode": "01"}} | changes)
        assert refusals(told, replaced=REPLACED, by=by) == {("E0061", field)}

    def test_in_the_simples_may_change_everything_else(self) -> None:
        told = body(
            replaces={"documentId": DOCUMENT_ID, "reasonCode": "01"},
            federalServiceCode="01.07",
            serviceCityCode=RIO_CODE,
            borrower={"name": "Maria da Silva"},
        )
        assert refusals(told, replaced=REPLACED, by=SIMPLES) == set()

    def test_outside_of_the_simples_may_change_everything_else(self) -> None:
        told = body(replaces={"documentId": DOCUMENT_ID, "reasonCode": "01"}, amount=99, borrower=FIRM)
        assert refusals(told, replaced=REPLACED, by=NORMAL) == set()

    def test_outside_of_the_simples_does_not_go_abroad(self) -> None:
        told = body(
            replaces={"documentId": DOCUMENT_ID, "reasonCode": "01"}, serviceCountryCode="US", **ABROAD
        )
        assert refusals(told, replaced=REPLACED, by=NORMAL) == {
            ("E0060", "serviceCityCode"),
            ("E0060", "serviceCountryCode"),
        }

    def test_for_a_reason_without_a_code_says_it(self) -> None:
        told = body(replaces={"documentId": DOCUMENT_ID})
        assert refusals(told, replaced=REPLACED) == {("E0078", "replaces.reason")}

    def test_for_a_reason_with_a_code_need_not_say_it(self) -> None:
        told = body(replaces={"documentId": DOCUMENT_ID, "reasonCode": "01"})
        assert refusals(told, replaced=REPLACED) == set()

    def test_of_a_note_that_is_not_there_is_refused(self) -> None:
        told = body(replaces={"documentId": DOCUMENT_ID, "reasonCode": "01"})
        assert refusals(told) == {("E0044", "replaces.documentId")}
