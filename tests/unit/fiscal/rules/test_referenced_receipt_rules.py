"""Since 14 December 2026 an outbound NF-e may not refer to a consumer receipt."""

from datetime import datetime
from typing import Any

import pytest

from carimbo.fiscal.identity.access_key import AccessKey
from unit.fiscal.goods.support import emission
from unit.fiscal.rules.breaking import Breaking, judge
from unit.fiscal.rules.breakings_operation import KEY

BEFORE = emission(issued_at=datetime.fromisoformat("2026-12-13T23:59:00-03:00"))
SINCE = emission(issued_at=datetime.fromisoformat("2026-12-14T00:01:00-03:00"))
NFCE, CFE = (
    str(AccessKey("35", "2611", "11222333000181", model, 1, 1, "1", "11234568")) for model in ("65", "59")
)
RELATED_TO_A_RECEIPT = {"items[0].cfop": "5929", "items[0].icms": {"csosn": "102"}}


def referring(key: str) -> dict[str, Any]:
    return {"references": [{"accessKey": key}]}


def by_item(key: str) -> dict[str, Any]:
    return {"items[0].referencedItem": {"accessKey": key, "position": 1}}


def refusals_of_receipts(
    under: Any, body: dict[str, Any], good: str = "simples sale", **document: str
) -> list[Any]:
    altered = {f"identification.{name}": value for name, value in document.items()}
    problems = judge(Breaking("", "", good, body, document=altered, under=under)).problems
    return [(problem.code, problem.path) for problem in problems if problem.code in ("375", "679")]


@pytest.mark.parametrize("key", [NFCE, CFE])
@pytest.mark.parametrize(
    ("reference", "path"),
    [(referring, "references[0].accessKey"), (by_item, "items[0].referencedItem.accessKey")],
)
def test_references_to_receipts_are_refused_since_14_december(key: str, reference: Any, path: str) -> None:
    assert refusals_of_receipts(BEFORE, reference(key)) == []
    assert refusals_of_receipts(SINCE, reference(key)) == [("679", path)]


@pytest.mark.parametrize("reference", [referring, by_item])
def test_references_to_other_documents_are_accepted(reference: Any) -> None:
    assert refusals_of_receipts(SINCE, reference(KEY)) == []


def test_complement_may_refer_to_a_receipt() -> None:
    assert refusals_of_receipts(SINCE, referring(NFCE), "complement") == []


def test_return_may_refer_to_a_receipt() -> None:
    assert refusals_of_receipts(SINCE, by_item(NFCE), "return") == []


def test_inbound_document_may_refer_to_a_receipt() -> None:
    body = {"operation": "inbound", "items[0].icms": {"csosn": "102"}}
    assert refusals_of_receipts(SINCE, body | referring(NFCE)) == []


@pytest.mark.parametrize(("debit_type", "is_refused"), [("03", False), ("04", False), ("05", True)])
def test_some_debits_may_refer_to_receipts_item_by_item(debit_type: str, is_refused: bool) -> None:
    refused = refusals_of_receipts(SINCE, by_item(NFCE), purpose="6", debit_type=debit_type)
    assert bool(refused) is is_refused


@pytest.mark.parametrize("reference", [referring, by_item])
def test_cfop_of_a_registered_receipt_may_not_refer_to_an_nfce_since_14_december(reference: Any) -> None:
    body = RELATED_TO_A_RECEIPT | reference(NFCE)
    assert refusals_of_receipts(BEFORE, body) == []
    assert ("375", "items[0].cfop") in refusals_of_receipts(SINCE, body)


def test_cfop_of_a_registered_receipt_is_not_checked_with_a_cfe() -> None:
    assert [code for code, _ in refusals_of_receipts(SINCE, RELATED_TO_A_RECEIPT | referring(CFE))] == ["679"]
