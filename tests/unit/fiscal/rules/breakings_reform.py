"""Changes that break the rules of IBS and CBS."""

from datetime import datetime
from decimal import Decimal

from carimbo.fiscal.layouts.dfe_v1.ibs_cbs import CreditReversal
from carimbo.fiscal.layouts.nfe_v4.totals import IbsCbsTotals, SinglePhaseTotals
from unit.fiscal.goods.support import PRODUCTION, emission
from unit.fiscal.rules.breaking import GONE, Breaking

ZERO, ONE = Decimal("0.00"), Decimal("1.00")
IBS_CBS = "items[0].ibsCbs"
ITEM_TAXES = "items[0].taxes.ibs_cbs"
TOTALS = "totals.ibs_cbs"
NO_SINGLE_PHASE = SinglePhaseTotals(
    ibs_amount=ZERO,
    cbs_amount=ZERO,
    ibs_withholding_amount=ZERO,
    cbs_withholding_amount=ZERO,
    ibs_retained_amount=ZERO,
    cbs_retained_amount=ZERO,
)
NO_REVERSAL = CreditReversal(ibs_amount=ZERO, cbs_amount=ZERO)
NOTHING_BY_RATE = {
    "base": 0,
    "state": {"rate": 0.1},
    "city": {"rate": 0},
    "ibsAmount": 0,
    "cbs": {"rate": 0.9},
}
NO_CREDIT = {"ibsAmount": 0, "cbsAmount": 0}
NO_REFUND = {"rate": 0, "amount": 0}

# 2027 is the first year in which the city has a rate that can be deferred; CBS as in the examples.
IN_2027 = emission(issued_at=datetime.fromisoformat("2027-02-01T10:00:00-03:00"))
DEFERRED_IN_2027 = {
    f"{IBS_CBS}.state.rate": 0.05,
    f"{IBS_CBS}.city.rate": 0.05,
    f"{IBS_CBS}.cbs.rate": 11.11,
}


def of_each_share(good: str, field: str, value: object, *codes: str) -> tuple[Breaking, ...]:
    """Returns changes of the same field in the shares of state, city and CBS; each reported at its path."""
    return tuple(
        Breaking(code, f"{IBS_CBS}.{share}.{field}", good, {f"{IBS_CBS}.{share}.{field}": value})
        for share, code in zip(("state", "city", "cbs"), codes, strict=True)
    )


GROUPS = (
    Breaking("1115", IBS_CBS, "receipt of the normal regime", document={ITEM_TAXES: None, TOTALS: None}),
    Breaking(
        "1115",
        IBS_CBS,
        "receipt of the normal regime",
        document={ITEM_TAXES: None, TOTALS: None},
        under=PRODUCTION,
    ),
    Breaking("1020", f"{IBS_CBS}.cst", "normal sale", {IBS_CBS: {"cst": "999", "taxClassCode": "000001"}}),
    Breaking(
        "1141",
        f"{IBS_CBS}.governmentPurchase",
        "government purchase",
        {f"{IBS_CBS}.governmentPurchase": GONE},
    ),
    Breaking(
        "1142",
        f"{IBS_CBS}.governmentPurchase",
        "government purchase",
        {f"{IBS_CBS}.governmentPurchase.stateAmount": 0.95},
    ),
    Breaking(
        "1144",
        f"{IBS_CBS}.governmentPurchase",
        "normal sale",
        {
            f"{IBS_CBS}.governmentPurchase": {
                "stateRate": 0.1,
                "stateAmount": 0.05,
                "cityRate": 0,
                "cityAmount": 0,
                "cbsRate": 0.9,
                "cbsAmount": 0.48,
            }
        },
    ),
    Breaking("1021", f"{IBS_CBS}.base", "export", {IBS_CBS: NOTHING_BY_RATE}),
    Breaking("1022", f"{IBS_CBS}.base", "normal sale", {IBS_CBS: {"taxClassCode": "830001"}}),
    Breaking("1023", f"{IBS_CBS}.taxClassCode", "normal sale", {f"{IBS_CBS}.taxClassCode": "000099"}),
    Breaking(
        "1024", f"{IBS_CBS}.taxClassCode", "normal sale", {IBS_CBS: {"cst": "000", "taxClassCode": "410001"}}
    ),
    Breaking("1025", f"{IBS_CBS}.taxClassCode", "normal sale", {f"{IBS_CBS}.taxClassCode": "200016"}),
    Breaking("1151", f"{IBS_CBS}.singlePhase", "export", {f"{IBS_CBS}.singlePhase": NO_CREDIT}),
    Breaking("1131", f"{IBS_CBS}.creditTransfer", "export", {f"{IBS_CBS}.creditTransfer": NO_CREDIT}),
    Breaking("1132", f"{IBS_CBS}.creditTransfer", "normal sale", {IBS_CBS: {"taxClassCode": "800001"}}),
    Breaking(
        "1169",
        f"{IBS_CBS}.periodAdjustment",
        "export",
        {f"{IBS_CBS}.periodAdjustment": {"period": "2026-11", **NO_CREDIT}},
    ),
    Breaking("1170", f"{IBS_CBS}.periodAdjustment", "normal sale", {IBS_CBS: {"taxClassCode": "811001"}}),
    Breaking(
        "1134",
        f"{IBS_CBS}.freeZoneCredit",
        "export",
        {f"{IBS_CBS}.freeZoneCredit": {"period": "2026-11", "kind": "1", "amount": 0}},
    ),
    Breaking("1135", f"{IBS_CBS}.freeZoneCredit", "normal sale", {IBS_CBS: {"taxClassCode": "810001"}}),
    Breaking("1065", f"{IBS_CBS}.regularTaxation", "suspended tax", {f"{IBS_CBS}.regularTaxation": GONE}),
    Breaking(
        "1066",
        f"{IBS_CBS}.regularTaxation.cst",
        "suspended tax",
        {f"{IBS_CBS}.regularTaxation.cst": "999"},
    ),
    Breaking(
        "1067",
        f"{IBS_CBS}.regularTaxation.taxClassCode",
        "suspended tax",
        {f"{IBS_CBS}.regularTaxation.taxClassCode": "000999"},
    ),
    Breaking(
        "1114",
        f"{IBS_CBS}.regularTaxation",
        "suspended tax",
        {f"{IBS_CBS}.taxClassCode": "000001"}
        | {f"{IBS_CBS}.{share}.rate": GONE for share in ("state", "city", "cbs")}
        | {f"{IBS_CBS}.ibsAmount": GONE},
    ),
)

