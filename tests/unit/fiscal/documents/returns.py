"""Buyers that return goods, and the drafts of their returns, for tests."""

from datetime import datetime, timedelta
from typing import Any

from carimbo.fiscal.documents.nfe.definition import NFE
from carimbo.fiscal.documents.nfe.request import NfeRequest
from carimbo.fiscal.documents.nfe.return_draft import return_draft
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.issuance import Review
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.receiving import ReturnDraftRequest
from unit.fiscal.documents.received_nfe import example
from unit.fiscal.goods.support import RIO_DE_JANEIRO, SAO_PAULO, company, emission, issuance

REGIMES = ("simples", "simplesExcess", "normal", "mei")
PLACES = {"SP": SAO_PAULO, "RJ": RIO_DE_JANEIRO}
REGISTRATIONS = {"SP": "111111110110", "RJ": "78890169"}
DAY = timedelta(days=1)
RULES_OF_ITEMS = datetime.fromisoformat("2026-11-20T10:00:00-03:00")


def buyer(regime: str = "normal", state: str = "SP") -> Company:
    """Returns a company that received goods."""
    return company(
        taxId="22233344000183",
        taxRegime=regime,
        pisCofinsRegime="nonCumulative",
        address=PLACES[state],
        stateRegistrations=[{"state": state, "number": REGISTRATIONS[state]}],
    )


def chosen(*items: dict[str, Any]) -> ReturnDraftRequest:
    """Returns the request for some items of a note."""
    return ReturnDraftRequest.model_validate({"items": items or None})


def draft(name: str, by: Company | None = None, *items: dict[str, Any]) -> dict[str, Any]:
    """Returns the draft that returns goods of an example: the given items, else all."""
    return dict(return_draft(example(name), by or buyer(), chosen(*items)))


def first_item(name: str, regime: str = "normal", state: str = "SP") -> dict[str, Any]:
    """Returns the first item of a draft."""
    item: dict[str, Any] = draft(name, buyer(regime, state))["items"][0]
    return item


def reviewed(body: dict[str, Any], by: Company, signer: Signer, sold_at: datetime) -> Review:
    """Returns the review of a draft that is issued a day after the sale, or when items need references."""
    moment = max(sold_at + DAY, RULES_OF_ITEMS)
    trial = issuance(signer, NFE.settings(), by=by, under=emission(issued_at=moment))
    return NFE.issuing.review(NfeRequest.model_validate(body), trial)
