"""What is counted of documents, and of the questions that authorities are asked about them."""

import pytest

from integration.issuing.shop import KINDS, REFUSALS, Shop
from metric_samples import shown, until_risen

SENDING = {
    "nfe": {"model": "55", "authorizer": "SP", "service": "NFeAutorizacao4"},
    "nfce": {"model": "65", "authorizer": "SP", "service": "NFeAutorizacao4"},
    "nfse": {"model": "nfse", "authorizer": "SEFIN", "service": "SefinNacional"},
}
OUT = "SIMULA:FORA_DO_AR:108"
# The national environment has no words for it but those of HTTP.
TOLD_OUT = {"nfe": "unavailable", "nfce": "unavailable", "nfse": "http_status"}


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
async def test_a_refusal_counts_as_one(shop: Shop, kind: str) -> None:
    verdict = {"type": kind, "environment": "production", "status": "rejected"}
    before = shown("documents_concluded_total", **verdict)
    await shop.issue(kind, notes=REFUSALS[kind])
    await until_risen("documents_concluded_total", before, **verdict)


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
