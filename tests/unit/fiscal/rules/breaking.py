"""Valid requests, and changes that break exactly one rule."""

import copy
import dataclasses
import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from carimbo.fiscal.documents.nfce import document as nfce_document
from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.documents.nfe import document as nfe_document
from carimbo.fiscal.documents.nfe.request import NfeRequest
from carimbo.fiscal.emission import Emission
from carimbo.fiscal.goods.rules.judging import judge_document
from carimbo.fiscal.goods.rules.rule import RuleInput
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.rules import Judgement
from unit.fiscal.goods.support import (
    BUYER,
    COMPANY,
    CONTRIBUTOR,
    ITEM,
    LISBON,
    NFCE_BODY,
    NFE_BODY,
    RIO_DE_JANEIRO,
    SAO_PAULO,
    SOFTWARE,
    emission,
    given_back,
)

GONE = object()
"""A value that removes the field."""

_NORMAL = COMPANY | {"taxRegime": "normal", "pisCofinsRegime": "nonCumulative"}
_SHOP_ABROAD = {"foreignId": "PASS12345", "name": "John Smith", "address": LISBON}
_DEFERRED = {"taxClassCode": "510001", "base": 10000} | {
    share: {"deferral": {"rate": 50}} for share in ("state", "city", "cbs")
}
_SUSPENDED = {
    "taxClassCode": "550018",
    "base": 1000,
    "state": {"rate": 0},
    "city": {"rate": 0},
    "ibsAmount": 0,
    "cbs": {"rate": 0},
    "regularTaxation": {
        "cst": "000",
        "taxClassCode": "000001",
        "stateRate": 0.1,
        "stateAmount": 1,
        "cityRate": 0,
        "cityAmount": 0,
        "cbsRate": 0.9,
        "cbsAmount": 9,
    },
}
_TO_GOVERNMENT = {
    "taxClassCode": "000001",
    "base": 1000,
    "state": {"rate": 0.1, "reduction": {"rate": 0, "effectiveRate": 0.09}},
    "city": {"rate": 0, "reduction": {"rate": 0, "effectiveRate": 0}},
    "cbs": {"rate": 0.9, "reduction": {"rate": 0, "effectiveRate": 0.81}},
    "governmentPurchase": {
        "stateRate": 0.09,
        "stateAmount": 0.9,
        "cityRate": 0,
        "cityAmount": 0,
        "cbsRate": 0.81,
        "cbsAmount": 8.1,
    },
}
_BILLING = {
    "bill": {"number": "118", "originalAmount": 80, "discount": 8.2, "netAmount": 71.8},
    "installments": [
        {"number": "001", "dueDate": "2026-12-14", "amount": 35.9},
        {"number": "002", "dueDate": "2027-01-13", "amount": 35.9},
    ],
}


@dataclass(frozen=True)
class Good:
    """A request that breaks no rule."""

    body: dict[str, Any]
    company: dict[str, Any] = field(default_factory=lambda: COMPANY)
    model: str = "55"


GOOD = {
    "simples sale": Good(NFE_BODY),
    "simples sale to a contributor": Good(NFE_BODY | {"recipient": CONTRIBUTOR}),
    "normal sale": Good(NFE_BODY, _NORMAL),
    "normal sale to a contributor": Good(NFE_BODY | {"recipient": CONTRIBUTOR}, _NORMAL),
    "consumer in another state": Good(
        NFE_BODY | {"recipient": BUYER | {"address": RIO_DE_JANEIRO}, "presence": "internet"}, _NORMAL
    ),
    "contributor in another state": Good(
        NFE_BODY | {"recipient": CONTRIBUTOR | {"address": RIO_DE_JANEIRO, "stateRegistration": "77040072"}},
        _NORMAL,
    ),
    "export": Good(
        NFE_BODY
        | {
            "recipient": _SHOP_ABROAD,
            "export": {"state": "SP", "exitPlace": "Porto de Santos"},
        },
        _NORMAL,
    ),
    "receipt": Good(NFCE_BODY, model="65"),
    "receipt of the normal regime": Good(NFCE_BODY, _NORMAL, "65"),
    "receipt with delivery": Good(NFCE_BODY | {"presence": "delivery", "recipient": BUYER}, model="65"),
    "return": Good(NFE_BODY | given_back()),
    "complement": Good(
        NFE_BODY
        | {
            "purpose": "complement",
            "references": [{"accessKey": "35261011222333000181550010000000011123456802"}],
        }
    ),
    "sale of a MEI": Good(NFE_BODY, COMPANY | {"taxRegime": "mei"}),
    "deferred tax": Good(NFE_BODY | {"items": [ITEM | {"ibsCbs": _DEFERRED}]}, _NORMAL),
    "reduced tax": Good(NFE_BODY | {"items": [ITEM | {"ibsCbs": {"taxClassCode": "200034"}}]}, _NORMAL),
    "suspended tax": Good(NFE_BODY | {"items": [ITEM | {"ibsCbs": _SUSPENDED}]}, _NORMAL),
    "government purchase": Good(
        NFE_BODY
        | {
            "governmentPurchase": {"entityType": "1", "rateReduction": 10, "operationType": "1"},
            "items": [ITEM | {"ibsCbs": _TO_GOVERNMENT}],
        },
        _NORMAL,
    ),
    "sale by installments": Good(NFE_BODY | {"billing": _BILLING}),
}
"""Valid requests by description; the test of each rule changes one of them."""

