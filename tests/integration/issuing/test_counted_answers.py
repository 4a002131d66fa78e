"""What is counted of the questions that authorities are asked about documents."""

import pytest

from integration.issuing.shop import KINDS, Shop
from metric_samples import shown

SENDING = {
    "nfe": {"model": "55", "authorizer": "SP", "service": "NFeAutorizacao4"},
    "nfce": {"model": "65", "authorizer": "SP", "service": "NFeAutorizacao4"},
    "nfse": {"model": "nfse", "authorizer": "SEFIN", "service": "SefinNacional"},
}
OUT = "SIMULA:FORA_DO_AR:108"
# The national environment has no words for it but those of HTTP.
TOLD_OUT = {"nfe": "unavailable", "nfce": "unavailable", "nfse": "http_status"}


@pytest.mark.parametrize("kind", KINDS)
async def test_an_answer_counts_for_the_service_that_gave_it(shop: Shop, kind: str) -> None:
    service = {**SENDING[kind], "environment": "production"}
    before = shown("authority_answers_total", **service, outcome="answered") or 0
    timed = shown("authority_seconds_count", **service) or 0
    await shop.issue(kind)
    assert (shown("authority_answers_total", **service, outcome="answered") or 0) > before
    assert (shown("authority_seconds_count", **service) or 0) > timed


@pytest.mark.parametrize("kind", KINDS)
async def test_an_authority_that_is_out_is_told_from_one_that_answers(shop: Shop, kind: str) -> None:
    service = {**SENDING[kind], "environment": "production", "outcome": TOLD_OUT[kind]}
    before = shown("authority_answers_total", **service) or 0
    await shop.issue(kind, notes=OUT)
    assert (shown("authority_answers_total", **service) or 0) > before
