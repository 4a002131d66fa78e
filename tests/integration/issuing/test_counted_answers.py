"""Metrics of the requests to the authorities."""

import pytest

from integration.issuing.shop import KINDS, Shop
from metric_samples import shown

SENDING = {
    "nfe": {"model": "55", "authorizer": "SP", "service": "NFeAutorizacao4"},
    "nfce": {"model": "65", "authorizer": "SP", "service": "NFeAutorizacao4"},
    "cte": {"model": "57", "authorizer": "SP", "service": "CTeRecepcaoSincV4"},
    "nfse": {"model": "nfse", "authorizer": "SEFIN", "service": "SefinNacional"},
}
OUT = "SIMULA:FORA_DO_AR:108"
# The national environment reports an outage only by the HTTP status.
OUTCOME_WHEN_OUT = {"nfe": "unavailable", "nfce": "unavailable", "nfse": "http_status", "cte": "unavailable"}


@pytest.mark.parametrize("document_type", KINDS)
async def test_answer_is_counted_for_the_service_that_gave_it(shop: Shop, document_type: str) -> None:
    service = {**SENDING[document_type], "environment": "production"}
    before = shown("authority_answers_total", **service, outcome="answered") or 0
    timed = shown("authority_seconds_count", **service) or 0
    await shop.issue(document_type)
    assert (shown("authority_answers_total", **service, outcome="answered") or 0) > before
    assert (shown("authority_seconds_count", **service) or 0) > timed


@pytest.mark.parametrize("document_type", KINDS)
async def test_answer_of_an_outage_is_counted_with_its_own_outcome(shop: Shop, document_type: str) -> None:
    service = {
        **SENDING[document_type],
        "environment": "production",
        "outcome": OUTCOME_WHEN_OUT[document_type],
    }
    before = shown("authority_answers_total", **service) or 0
    await shop.issue(document_type, notes=OUT)
    assert (shown("authority_answers_total", **service) or 0) > before
