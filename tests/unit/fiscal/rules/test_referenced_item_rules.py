"""Rules of the items of earlier documents that a return refers to."""

from datetime import datetime
from typing import Any

import pytest

from carimbo.fiscal.identity.access_key import AccessKey
from unit.fiscal.goods.support import BUYER_CNPJ, ITEM, emission
from unit.fiscal.rules.breaking import GONE, Breaking, judge
from unit.fiscal.rules.breakings_operation import KEY
from unit.fiscal.rules.breakings_parties import refusals

BEFORE = emission(issued_at=datetime.fromisoformat("2026-11-15T23:59:00-03:00"))
SINCE = emission(issued_at=datetime.fromisoformat("2026-11-16T00:01:00-03:00"))
RETURN = "return"
DOCUMENT_ALONE = {"items[0].referencedItem": GONE, "references": [{"accessKey": KEY}]}
OTHER_CNPJ = "11444777000161"
CPF = "52998224725"


def key_of(tax_id: str, series: int = 1) -> str:
    return str(AccessKey("35", "2610", tax_id, "55", series, 1, "1", "11234568"))


def returned(key: str, position: int = 2) -> dict[str, Any]:
    """Returns a returned item that refers to another document than the first item."""
    return ITEM | {
        "icms": {"csosn": "102"},
        "referencedItem": {"accessKey": key, "position": position},
    }


class TestItemReferences:
    def test_before_16_november_a_reference_of_the_whole_document_is_enough(self) -> None:
        assert refusals(RETURN, body=DOCUMENT_ALONE, under=BEFORE) == []

    def test_since_16_november_a_reference_of_the_whole_document_is_refused(self) -> None:
        assert refusals(RETURN, body=DOCUMENT_ALONE, under=SINCE) == ["321"]

    @pytest.mark.parametrize("under", [BEFORE, SINCE])
    def test_return_without_any_reference_is_always_refused(self, under: Any) -> None:
        assert refusals(RETURN, body={"items[0].referencedItem": GONE}, under=under) == ["321"]

    def test_return_that_refers_item_by_item_is_accepted(self) -> None:
        assert refusals(RETURN, under=SINCE) == []

    def test_every_item_without_a_reference_is_reported(self) -> None:
        item = ITEM | {"icms": {"csosn": "102"}}
        judgement = judge(Breaking("", "", RETURN, {"items[1]": item}, under=SINCE))
        assert [problem.path for problem in judgement.problems] == ["items[1].referencedItem"]

    def test_return_of_a_buyer_without_documents_needs_no_reference(self) -> None:
        body, document = {"items[0].referencedItem": GONE}, {"items[0].product.cfop": "5921"}
        assert "321" not in refusals(RETURN, body=body, document=document, under=SINCE)

    def test_debit_of_unprocessed_documents_refers_to_no_position(self) -> None:
        body = {"items[0].referencedItem.position": GONE}
        document = {"identification.purpose": "6", "identification.debit_type": "03"}
        assert "1048" not in refusals(RETURN, body=body, document=document)


class TestRepeatedReferences:
    def test_another_item_of_the_same_document_is_accepted(self) -> None:
        assert refusals(RETURN, body={"items[1]": returned(KEY)}) == []

    def test_each_repeated_reference_is_reported(self) -> None:
        body = {"items[1]": returned(KEY, 1), "items[2]": returned(KEY, 1)}
        judgement = judge(Breaking("", "", RETURN, body))
        assert [(problem.code, problem.path) for problem in judgement.problems] == [
            ("1072", "items[1].referencedItem"),
            ("1072", "items[2].referencedItem"),
        ]


class TestIssuersOfReferences:
    def test_documents_of_one_issuer_are_accepted(self) -> None:
        body = {"items[1]": returned(key_of("11222333000181", series=2))}
        assert refusals(RETURN, body=body) == []

    def test_documents_of_two_issuers_are_refused_in_returns_only(self) -> None:
        body = {"items[1]": returned(key_of(OTHER_CNPJ))}
        assert refusals(RETURN, body=body) == ["1193"]
        document = {"identification.purpose": "6", "identification.debit_type": "03"}
        assert "1193" not in refusals(RETURN, body=body, document=document)

    def test_documents_issued_by_an_authority_for_others_do_not_show_the_issuer(self) -> None:
        body = {"items[1]": returned(key_of(OTHER_CNPJ, series=890))}
        assert refusals(RETURN, body=body) == []


class TestRecipientOfTheReturn:
    def warnings(self, key: str, under: Any = SINCE, **body: Any) -> list[str]:
        changes = {"items[0].referencedItem.accessKey": key, **body}
        warnings = judge(Breaking("", "", RETURN, changes, under=under)).warnings
        return [warning for warning in warnings if warning.startswith("recipient.taxId")]

    def test_return_to_another_recipient_causes_a_warning_since_16_november(self) -> None:
        [warning] = self.warnings(key_of(OTHER_CNPJ))
        assert "não é quem emitiu" in warning
        assert self.warnings(key_of(OTHER_CNPJ), BEFORE) == []

    def test_return_to_the_issuer_of_the_original_causes_no_warning(self) -> None:
        assert self.warnings(key_of(BUYER_CNPJ)) == []

    def test_return_to_a_person_who_issued_the_original_causes_no_warning(self) -> None:
        recipient = {"recipient.taxId": CPF, "recipient.stateRegistration": GONE}
        assert self.warnings(key_of(CPF.zfill(14)), **recipient) == []

    def test_return_of_an_inbound_document_of_the_company_causes_no_warning(self) -> None:
        assert self.warnings(KEY) == []
