"""Changes that break the rules of products, ICMS, the share of the buyer's state and totals."""

from decimal import Decimal
from typing import Any

from unit.fiscal.rules.breaking import GONE, Breaking

_TEN_CENTS = Decimal("0.10")
_CONSUMER, _CONTRIBUTOR = "consumer in another state", "contributor in another state"
_DEFERRED = {"cst": "51", "rate": 18}
_ST = {"cst": "10", "stBaseMode": "4", "stBase": 100, "stRate": 18, "stAmount": 18}
_PASSED_ON = {"retainedBase": 50, "retainedAmount": 9, "stDestinationBase": 50, "stDestinationAmount": 9}


def _batch(manufactured: str, good_until: str) -> dict[str, Any]:
    return {"number": "L1", "quantity": 2, "manufactureDate": manufactured, "expiryDate": good_until}


BREAKINGS: tuple[Breaking, ...] = (
    Breaking("782", "items[0].icms.csosn", "sale of a MEI", {"items[0].icms": {"csosn": "103"}}),
    Breaking("611", "items[0].gtin", body={"items[0].gtin": "7891000315508"}),
    Breaking(
        "612",
        "items[0].taxableGtin",
        body={"items[0].gtin": "7891000315507", "items[0].taxableGtin": "7891000315508"},
    ),
    Breaking("882", "items[0].gtin", body={"items[0].gtin": "2000000000015"}),
    Breaking("883", "items[0].gtin", document={"items[0].product.gtin": ""}),
    Breaking(
        "885",
        "items[0].taxableGtin",
        body={"items[0].gtin": "7891000315507", "items[0].taxableGtin": "SEM GTIN"},
    ),
    Breaking("886", "items[0].gtin", body={"items[0].taxableGtin": "7891000315507"}),
    Breaking("629", "items[0].unitValue", document={"items[0].product.unit_value": Decimal("36.9")}),
    Breaking("630", "items[0].taxableUnitValue", body={"items[0].taxableQuantity": 4}),
    Breaking("777", "items[0].ncm", body={"items[0].ncm": GONE}),
    Breaking("777", "items[0].ncm", "receipt", {"items[0].ncm": "69"}),
    Breaking("778", "items[0].ncm", body={"items[0].ncm": "69129999"}),
    Breaking("778", "items[0].ncm", "receipt", {"items[0].ncm": "99980101"}),
    Breaking("471", "items[0].ncm", body={"items[0].ncm": "00"}),
    Breaking("806", "items[0].cest", body={"items[0].icms": {"csosn": "500"}}),
    Breaking(
        "806",
        "items[0].cest",
        "normal sale to a contributor",
        {"items[0].icms": {"cst": "90", "stBaseMode": "4", "stBase": 100, "stRate": 18, "stAmount": 18}},
    ),
    Breaking("806", "items[0].cest", "normal sale", {"items[0].icms": {"cst": "60", **_PASSED_ON}}),
    Breaking(
        "336", "items[0].exportDetails", body={"items[0].exportDetails": [{"drawbackNumber": "20260001"}]}
    ),
    Breaking(
        "354", "items[0].returnedIpi", body={"items[0].returnedIpi": {"returnedShare": 100, "amount": 1}}
    ),
    Breaking(
        "870",
        "items[0].batches[0].expiryDate",
        body={"items[0].batches": [_batch("2026-11-10", "2026-11-09")]},
    ),
    Breaking(
        "877",
        "items[0].batches[1].manufactureDate",
        "receipt",
        {"items[0].batches": [_batch("2026-11-14", "2026-11-14"), _batch("2026-11-15", "2026-11-15")]},
    ),
    Breaking("388", "items[0].ipi.frameworkCode", "normal sale", {"items[0].ipi": {"cst": "55"}}),
    Breaking("745", "items[0].pis", document={"items[0].taxes.pis": None}),
    Breaking("748", "items[0].cofins", document={"items[0].taxes.cofins": None}),
    Breaking("590", "items[0].icms.cst", body={"items[0].icms": {"cst": "00"}}),
    Breaking("591", "items[0].icms.csosn", "normal sale", {"items[0].icms": {"csosn": "102"}}),
    Breaking("600", "items[0].icms.csosn", body={"items[0].icms": {"csosn": "101", "creditRate": 2}}),
    Breaking("508", "items[0].icms.cst", "normal sale", {"items[0].icms": {"cst": "90"}}),
    Breaking("528", "items[0].icms.amount", "normal sale", {"items[0].icms": {"amount": 12.90}}),
    Breaking(
        "351",
        "items[0].icms.operationAmount",
        "normal sale",
        {"items[0].icms": _DEFERRED | {"operationAmount": 5, "deferralAmount": 5, "amount": 0}},
    ),
    Breaking(
        "352",
        "items[0].icms.deferralAmount",
        "normal sale",
        {"items[0].icms": _DEFERRED | {"deferralRate": 50, "deferralAmount": 2.92, "amount": 10}},
    ),
    Breaking("353", "items[0].icms.amount", "normal sale", {"items[0].icms": _DEFERRED | {"amount": 3}}),
    Breaking(
        "860", "items[0].icms.fcpAmount", "normal sale", {"items[0].icms": {"fcpRate": 2, "fcpAmount": 3}}
    ),
    Breaking(
        "880", "items[0].icms.fcpRate", "normal sale", {"items[0].icms": {"fcpRate": 0, "fcpAmount": 0.01}}
    ),
    Breaking(
        "881",
        "items[0].icms.retainedFcpRate",
        "normal sale",
        {
            "items[0].icms": {
                "cst": "60",
                "retainedFcpBase": 9,
                "retainedFcpRate": 0,
                "retainedFcpAmount": 1,
            },
            "items[0].cest": "1400100",
        },
    ),
    Breaking(
        "881",
        "items[0].icms.stFcpRate",
        "normal sale to a contributor",
        {
            "items[0].icms": _ST | {"stFcpBase": 9, "stFcpRate": 0, "stFcpAmount": 1},
            "items[0].cest": "1400100",
        },
    ),
    Breaking("876", "items[0].icms.fcpAmount", _CONSUMER, {"items[0].icms": {"fcpRate": 2}}),
    Breaking(
        "627",
        "items[0].icms.exemptedAmount",
        "normal sale",
        {"items[0].icms": {"cst": "40", "exemptedAmount": 0, "exemptionReason": "9"}},
    ),
    Breaking(
        "663", "items[0].icms.rate", _CONTRIBUTOR, {"items[0].origin": "1", "items[0].icms": {"rate": 12}}
    ),
    Breaking("693", "items[0].icms.rate", _CONTRIBUTOR, {"items[0].icms": {"rate": 18}}),
    Breaking("930", "items[0].benefitCode", "normal sale", {"items[0].icms": {"cst": "40"}}),
    Breaking(
        "938",
        "items[0].icms.retainedBase",
        "simples sale to a contributor",
        {"items[0].icms": {"csosn": "500"}, "items[0].cest": "1400100"},
    ),
    Breaking(
        "694", "items[0].stateShare", _CONSUMER, {"items[0].icms": {"cst": "60"}, "items[0].cest": "1400100"}
    ),
    Breaking("695", "items[0].stateShare", "normal sale", {"items[0].stateShare": {"internalRate": 18}}),
    Breaking(
        "697", "items[0].stateShare.interstateRate", _CONSUMER, {"items[0].stateShare": {"interstateRate": 4}}
    ),
    Breaking(
        "698", "items[0].stateShare.interstateRate", _CONSUMER, {"items[0].stateShare": {"interstateRate": 7}}
    ),
    Breaking(
        "699",
        "items[0].stateShare.destinationShare",
        _CONSUMER,
        {"items[0].stateShare": {"destinationShare": 80}},
    ),
    Breaking("793", "items[0].stateShare.fcpAmount", _CONSUMER, {"items[0].stateShare": {"fcpAmount": 30}}),
    Breaking(
        "815",
        "items[0].stateShare.destinationAmount",
        _CONSUMER,
        {"items[0].stateShare": {"destinationAmount": 30}},
    ),
    Breaking("531", "totals.icmsBase", document={"totals.invoice.icms_base": _TEN_CENTS}),
    Breaking("532", "totals.icmsAmount", document={"totals.invoice.icms_amount": _TEN_CENTS}),
    Breaking("533", "totals.stBase", document={"totals.invoice.st_base": _TEN_CENTS}),
    Breaking("534", "totals.stAmount", document={"totals.invoice.st_amount": _TEN_CENTS}),
    Breaking("564", "totals.goodsAmount", document={"totals.invoice.goods_amount": Decimal("71.70")}),
    Breaking("535", "totals.freight", document={"totals.invoice.freight": _TEN_CENTS}),
    Breaking("536", "totals.insurance", document={"totals.invoice.insurance": _TEN_CENTS}),
    Breaking("537", "totals.discount", document={"totals.invoice.discount": _TEN_CENTS}),
    Breaking("538", "totals.ipiAmount", document={"totals.invoice.ipi_amount": _TEN_CENTS}),
    Breaking("602", "totals.pisAmount", document={"totals.invoice.pis_amount": _TEN_CENTS}),
    Breaking("603", "totals.cofinsAmount", document={"totals.invoice.cofins_amount": _TEN_CENTS}),
    Breaking("604", "totals.other", document={"totals.invoice.other": _TEN_CENTS}),
    Breaking("685", "totals.approximateTaxes", document={"totals.invoice.approximate_taxes": _TEN_CENTS}),
    Breaking("610", "totals.amount", document={"totals.invoice.amount": Decimal("72.31")}),
    Breaking("483", "items[0].discount", body={"items[0].discount": 80}),
    Breaking("483", "discount", body={"discount": 80}),
)