SHARES = (
    *of_each_share("normal sale", "rate", 1, "1026", "1036", "1037"),
    *of_each_share("suspended tax", "rate", 0.0001, "1026", "1036", "1037"),
    *of_each_share("normal sale", "deferral", {"rate": 0}, "1029", "1083", "1090"),
    *of_each_share("deferred tax", "deferral", GONE, "1030", "1044", "1061"),
    *(
        Breaking(
            code,
            f"{IBS_CBS}.{share}.deferral.amount",
            "deferred tax",
            DEFERRED_IN_2027 | {f"{IBS_CBS}.{share}.deferral.amount": 1},
            under=IN_2027,
        )
        for share, code in (("state", "1031"), ("city", "1045"), ("cbs", "1062"))
    ),
    *of_each_share("normal sale", "reduction", {"rate": 0}, "1032", "1007", "1028"),
    *(
        Breaking(
            code,
            f"{IBS_CBS}.{share}.reduction",
            "reduced tax",
            {f"{IBS_CBS}.base": 0.5},
            document={f"{ITEM_TAXES}.by_rate.{share}.reduction": None},
        )
        for share, code in (("state", "1033"), ("city", "1074"), ("cbs", "1079"))
    ),
    *(
        Breaking(
            code,
            f"{IBS_CBS}.{share}.reduction.rate",
            "reduced tax",
            {f"{IBS_CBS}.{share}.reduction": {"rate": 50}},
        )
        for share, code in (("state", "1034"), ("city", "1046"), ("cbs", "1063"))
    ),
    *(
        Breaking(
            code,
            f"{IBS_CBS}.{share}.reduction.effectiveRate",
            "reduced tax",
            {f"{IBS_CBS}.{share}.reduction": {"rate": 60, "effectiveRate": 0.5}},
        )
        for share, code in (("state", "1035"), ("city", "1047"), ("cbs", "1064"))
    ),
    Breaking("1111", f"{IBS_CBS}.state.refund", "normal sale", {f"{IBS_CBS}.state.refund": NO_REFUND}),
    Breaking("1112", f"{IBS_CBS}.city.refund", "normal sale", {f"{IBS_CBS}.city.refund": NO_REFUND}),
    Breaking(
        "1187",
        f"{IBS_CBS}.cbs.refund",
        "receipt of the normal regime",
        {f"{IBS_CBS}.cbs.refund": NO_REFUND},
    ),
    Breaking("1188", f"{IBS_CBS}.cbs.refund.rate", "normal sale", {f"{IBS_CBS}.cbs.refund": {"amount": 0}}),
    Breaking(
        "1189",
        f"{IBS_CBS}.cbs.refund.amount",
        "normal sale",
        {f"{IBS_CBS}.base": 1000, f"{IBS_CBS}.cbs.refund": {"rate": 50, "amount": 4}},
    ),
    *of_each_share("normal sale", "amount", 5, "1041", "1052", "1069"),
    Breaking(
        "1150",
        f"{IBS_CBS}.ibsAmount",
        "normal sale",
        document={f"{ITEM_TAXES}.by_rate.ibs_amount": ONE, f"{TOTALS}.ibs.amount": ONE},
    ),
    *(
        Breaking(
            code,
            f"{IBS_CBS}.regularTaxation.{share}Amount",
            "suspended tax",
            {f"{IBS_CBS}.regularTaxation.{share}Amount": 5},
        )
        for share, code in (("state", "1040"), ("city", "1051"), ("cbs", "1068"))
    ),
)

