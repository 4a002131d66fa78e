"""Size limits of a document."""

from typing import Any

import pytest

from carimbo.fiscal.documents.nfe.definition import NFE
from carimbo.fiscal.goods.rules.judging import judge_size
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.issuance import Review
from carimbo.fiscal.signed_documents import SignedDocument
from nfe_dialect import authorization_lot
from unit.fiscal.goods.support import ITEM, NFE_BODY, SOLD_IN_THE_SHOP, issuance, issued_nfe

LIMIT = 500 * 1024
"""Bytes of the longest message that an authority accepts."""
MAX_LOT_ID = 10**15 - 1
LONG_ITEMS = [ITEM | {"notes": "x" * 500, "unitValue": 1}] * 700


def longest_accepted() -> bytes:
    """The longest document that no rule refuses."""
    sizes = range(LIMIT - 1_000, LIMIT)
    return b"x" * max(size for size in sizes if not judge_size(b"x" * size).problems)


class TestLength:
    def test_longest_document_leaves_room_for_its_lot(self) -> None:
        lot = authorization_lot(MAX_LOT_ID, [longest_accepted()])
        assert LIMIT - 100 < len(lot) <= LIMIT

    def test_document_beyond_the_limit_is_refused_with_a_hint(self) -> None:
        (problem,) = judge_size(longest_accepted() + b"x").problems
        assert (problem.code, problem.path, problem.source) == ("214", "items", "MOC 7.0, B01")
        assert "511 kB" in problem.message
        assert problem.hint is not None
        assert problem.hint.startswith("Divida")

    @pytest.mark.parametrize(("size", "warned"), [(1_000, 0), (499_000, 0), (500_001, 1), (600_000, 1)])
    def test_document_that_some_authorities_may_refuse_causes_a_warning(self, size: int, warned: int) -> None:
        warnings = judge_size(b"x" * size).warnings
        assert len(warnings) == warned
        assert all(warning.startswith("items: ") and "214" in warning for warning in warnings)


def reviewed(signer: Signer, items: list[dict[str, Any]]) -> Review:
    request = NFE.issuing.request.model_validate(NFE_BODY | SOLD_IN_THE_SHOP | {"items": items})
    return NFE.issuing.review(request, issuance(signer, NFE.settings()))


class TestADocument:
    def test_document_that_is_too_long_is_refused_with_a_preview(self, signer: Signer) -> None:
        review = reviewed(signer, LONG_ITEMS)
        assert [problem.code for problem in review.problems] == ["214"]
        assert review.preview is not None

    def test_document_that_is_too_long_and_otherwise_wrong_has_both_problems(self, signer: Signer) -> None:
        review = reviewed(signer, [ITEM | {"ncm": "99999999"}, *LONG_ITEMS])
        assert {problem.code for problem in review.problems} == {"778", "214"}

    def test_document_with_as_many_short_items_is_accepted(self, signer: Signer) -> None:
        review = reviewed(signer, [ITEM | {"approximateTaxes": 1}] * len(LONG_ITEMS))
        assert (review.problems, review.warnings) == ((), ())

    def test_document_that_is_too_long_is_issued_with_a_warning(self, signer: Signer) -> None:
        document = issued_nfe(signer, items=LONG_ITEMS)
        assert isinstance(document, SignedDocument)
        assert any("(214)" in warning for warning in document.warnings)
