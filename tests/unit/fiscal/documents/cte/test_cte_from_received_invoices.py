"""CT-e that are filled from NF-e of other issuers, which the company received."""

from typing import Any

from carimbo.fiscal.catalog.filling import FillingReview
from carimbo.fiscal.documents.cte.from_documents import FILLING, INVOICE_UNKNOWN
from carimbo.fiscal.documents.cte.request import CteRequest
from carimbo.fiscal.own_documents import OwnDocument
from unit.fiscal.documents.received_nfe import example, with_text
from unit.golden_documents import golden_document

NAME = "normal-sale"


def filled(file: bytes) -> tuple[dict[str, Any], FillingReview]:
    """Returns the body of a CT-e, filled from a whole NF-e without a request of ours."""
    key = golden_document(f"nfe/{NAME}.json").invoice.id.removeprefix("NFe")
    documents = {"nfes": [{"accessKey": key}], "fromInvoices": True}
    body = {"documents": documents, "serviceAmount": 80, "icms": {}}
    request = CteRequest.model_validate(body)
    result, review = FILLING.fill(body, request, {key: OwnDocument("nfe", {}, file)})
    return dict(result), review


def test_parties_and_cargo_come_from_the_authorized_file() -> None:
    invoice = golden_document(f"nfe/{NAME}.json").invoice
    body, review = filled(example(NAME))
    assert review.problems == ()
    assert body["shipper"]["taxId"] == invoice.issuer.cnpj
    assert body["cargo"]["amount"] == invoice.totals.invoice.amount


def test_file_that_our_layout_refuses_is_a_problem() -> None:
    body, review = filled(with_text(example(NAME), "enderEmit/xLgr", None))
    (problem,) = review.problems
    assert (problem.code, problem.path) == (INVOICE_UNKNOWN, "documents.nfes[0].accessKey")
    assert "não pôde ser lida" in problem.message
    assert "shipper" not in body
