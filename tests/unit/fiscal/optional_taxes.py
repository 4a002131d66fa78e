"""All taxes of an item, as strategies: fields that belong together are in one strategy.

Zero is among the amounts and rates wherever a body may hold it.
"""

from support import CNPJ
from unit.fiscal.drawing import (
    AMOUNT,
    QUANTITY,
    RATE,
    SHARE,
    SOME_AMOUNT,
    UNIT_RATE,
    Fields,
    above_zero,
    any_of,
    each,
    either,
    having,
    number,
)

BENEFIT = any_of("SP010001", "SP01000123")
ST: Fields = {"stBaseMode": any_of("0", "4", "6"), "stBase": AMOUNT, "stRate": RATE, "stAmount": AMOUNT}
ST_MARGIN: Fields = {"stMva": RATE, "stBaseReduction": SHARE}
ST_FCP: Fields = {"stFcpBase": AMOUNT, "stFcpRate": RATE, "stFcpAmount": AMOUNT}
ST_WAIVED: Fields = {"stExemptedAmount": AMOUNT, "stExemptionReason": any_of("3", "9", "12")}
OWN: Fields = {"baseMode": any_of(*"0123"), "base": AMOUNT, "amount": AMOUNT, "fcpRate": RATE}
RATED: Fields = {"rate": RATE}
FCP: Fields = {"fcpBase": AMOUNT, "fcpRate": RATE, "fcpAmount": AMOUNT}
WAIVED: Fields = {"exemptedAmount": AMOUNT, "exemptionReason": any_of("9")}
DEDUCTED: Fields = {"exemptionIsDeducted": any_of(*"01")}
RETAINED: Fields = {"retainedBase": AMOUNT, "retainedRate": RATE, "retainedAmount": AMOUNT}
RETAINED_FCP: Fields = {"retainedFcpBase": AMOUNT, "retainedFcpRate": RATE, "retainedFcpAmount": AMOUNT}
SUBSTITUTE: Fields = {"substituteAmount": AMOUNT}
EFFECTIVE: Fields = {
    "effectiveBaseReduction": SHARE,
    "effectiveBase": AMOUNT,
    "effectiveRate": RATE,
    "effectiveAmount": AMOUNT,
}
DEFERRED: Fields = {"operationAmount": AMOUNT, "deferralRate": SHARE, "deferralAmount": AMOUNT}
REDUCED: Fields = {"baseReduction": SHARE, "baseReductionBenefitCode": BENEFIT}
LATER: Fields = {"fcpDeferralRate": SHARE, "fcpDeferralAmount": AMOUNT}
PHASE: Fields = {"singlePhaseRate": UNIT_RATE, "singlePhaseAmount": AMOUNT}
PHASE_QUANTITY: Fields = {"singlePhaseQuantity": QUANTITY}
KEPT: Fields = {"singlePhaseWithholdingRate": UNIT_RATE, "singlePhaseWithholdingAmount": AMOUNT}
PHASE_REDUCED: Fields = {
    "singlePhaseRateReduction": number(100),
    "singlePhaseRateReductionReason": any_of("1", "9"),
}
PHASE_DEFERRED: Fields = PHASE_QUANTITY | {
    "singlePhaseRate": UNIT_RATE,
    "deferralRate": SHARE,
    "singlePhaseDeferralQuantity": QUANTITY,
    "singlePhaseDeferralRate": UNIT_RATE,
    **each(AMOUNT, "singlePhaseAmount", "singlePhaseOperationAmount", "singlePhaseDeferralAmount"),
}
PHASE_RETAINED: Fields = {"singlePhaseRetainedRate": UNIT_RATE, "singlePhaseRetainedAmount": AMOUNT}
SHARED: Fields = {"baseMode": any_of("3"), "base": AMOUNT, "rate": RATE, "amount": AMOUNT}
SHARED |= {"operationBaseShare": SHARE, "stState": any_of("RJ")}
PASSED_ON = each(AMOUNT, "retainedBase", "retainedAmount", "stDestinationBase", "stDestinationAmount")
CREDIT: Fields = {"creditRate": RATE}

