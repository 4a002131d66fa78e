"""Metrics of documents."""

import pytest

from integration.issuing.shop import Shop
from metric_samples import shown, until_risen
from toy.codes import REFUSED
from toy.shop import KINDS


@pytest.mark.parametrize("document_type", KINDS)
async def test_authorization_is_counted_with_its_duration(shop: Shop, document_type: str) -> None:
    verdict = {"type": document_type, "environment": "production", "status": "authorized"}
    before = shown("documents_concluded_total", **verdict)
    timed = shown("document_seconds_count", type=document_type)
    seconds = shown("document_seconds_sum", type=document_type) or 0
    await shop.issue(document_type)
    await until_risen("documents_concluded_total", before, **verdict)
    await until_risen("document_seconds_count", timed, type=document_type)
    assert 0 < (shown("document_seconds_sum", type=document_type) or 0) - seconds < 60


@pytest.mark.parametrize("document_type", KINDS)
async def test_refusal_is_counted_as_rejected(shop: Shop, document_type: str) -> None:
    verdict = {"type": document_type, "environment": "production", "status": "rejected"}
    before = shown("documents_concluded_total", **verdict)
    await shop.issue(document_type, notes=REFUSED)
    await until_risen("documents_concluded_total", before, **verdict)
