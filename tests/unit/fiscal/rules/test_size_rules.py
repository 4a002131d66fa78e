"""How long a document may be."""

from typing import Any

import pytest

from carimbo.fiscal.documents.nfe.definition import NFE
from carimbo.fiscal.goods.rules.size import judge_size
from carimbo.fiscal.issuance import Review
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.signed_document import SignedDocument
from nfe_dialect import authorization_lot
from unit.fiscal.goods.support import ITEM, NFE_BODY, SOLD_IN_THE_SHOP, issuance, issued_nfe

LIMIT = 500 * 1024
"""Bytes of the longest message that an authority takes."""
LONGEST_LOT_ID = 10**15 - 1
LONG_ITEMS = [ITEM | {"notes": "x" * 500, "unitValue": 1}] * 700


def longest_taken() -> bytes:
    """The longest document that no rule refuses."""
    sizes = range(LIMIT - 1_000, LIMIT)
    return b"x" * max(size for size in sizes if not judge_size(b"x" * size).problems)


class TestLength:
    def test_of_the_longest_document_leaves_room_for_its_lot(self) -> None:
        lot = authorization_lot(LONGEST_LOT_ID, [longest_taken()])
        assert LIMIT - 100 < len(lot) <= LIMIT

    def test_beyond_the_limit_is_a_problem_with_a_hint(self) -> None:
        (problem,) = judge_size(longest_taken() + b"x").problems
        assert (problem.code, problem.path, problem.source) == ("214", "items", "MOC 7.0, B01")
        assert "511 kB" in problem.message
        assert problem.hint is not None
        assert problem.hint.startswith("Divida")

    @pytest.mark.parametrize(("size", "warned"), [(1_000, 0), (499_000, 0), (500_001, 1), (600_000, 1)])
    def test_that_not_every_authority_may_take_is_warned_of(self, size: int, warned: int) -> None:
        warnings = judge_size(b"x" * size).warnings
        assert len(warnings) == warned
        assert all(warning.startswith("items: ") and "214" in warning for warning in warnings)


def reviewed(signer: Signer, items: list[dict[str, Any]]) -> Review:
    request = NFE.issuing.request.model_validate(NFE_BODY | SOLD_IN_THE_SHOP | {"items": items})
    return NFE.issuing.review(request, issuance(signer, NFE.settings()))


class TestADocument:
    def test_that_is_too_long_is_refused_and_shown(self, signer: Signer) -> None:
        review = reviewed(signer, LONG_ITEMS)
        assert [problem.code for problem in review.problems] == ["214"]
        assert review.preview is not None

    def test_that_is_too_long_and_otherwise_wrong_is_told_both(self, signer: Signer) -> None:
        review = reviewed(signer, [ITEM | {"ncm": "99999999"}, *LONG_ITEMS])
        assert {problem.code for problem in review.problems} == {"778", "214"}

    def test_of_as_many_short_items_is_not(self, signer: Signer) -> None:
        review = reviewed(signer, [ITEM | {"approximateTaxes": 1}] * len(LONG_ITEMS))
        assert (review.problems, review.warnings) == ((), ())

    def test_that_is_made_all_the_same_carries_a_warning(self, signer: Signer) -> None:
        made = issued_nfe(signer, items=LONG_ITEMS)
        assert isinstance(made, SignedDocument)
        assert any("(214)" in warning for warning in made.warnings)