ICMS_BY_CST = either(
    having({"cst": any_of("00")}, OWN | RATED),
    having({"cst": any_of("00"), "fcpRate": RATE, "fcpAmount": AMOUNT}),
    having({"cst": any_of("20"), "baseReduction": SHARE}, OWN | RATED),
    having({"cst": any_of("20"), "baseReduction": SHARE, **FCP}),
    having({"cst": any_of("20"), "baseReduction": SHARE, **WAIVED}, DEDUCTED),
    having({"cst": any_of("10"), **ST}, OWN | RATED | ST_MARGIN),
    having({"cst": any_of("10"), **ST, **ST_FCP, **FCP}),
    having({"cst": any_of("10"), **ST, **ST_WAIVED}),
    having({"cst": any_of("30"), **ST}, ST_MARGIN),
    having({"cst": any_of("30"), **ST, **ST_FCP, **WAIVED}, DEDUCTED),
    having({"cst": any_of("40", "41", "50")}),
    having({"cst": any_of("40", "41", "50"), **WAIVED}, DEDUCTED),
    having({"cst": any_of("51")}),
    having({"cst": any_of("51"), "rate": RATE}, OWN | REDUCED | DEFERRED),
    having({"cst": any_of("51"), "rate": RATE, **LATER, **FCP}, {"effectiveFcpAmount": AMOUNT}),
    having({"cst": any_of("60")}),
    having({"cst": any_of("60"), **RETAINED}, SUBSTITUTE),
    having({"cst": any_of("60"), **RETAINED_FCP}),
    having({"cst": any_of("60"), **EFFECTIVE}),
    having({"cst": any_of("70"), "baseReduction": SHARE, **ST}, OWN | RATED | ST_MARGIN),
    having({"cst": any_of("70"), "baseReduction": SHARE, **ST, **ST_FCP, **FCP, **WAIVED, **ST_WAIVED}),
    having({"cst": any_of("90")}),
    having({"cst": any_of("90"), "rate": RATE}, OWN | REDUCED),
    having({"cst": any_of("90"), "rate": RATE, **ST}, ST_MARGIN),
    having({"cst": any_of("90"), "rate": RATE, **DEFERRED, **FCP, **LATER}, {"effectiveFcpAmount": AMOUNT}),
    having({"cst": any_of("90"), **WAIVED, **ST_WAIVED}, DEDUCTED),
    having({"cst": any_of("02"), **PHASE}, PHASE_QUANTITY),
    having({"cst": any_of("15"), **PHASE, **KEPT}, {"singlePhaseWithholdingQuantity": QUANTITY}),
    having({"cst": any_of("15"), **PHASE, **KEPT, **PHASE_REDUCED}, PHASE_QUANTITY),
    having({"cst": any_of("53")}, PHASE_DEFERRED),
    having({"cst": any_of("10", "90"), **SHARED, **ST}, ST_MARGIN | {"baseReduction": SHARE}),
    having({"cst": any_of("10", "20", "90"), **SHARED, **ST, **ST_FCP, **WAIVED}, DEDUCTED),
    having({"cst": any_of("41", "60"), **PASSED_ON}, SUBSTITUTE | {"retainedRate": RATE}),
    having({"cst": any_of("41", "60"), **PASSED_ON, **RETAINED_FCP, **EFFECTIVE}),
    having({"cst": any_of("61"), **PHASE_RETAINED}, {"singlePhaseRetainedQuantity": QUANTITY}),
)
ICMS_BY_CSOSN = either(
    having({"csosn": any_of("101"), **CREDIT}, {"creditAmount": AMOUNT}),
    having({"csosn": any_of("102", "103", "300", "400", "500", "900")}),
    having({"csosn": any_of("201"), **CREDIT, **ST}, ST_MARGIN),
    having({"csosn": any_of("201"), **CREDIT, **ST, **ST_FCP}),
    having({"csosn": any_of("202", "203"), **ST, **ST_FCP}, ST_MARGIN),
    having({"csosn": any_of("500"), **RETAINED}, SUBSTITUTE),
    having({"csosn": any_of("500"), **RETAINED_FCP}),
    having({"csosn": any_of("500"), **EFFECTIVE}),
    having(
        {"csosn": any_of("900"), "rate": RATE}, {"base": AMOUNT, "amount": AMOUNT, "baseReduction": SHARE}
    ),
    having({"csosn": any_of("900"), **CREDIT, **ST, **ST_FCP}, ST_MARGIN),
)
CONTRIBUTION = either(
    having({"cst": any_of("01", "02", "49", "99"), "rate": RATE}, {"base": AMOUNT, "amount": AMOUNT}),
    having({"cst": any_of("03", "49", "99"), "quantity": QUANTITY, "unitRate": UNIT_RATE}),
    having({"cst": any_of("04", "06", "07", "08", "09", "49", "98")}),
)
SUBSTITUTION = either(
    having({"base": SOME_AMOUNT, "rate": RATE, "amount": AMOUNT}, {"addsToTotal": any_of(*"01")}),
    having({"quantity": QUANTITY, "unitRate": UNIT_RATE, "amount": AMOUNT}),
)
AROUND_THE_IPI: Fields = {
    "frameworkCode": any_of("301"),
    "producerTaxId": any_of(CNPJ),
    "sealCode": any_of("1"),
    "sealQuantity": any_of(0, 5),
}
IPI = either(
    having(
        {"cst": any_of("00", "49", "50", "99"), "rate": RATE},
        AROUND_THE_IPI | {"base": AMOUNT, "amount": AMOUNT},
    ),
    having({"cst": any_of("50"), "quantity": QUANTITY, "unitRate": UNIT_RATE}, AROUND_THE_IPI),
    having({"cst": any_of("01", "02", "03", "04", "05", "51", "52", "53", "54", "55")}, AROUND_THE_IPI),
)
STATE_SHARE = having(
    {},
    {
        "base": AMOUNT,
        "internalRate": RATE,
        "interstateRate": any_of(4, 7, 12),
        "destinationShare": SHARE,
        "destinationAmount": AMOUNT,
        "originAmount": AMOUNT,
        "fcpRate": RATE,
    },
) | having({"fcpBase": AMOUNT, "fcpRate": SOME_AMOUNT, "fcpAmount": AMOUNT})

