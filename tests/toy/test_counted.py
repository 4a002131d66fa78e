"""What is counted of documents."""

import pytest

from integration.issuing.shop import Shop
from metric_samples import shown, until_risen
from toy.codes import REFUSED
from toy.shop import KINDS


@pytest.mark.parametrize("kind", KINDS)
async def test_an_authorization_counts_with_the_time_that_it_took(shop: Shop, kind: str) -> None:
    verdict = {"type": kind, "environment": "production", "status": "authorized"}
    before = shown("documents_concluded_total", **verdict)
    timed = shown("document_seconds_count", type=kind)
    seconds = shown("document_seconds_sum", type=kind) or 0
    await shop.issue(kind)
    await until_risen("documents_concluded_total", before, **verdict)
    await until_risen("document_seconds_count", timed, type=kind)
    assert 0 < (shown("document_seconds_sum", type=kind) or 0) - seconds < 60


@pytest.mark.parametrize("kind", KINDS)
async def test_a_refusal_is_counted_as_a_refusal(shop: Shop, kind: str) -> None:
    verdict = {"type": kind, "environment": "production", "status": "rejected"}
    before = shown("documents_concluded_total", **verdict)
    await shop.issue(kind, notes=REFUSED)
    await until_risen("documents_concluded_total", before, **verdict)