__all__ = [
    "GONE",
    "GOOD",
    "RIO_DE_JANEIRO",
    "SAO_PAULO",
    "Breaking",
    "Good",
    "altered",
    "judge",
    "rule_input_of",
]


@dataclass(frozen=True)
class Breaking:
    """A change that breaks a valid request, and the rule that must report it."""

    code: str
    path: str
    """The expected path of the problem."""
    good: str = "simples sale"
    body: dict[str, Any] = field(default_factory=dict)
    """Values by path in the body: `items[0].cfop`, `recipient.address`."""
    company: dict[str, Any] = field(default_factory=dict)
    """Values by path in the company's record."""
    document: dict[str, Any] = field(default_factory=dict)
    """Values by path in the typed document, for values outside of requests: `identification.check_digit`."""
    under: Emission | None = None
    now: datetime | None = None

    def __str__(self) -> str:
        return f"{self.code}-{self.path}"


def judge(breaking: Breaking) -> Judgement:
    """Applies the rules to the changed request."""
    return judge_document(rule_input_of(breaking))


def rule_input_of(breaking: Breaking) -> RuleInput:
    """Returns the input of the rules for the changed request."""
    good = GOOD[breaking.good]
    body, record = changed(good.body, breaking.body), changed(good.company, breaking.company)
    under = breaking.under or emission()
    company = Company.model_validate(record)
    request: Any
    if good.model == "55":
        request = NfeRequest.model_validate(body)
        composition = nfe_document.compose(request, company, under, SOFTWARE)
    else:
        request = NfceRequest.model_validate(body)
        composition = nfce_document.compose(request, company, under, SOFTWARE)
    assert not composition.problems, composition.problems
    invoice: Invoice = composition.document
    for path, value in breaking.document.items():
        invoice = altered(invoice, path, value)
    moment = breaking.now or under.issued_at
    return RuleInput(invoice, request, company, moment, is_composed=not breaking.document)


def changed(body: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Returns a body with other values at the paths; GONE removes a field."""
    result = copy.deepcopy(body)
    for path, value in changes.items():
        *parents, last = _steps(path)
        place: Any = result
        for step in parents:
            place = place[step] if isinstance(step, int) else place.setdefault(step, {})
        if value is GONE:
            del place[last]
        elif isinstance(last, int) and last == len(place):
            place.append(value)
        else:
            place[last] = value
    return result


def altered(record: Any, path: str, value: Any) -> Any:
    """Returns a typed document with another value at the path: `items[0].product.amount`."""
    return _altered(record, _steps(path), value)


def _altered(record: Any, steps: list[str | int], value: Any) -> Any:
    if not steps:
        return value
    step, *rest = steps
    if isinstance(step, int):
        return (*record[:step], _altered(record[step], rest, value), *record[step + 1 :])
    return dataclasses.replace(record, **{step: _altered(getattr(record, step), rest, value)})


def _steps(path: str) -> list[str | int]:
    return [int(step) if step.isdigit() else step for step in re.findall(r"[^.\[\]]+", path)]