TAX_SHARE: Fields = {
    "rate": RATE,
    "amount": AMOUNT,
    "deferral": having({"rate": SHARE}, {"amount": AMOUNT}),
    "refund": having({"amount": AMOUNT}, {"rate": SHARE}),
    "reduction": having({"rate": SHARE}, {"effectiveRate": RATE}),
}
FREE_ZONE = having(
    {"kind": any_of("1", "2"), "rate": RATE, "amount": AMOUNT}, {"suframaProcess": any_of("123456789012")}
)
PRESUMED = either(
    having({"rate": RATE, "amount": AMOUNT}), having({"rate": RATE, "conditionalAmount": AMOUNT})
)
BOTH_AMOUNTS = each(AMOUNT, "ibsAmount", "cbsAmount")
ALL_RATES = each(RATE, "stateRate", "cityRate", "cbsRate")
ALL_RATES |= each(AMOUNT, "stateAmount", "cityAmount", "cbsAmount")
BY_RATE: Fields = {
    "base": AMOUNT,
    "state": having({}, TAX_SHARE),
    "city": having({}, TAX_SHARE),
    "ibsAmount": AMOUNT,
    "cbs": having({}, TAX_SHARE | {"freeZone": FREE_ZONE}),
}
IF_REGULAR = having({"cst": any_of("000"), "taxClassCode": any_of("000001")} | ALL_RATES)
WITHHELD_BY_QUANTITY = having({"quantity": QUANTITY, "unitRate": UNIT_RATE, "amount": AMOUNT})
WITHHELD_BY_VALUE = having({"base": AMOUNT, "rate": RATE, "amount": AMOUNT})
OTHER_PHASES: Fields = {
    "retained": having({"amount": AMOUNT}),
    "biofuel": having({"quantity": QUANTITY, "amount": AMOUNT}),
}
BY_QUANTITY = having({"standard": WITHHELD_BY_QUANTITY}, OTHER_PHASES | {"withholding": WITHHELD_BY_QUANTITY})
CBS_BY_VALUE = having({"standard": WITHHELD_BY_VALUE}, OTHER_PHASES | {"withholding": WITHHELD_BY_VALUE})
IBS_BY_VALUE = having(
    {
        "standard": having(
            {"base": AMOUNT, "amount": AMOUNT}
            | each(RATE, "stateRate", "cityRate")
            | each(AMOUNT, "stateAmount", "cityAmount")
        )
    },
    OTHER_PHASES | {"withholding": WITHHELD_BY_VALUE},
)
SINGLE_PHASE = either(
    having(BOTH_AMOUNTS, {"ibsByQuantity": BY_QUANTITY, "cbsByQuantity": BY_QUANTITY}),
    having(BOTH_AMOUNTS, {"ibsByValue": IBS_BY_VALUE, "cbsByValue": CBS_BY_VALUE}),
)
OPERATION_CREDIT = having({"base": AMOUNT, "code": any_of("01", "13")}, {"ibs": PRESUMED, "cbs": PRESUMED})
FREE_ZONE_CREDIT = having({"period": any_of("2026-10"), "kind": any_of(*"01234"), "amount": AMOUNT})
IBS_CBS = either(
    having({}),
    having({"cst": any_of("000")}),
    having(
        {"taxClassCode": any_of("000001", "200003", "200034", "510001", "515001")},
        BY_RATE | {"isDonation": any_of("1"), "operationCredit": OPERATION_CREDIT},
    ),
    having({"taxClassCode": any_of("400001", "410001", "410004")}),
    having({"taxClassCode": any_of("550001", "200022")}, {"regularTaxation": IF_REGULAR}),
    having({"taxClassCode": any_of("000001"), "governmentPurchase": having(ALL_RATES)}),
    having({"taxClassCode": any_of("620001"), "singlePhase": SINGLE_PHASE}),
    having({"taxClassCode": any_of("800001"), "creditTransfer": having(BOTH_AMOUNTS)}),
    having({"taxClassCode": any_of("810001"), "freeZoneCredit": FREE_ZONE_CREDIT}),
    having(
        {
            "taxClassCode": any_of("811001"),
            "periodAdjustment": having({"period": any_of("2026-10")} | BOTH_AMOUNTS),
        }
    ),
    having({"taxClassCode": any_of("410001"), "creditReversal": having(BOTH_AMOUNTS)}),
)
SELECTIVE_TAX = having(
    {"cst": any_of("000"), "taxClassCode": any_of("000001"), "base": AMOUNT, "rate": RATE, "amount": AMOUNT},
    {"unitRate": UNIT_RATE},
) | having(
    {"cst": any_of("000"), "taxClassCode": any_of("000001"), "base": AMOUNT, "rate": RATE, "amount": AMOUNT}
    | {"unit": any_of("KG"), "quantity": above_zero(9, 4)}
)
TAXES: Fields = {
    "approximateTaxes": AMOUNT,
    "ipi": IPI,
    "pis": CONTRIBUTION,
    "cofins": CONTRIBUTION,
    "pisSt": SUBSTITUTION,
    "cofinsSt": SUBSTITUTION,
    "ibsCbs": IBS_CBS,
    "selectiveTax": SELECTIVE_TAX,
    "importTax": having(each(AMOUNT, "base", "customsExpenses", "amount", "iofAmount")),
    "returnedIpi": having({"returnedShare": number(100), "amount": AMOUNT}),
}