TOTALS_OF_ITEMS = (
    Breaking("1118", "totals.ibsCbs", document={TOTALS: IbsCbsTotals(base=ZERO)}),
    Breaking("1119", "totals.ibsCbs", "normal sale", document={TOTALS: None}),
    *(
        Breaking(code, f"totals.ibsCbs.{path}", "normal sale", document={f"{TOTALS}.{field}": Decimal(9)})
        for code, path, field in (
            ("1076", "base", "base"),
            ("1077", "ibs.state.deferredAmount", "ibs.state.deferred_amount"),
            ("1078", "ibs.state.refundedAmount", "ibs.state.refunded_amount"),
            ("1080", "ibs.state.amount", "ibs.state.amount"),
            ("1081", "ibs.city.deferredAmount", "ibs.city.deferred_amount"),
            ("1082", "ibs.city.refundedAmount", "ibs.city.refunded_amount"),
            ("1084", "ibs.city.amount", "ibs.city.amount"),
            ("1085", "ibs.amount", "ibs.amount"),
            ("1086", "ibs.presumedCredit", "ibs.presumed_credit"),
            ("1088", "cbs.deferredAmount", "cbs.deferred_amount"),
            ("1089", "cbs.refundedAmount", "cbs.refunded_amount"),
            ("1091", "cbs.amount", "cbs.amount"),
            ("1087", "cbs.presumedCredit", "cbs.presumed_credit"),
        )
    ),
    *(
        Breaking(
            code,
            f"totals.ibsCbs.singlePhase.{path}",
            "normal sale",
            document={f"{TOTALS}.single_phase": NO_SINGLE_PHASE, f"{TOTALS}.single_phase.{field}": ONE},
        )
        for code, path, field in (
            ("1092", "ibsAmount", "ibs_amount"),
            ("1093", "cbsAmount", "cbs_amount"),
            ("1120", "ibsWithholdingAmount", "ibs_withholding_amount"),
            ("1121", "cbsWithholdingAmount", "cbs_withholding_amount"),
            ("1122", "ibsRetainedAmount", "ibs_retained_amount"),
            ("1123", "cbsRetainedAmount", "cbs_retained_amount"),
        )
    ),
    *(
        Breaking(
            code,
            f"totals.ibsCbs.creditReversal.{tax}Amount",
            "normal sale",
            document={
                f"{TOTALS}.credit_reversal": NO_REVERSAL,
                f"{TOTALS}.credit_reversal.{tax}_amount": ONE,
            },
        )
        for code, tax in (("1176", "ibs"), ("1177", "cbs"))
    ),
)

ENDED_CONTRIBUTIONS = (
    Breaking(
        "PIS_COFINS_ENDED",
        "items[0].pis",
        "normal sale",
        {"items[0].pis": {"cst": "02", "rate": 1}},
        under=IN_2027,
    ),
    Breaking(
        "PIS_COFINS_ENDED",
        "withheldTaxes.cofinsAmount",
        "normal sale",
        {"withheldTaxes": {"cofinsAmount": 3}},
        under=IN_2027,
    ),
    Breaking(
        "PIS_COFINS_ENDED",
        "items[0].pis",
        "normal sale",
        {"items[0].pis": {"cst": "02", "rate": 1}},
        document={"identification.purpose": "3"},
        under=IN_2027,
    ),
)

BREAKINGS: tuple[Breaking, ...] = (*GROUPS, *SHARES, *TOTALS_OF_ITEMS, *ENDED_CONTRIBUTIONS)
