"""Accepted documents with more content than a plain sale, each for the rules of one subject."""

from collections.abc import Callable, Mapping
from typing import Any

from carimbo.fiscal.identity.signature import Signer
from unit.fiscal.good_bodies import EXPORTED, TO_A_CONSUMER
from unit.fiscal.goods.support import BUYER, CONTRIBUTOR, NORMAL, SAO_PAULO, company, item
from unit.simulator.mutating import nfce, nfe

DocumentFactory = Callable[[Signer], bytes]
CARRIER = {"taxId": "66677788000183", "name": "Transportes Ligeiro Ltda", "city": "Osasco", "state": "SP"}
PLACE = SAO_PAULO | {"taxId": "66677788000183", "name": "Armazém Ligeiro Ltda"}
ALL_DEFERRED = {"deferral": {"rate": 100}}
DEFERRED: dict[str, Any] = {
    "icms": {"cst": "51", "rate": 18, "deferralRate": 50},
    "ibsCbs": {"taxClassCode": "515001", "state": ALL_DEFERRED, "city": ALL_DEFERRED, "cbs": ALL_DEFERRED},
}
SUSPENDED = {
    "taxClassCode": "550018",
    "regularTaxation": {
        "cst": "000",
        "taxClassCode": "000001",
        "stateRate": 0.1,
        "stateAmount": 0.05,
        "cityRate": 0,
        "cityAmount": 0,
        "cbsRate": 0.9,
        "cbsAmount": 0.48,
    },
}
PURCHASED = {
    "stateRate": 0.1,
    "stateAmount": 0.05,
    "cityRate": 0,
    "cityAmount": 0,
    "cbsRate": 0.9,
    "cbsAmount": 0.48,
}
BILLED = {
    "payments": [{"method": "boleto", "amount": 71.8}],
    "billing": {
        "bill": {"number": "1", "originalAmount": 71.8, "discount": 0, "netAmount": 71.8},
        "installments": [
            {"number": "001", "dueDate": "2026-12-14", "amount": 40},
            {"number": "002", "dueDate": "2027-01-14", "amount": 31.8},
        ],
    },
}
SUBSTITUTION = {"csosn": "202", "stBaseMode": "4", "stMva": 40, "stBase": 100, "stRate": 18, "stAmount": 5}


def _nfe(**body: Any) -> DocumentFactory:
    return lambda signer: nfe(signer, **body)


def _nfe_of_item(**changes: Any) -> DocumentFactory:
    """Makes an NF-e from a company of the normal regime to another one."""
    return _nfe(by=NORMAL, recipient=CONTRIBUTOR, items=[item(**changes)])


def _nfce(**body: Any) -> DocumentFactory:
    return lambda signer: nfce(signer, **body)


CONTENT_BASES: Mapping[str, DocumentFactory] = {
    "nfe_to_company": _nfe(recipient=CONTRIBUTOR),
    "nfe_normal_to_company": _nfe_of_item(),
    "nfe_of_a_mei": _nfe(by=company(taxRegime="mei"), items=[item(cfop="5102")]),
    "nfe_to_consumer_elsewhere": _nfe(by=NORMAL, **TO_A_CONSUMER),
    "nfe_of_two_items": _nfe(recipient=CONTRIBUTOR, items=[item(), item()]),
    "nfe_export": _nfe(by=NORMAL, **EXPORTED),
    "nfe_carried": _nfe(
        freight={"mode": "sender", "carrier": CARRIER}, authorizedReaders=[{"taxId": CARRIER["taxId"]}]
    ),
    "nfe_other_places": _nfe(pickupAddress=PLACE, deliveryAddress=PLACE),
    "nfe_billed": _nfe(**BILLED),
    "nfe_substituted": _nfe(
        recipient=CONTRIBUTOR, items=[item(cest="1007900", cfop="5403", icms=SUBSTITUTION)]
    ),
    "nfe_deferred": _nfe_of_item(quantity=200, **DEFERRED),
    "nfe_reduced": _nfe_of_item(ibsCbs={"taxClassCode": "200034"}),
    "nfe_suspended": _nfe_of_item(ibsCbs=SUSPENDED),
    "nfe_public": _nfe(
        by=NORMAL,
        governmentPurchase={"entityType": "4", "rateReduction": 0, "operationType": "1"},
        items=[item(ibsCbs={"governmentPurchase": PURCHASED})],
    ),
    "nfce_delivered": _nfce(
        recipient=BUYER, presence="delivery", freight={"mode": "sender", "carrier": CARRIER}
    ),
}
