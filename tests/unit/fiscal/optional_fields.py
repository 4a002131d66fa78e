"""Everything that a caller may add to a good body, as strategies: each value is one that has a meaning.

Zero is among the amounts and rates wherever a body may hold it. Fields that the layout knows only together
stand in one strategy; of those that exclude each other one is drawn. `CNPJPag` is left out: the layout has it
only beside `UFPag`, which it has only beside `CNPJPag` (NT 2023.004).
"""

from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from support import CNPJ
from unit.fiscal.goods.support import BUYER_CNPJ, CPF, SAO_PAULO

Strategy = st.SearchStrategy[Any]
Fields = dict[str, Strategy]


def one(*values: Any) -> Strategy:
    return st.sampled_from(values)


def number(most: int, places: int = 2) -> Strategy:
    """Zero as often as anything else."""
    return st.just(Decimal(0)) | st.decimals(min_value=0, max_value=most, places=places)


def having(must: Fields, may: Fields | None = None) -> Strategy:
    return st.fixed_dictionaries(must, optional=may or {})


def some_of(fields: Fields) -> Strategy:
    """A few of many fields, each as likely as the others."""
    names = st.lists(st.sampled_from(sorted(fields)), unique=True, max_size=6)
    return names.flatmap(lambda chosen: having({name: fields[name] for name in chosen}))


def few(values: Strategy, least: int = 0) -> Strategy:
    return st.lists(values, min_size=least, max_size=2)


AMOUNT = number(9)
# The layout can't write these as zero, and an item of a list that is worth nothing says nothing else.
SOME_AMOUNT = st.decimals(min_value="0.01", max_value=9, places=2)
SOME_SHARE = st.decimals(min_value="0.0001", max_value=100, places=4)
RATE = number(30, 4)
SHARE = number(100, 4)
QUANTITY = number(9, 4)
UNIT_RATE = number(1, 4)
KEY = st.just("35261111222333000181550010000000011123456789")
DAY = st.just("2026-11-10")
TEXT = st.text(alphabet="Aé1 &<>'\"", min_size=2, max_size=15).filter(lambda text: len(text.strip()) > 1)

ST: Fields = {"stBaseMode": one("0", "4", "6"), "stBase": AMOUNT, "stRate": RATE, "stAmount": AMOUNT}
ST_MARGIN: Fields = {"stMva": RATE, "stBaseReduction": SHARE}
ST_FCP: Fields = {"stFcpBase": AMOUNT, "stFcpRate": RATE, "stFcpAmount": AMOUNT}
OWN: Fields = {"baseMode": one(*"0123"), "base": AMOUNT, "amount": AMOUNT, "fcpRate": RATE}
RATED: Fields = {"rate": RATE}
WAIVED: Fields = {"exemptedAmount": AMOUNT, "exemptionReason": one("9")}
RETAINED: Fields = {"retainedBase": AMOUNT, "retainedRate": RATE, "retainedAmount": AMOUNT}
PHASE: Fields = {"singlePhaseRate": UNIT_RATE, "singlePhaseAmount": AMOUNT}
KEPT: Fields = {"singlePhaseWithholdingRate": UNIT_RATE, "singlePhaseWithholdingAmount": AMOUNT}
SHARED: Fields = {"baseMode": one("3"), "base": AMOUNT, "rate": RATE, "amount": AMOUNT}
SHARED |= {"operationBaseShare": SHARE, "stState": one("RJ")}
PASSED_ON: Fields = dict.fromkeys(
    ("retainedBase", "retainedAmount", "stDestinationBase", "stDestinationAmount"), AMOUNT
)
LATER: Fields = {"fcpRate": RATE, "fcpDeferralRate": SHARE, "fcpDeferralAmount": AMOUNT}

ICMS_BY_CST = st.one_of(
    having({"cst": one("00")}, OWN | RATED),
    having({"cst": one("20"), "baseReduction": SHARE}, OWN | RATED),
    having({"cst": one("20"), "baseReduction": SHARE, **WAIVED}, {"exemptionIsDeducted": one(*"01")}),
    having({"cst": one("10"), **ST}, OWN | RATED | ST_MARGIN),
    having({"cst": one("10"), **ST, **ST_FCP}),
    having({"cst": one("30"), **ST}, ST_MARGIN),
    having({"cst": one("40", "41", "50")}),
    having({"cst": one("40", "41", "50"), **WAIVED}, {"exemptionIsDeducted": one(*"01")}),
    having({"cst": one("51")}),
    having({"cst": one("51"), "rate": RATE}, {"deferralRate": SHARE, "baseReduction": SHARE}),
    having({"cst": one("51"), "rate": RATE, **LATER, "effectiveFcpAmount": AMOUNT}),
    having({"cst": one("60")}),
    having({"cst": one("60"), **RETAINED}, {"substituteAmount": AMOUNT}),
    having({"cst": one("70"), "baseReduction": SHARE, **ST}, OWN | RATED | ST_MARGIN),
    having({"cst": one("90")}),
    having({"cst": one("90"), "rate": RATE}, OWN | {"baseReduction": SHARE}),
    having({"cst": one("90"), "rate": RATE, **ST}, ST_MARGIN),
    having({"cst": one("02"), **PHASE}, {"singlePhaseQuantity": QUANTITY}),
    having({"cst": one("15"), **PHASE, **KEPT}, {"singlePhaseWithholdingQuantity": QUANTITY}),
    having({"cst": one("53")}, {"singlePhaseQuantity": QUANTITY, "deferralRate": SHARE}),
    having({"cst": one("10", "90"), **SHARED, **ST}, ST_MARGIN),
    having({"cst": one("41", "60"), **PASSED_ON}),
    having({"cst": one("61"), "singlePhaseRetainedRate": UNIT_RATE, "singlePhaseRetainedAmount": AMOUNT}),
)
ICMS_BY_CSOSN = st.one_of(
    having({"csosn": one("101"), "creditRate": RATE}, {"creditAmount": AMOUNT}),
    having({"csosn": one("102", "103", "300", "400", "500", "900")}),
    having({"csosn": one("201"), "creditRate": RATE, **ST}, ST_MARGIN),
    having({"csosn": one("202", "203"), **ST, **ST_FCP}, ST_MARGIN),
    having({"csosn": one("500"), **RETAINED}, {"substituteAmount": AMOUNT}),
    having({"csosn": one("900"), "rate": RATE}, {"base": AMOUNT, "amount": AMOUNT, "baseReduction": SHARE}),
)
CONTRIBUTION = st.one_of(
    having({"cst": one("01", "02", "49", "99"), "rate": RATE}, {"base": AMOUNT, "amount": AMOUNT}),
    having({"cst": one("03", "49", "99"), "quantity": QUANTITY, "unitRate": UNIT_RATE}),
    having({"cst": one("04", "06", "07", "08", "09", "49", "98")}),
)
SUBSTITUTION = st.one_of(
    having({"base": SOME_AMOUNT, "rate": RATE, "amount": AMOUNT}, {"addsToTotal": one(*"01")}),
    having({"quantity": QUANTITY, "unitRate": UNIT_RATE, "amount": AMOUNT}),
)
AROUND_THE_IPI: Fields = {
    "frameworkCode": one("301"),
    "producerTaxId": one(CNPJ),
    "sealCode": one("1"),
    "sealQuantity": one(0, 5),
}
IPI = st.one_of(
    having({"cst": one("00", "49", "50", "99"), "rate": RATE}, AROUND_THE_IPI | {"base": AMOUNT}),
    having({"cst": one("50"), "quantity": QUANTITY, "unitRate": UNIT_RATE}, AROUND_THE_IPI),
    having({"cst": one("01", "02", "03", "04", "05", "51", "52", "53", "54", "55")}, AROUND_THE_IPI),
)
TAX_SHARE = having(
    {},
    {
        "rate": RATE,
        "amount": AMOUNT,
        "deferral": having({"rate": SHARE}, {"amount": AMOUNT}),
        "refund": having({"amount": AMOUNT}, {"rate": SHARE}),
        "reduction": having({"rate": SHARE}, {"effectiveRate": RATE}),
    },
)
PRESUMED = st.one_of(
    having({"rate": RATE, "amount": AMOUNT}), having({"rate": RATE, "conditionalAmount": AMOUNT})
)
BOTH_AMOUNTS: Fields = {"ibsAmount": AMOUNT, "cbsAmount": AMOUNT}
IBS_CBS = st.one_of(
    having(
        {"taxClassCode": one("000001", "200003", "200034", "510001", "515001")},
        {
            "base": AMOUNT,
            "state": TAX_SHARE,
            "city": TAX_SHARE,
            "ibsAmount": AMOUNT,
            "cbs": TAX_SHARE,
            "operationCredit": having(
                {"base": AMOUNT, "code": one("01", "13")}, {"ibs": PRESUMED, "cbs": PRESUMED}
            ),
        },
    ),
    having({"taxClassCode": one("400001", "410001", "410004")}),
    having({"taxClassCode": one("800001"), "creditTransfer": having(BOTH_AMOUNTS)}),
    having(
        {"taxClassCode": one("811001"), "periodAdjustment": having({"period": one("2026-10")} | BOTH_AMOUNTS)}
    ),
    having({"taxClassCode": one("410001"), "creditReversal": having(BOTH_AMOUNTS)}),
)
STATE_SHARE = having(
    {}, {"base": AMOUNT, "fcpRate": RATE, "internalRate": RATE, "interstateRate": one(4, 7, 12)}
)

IMPORT_DECLARATION = having(
    {
        "number": one("26/0001"),
        "registrationDate": DAY,
        "clearancePlace": one("Santos"),
        "clearanceState": one("SP"),
        "clearanceDate": DAY,
        "transportRoute": one("1", "13"),
        "intermediation": one("1", "2"),
        "exporterCode": one("E1"),
        "additions": few(
            having(
                {"sequence": one(1, 999), "manufacturerCode": one("F1")},
                {"number": one(1, 999), "discount": AMOUNT, "drawbackNumber": one("20260001")},
            ),
            least=1,
        ),
    },
    {"afrmmAmount": AMOUNT, "acquirerCnpj": one(CNPJ), "acquirerState": one("SP")},
)
FUEL = having(
    {"anpCode": one("210203001"), "anpDescription": one("GLP"), "consumptionState": one("SP")},
    {
        "lpgShare": SHARE,
        "startingValue": AMOUNT,
        "biodieselShare": SHARE,
        "cide": having({"quantity": QUANTITY, "rate": RATE, "amount": AMOUNT}),
        "origins": few(having({"imported": one(*"01"), "stateCode": one("35"), "share": SOME_SHARE})),
    },
)
SPECIAL_GOODS = st.one_of(
    having({"medicine": having({"anvisaCode": one("1234567890123"), "maximumPrice": AMOUNT})}),
    having({"fuel": FUEL}),
    having(
        {"firearms": few(one({"kind": "0", "serialNumber": "1", "barrelNumber": "1", "description": "x"}))}
    ),
    having({"recopiNumber": one("1" * 20)}),
)
SCALE = having({"cest": one("2104600")}, {"relevantScale": one("S", "N"), "manufacturerTaxId": one(CNPJ)})
# What is not in the total can't take anything off it, so such an item has no discount.
CHARGES = st.one_of(
    having({}, dict.fromkeys(("discount", "freight", "insurance", "other"), number(20))),
    having({"countsInTotal": st.booleans()}, {"freight": number(20)}),
)
ITEM: Fields = {
    "sku": TEXT,
    "unit": one("KG", "CX"),
    "gtin": one("7891000315507"),
    "origin": one(*"012345678"),
    "benefitCode": one("SP010001", "SP01000123", "SEM CBENEF"),
    "barcode": one("ABC", "x" * 30),
    "taxableBarcode": one("ABC"),
    "usedGood": one("1"),
    "ibsZfmCreditType": one(*"01234"),
    "taxableGtin": one("7891000315507"),
    "taxableUnit": one("KG"),
    "taxableQuantity": QUANTITY,
    "taxableUnitValue": number(99, 10),
    "approximateTaxes": AMOUNT,
    "notes": TEXT,
    "nveCodes": st.just(["AA0001"]),
    "ipiException": one("01", "001"),
    "purchaseOrder": one("P1"),
    "purchaseOrderItem": one("0", "123456"),
    "importContentId": one("B01F70AF-10BF-4B1F-848C-65FF57F616FE"),
    "presumedCredits": few(having({"code": one("SP000001"), "rate": RATE, "amount": AMOUNT})),
    "importDeclarations": few(IMPORT_DECLARATION),
    "exportDetails": few(having({"drawbackNumber": one("20260001")})),
    "batches": few(
        having(
            {"number": one("L1"), "quantity": number(9, 3), "manufactureDate": DAY, "expiryDate": DAY},
            {"aggregationCode": one("1")},
        )
    ),
    "observation": having({"name": one("cor"), "value": TEXT}),
    "referencedItem": having({"accessKey": KEY}, {"position": one(1, 990)}),
    "ipi": IPI,
    "pis": CONTRIBUTION,
    "cofins": CONTRIBUTION,
    "pisSt": SUBSTITUTION,
    "cofinsSt": SUBSTITUTION,
    "ibsCbs": IBS_CBS,
    "selectiveTax": having(
        {"cst": one("000"), "taxClassCode": one("000001"), "base": AMOUNT, "rate": RATE, "amount": AMOUNT}
    ),
    "importTax": having(dict.fromkeys(("base", "customsExpenses", "amount", "iofAmount"), AMOUNT)),
    "returnedIpi": having({"returnedShare": number(100), "amount": AMOUNT}),
}

RECIPIENT: Fields = {
    "tradeName": TEXT,
    "municipalRegistration": one("1"),
    "suframaRegistration": one("12345678", "123456789"),
    "email": one("a@example.com", "a" * 48 + "@example.com"),
    "phone": one("11 3333-4444"),
}
PLACE = having(
    {name: st.just(value) for name, value in SAO_PAULO.items()},
    {
        "taxId": one(CPF, BUYER_CNPJ),
        "name": TEXT,
        "stateRegistration": one("110042490114", "ISENTO"),
        "email": one("a@example.com"),
        "phone": one("1133334444"),
        "complement": TEXT,
        "countryCode": one("1058"),
    },
)
VEHICLE = having({"plate": one("ABC1D23", "ABC1234")}, {"state": one("SP"), "rntc": one("123")})
CARRIAGE = st.one_of(
    having({}, {"vehicle": VEHICLE, "trailers": few(VEHICLE)}),
    having({"wagon": one("V1")}),
    having({"ferry": one("B1")}),
)
FREIGHT: Fields = {
    "mode": one("sender", "recipient", "thirdParty", "ownBySender", "ownByRecipient", "none"),
    "carrier": having(
        {},
        {
            "taxId": one(CPF, CNPJ),
            "name": TEXT,
            "stateRegistration": one("110042490114", "ISENTO"),
            "address": TEXT,
            "city": TEXT,
            "state": one("SP"),
        },
    ),
    "retainedIcms": having(
        {
            "serviceAmount": AMOUNT,
            "base": AMOUNT,
            "rate": RATE,
            "amount": AMOUNT,
            "cfop": one("5353"),
            "taxableCityCode": one("3550308"),
        }
    ),
    "volumes": few(
        having(
            {"quantity": one(0, 1, 99)},
            {"kind": TEXT, "brand": TEXT, "netWeight": number(9, 3), "seals": few(having({"number": TEXT}))},
        )
    ),
}
PAYMENT = having(
    {"method": one("cash", "pix", "creditCard", "boleto", "none", "22"), "amount": AMOUNT},
    {
        "term": one("cash", "installments"),
        "description": TEXT,
        "paymentDate": DAY,
        "card": having(
            {"integration": one("1", "2")},
            {
                "institutionTaxId": one(CNPJ),
                "brand": one("01", "99"),
                "authorization": TEXT,
                "terminal": TEXT,
            },
        ),
    },
)
SALE_CHARGES: Fields = dict.fromkeys(("discount", "insurance", "other"), number(20))
SALE: Fields = {
    "nature": TEXT,
    "presence": one("none", "inPerson", "internet", "phone", "delivery", "outside", "other"),
    "payments": few(PAYMENT),
    "change": AMOUNT,
    "intermediary": having({"taxId": one(CNPJ), "sellerId": TEXT}),
    "authorizedReaders": few(one({"taxId": CNPJ}, {"taxId": CPF})),
    "notes": TEXT,
    "authorityNotes": TEXT,
    "observations": few(having({"name": one("a", "b" * 20), "value": TEXT})),
    "processes": few(having({"number": TEXT, "origin": one(*"01239")}, {"actType": one("08", "15")})),
}
WITHHELD = ("pisAmount", "cofinsAmount", "csllAmount", "incomeTaxBase", "incomeTaxAmount")
SUPPLY = having({"dayOfMonth": one(1, 31), "quantity": number(9, 10)})
CANE: Fields = {
    **dict.fromkeys(("monthQuantity", "previousQuantity", "totalQuantity"), number(9, 10)),
    **dict.fromkeys(("amount", "deductionsAmount", "netAmount"), AMOUNT),
}
NFE_ONLY: Fields = {
    "finalConsumer": st.booleans(),
    "supplyPlaceCode": one("000001"),
    "ibsTaxableCityCode": one("3550308"),
    "departedAt": one("2026-11-14T11:00:00-03:00"),
    "expectedDeliveryDate": DAY,
    "references": few(
        st.one_of(
            having({"accessKey": KEY}),
            having({"cteAccessKey": KEY}),
            st.just({"printerReceipt": {"model": "2D", "printerNumber": "1", "operationNumber": "1"}}),
        )
    ),
    "governmentPurchase": having(
        {"entityType": one(*"1234"), "rateReduction": SHARE, "operationType": one(*"12")}
    ),
    "sugarCane": having(
        {"harvest": one("2026"), "referenceMonth": one("11/2026"), "supplies": few(SUPPLY, least=1), **CANE},
        {"deductions": few(having({"description": TEXT, "amount": AMOUNT}))},
    ),
    "advancePayment": having({"accessKeys": few(KEY, least=1)}),
    "billing": having(
        {},
        {
            "bill": having(
                {}, {"number": TEXT, "originalAmount": AMOUNT, "discount": AMOUNT, "netAmount": AMOUNT}
            ),
            "installments": few(having({"amount": SOME_AMOUNT}, {"number": one("001"), "dueDate": DAY})),
        },
    ),
    "pickupAddress": PLACE,
    "deliveryAddress": PLACE,
    "export": having({"state": one("SP"), "exitPlace": TEXT}, {"dispatchPlace": TEXT}),
    "purchase": having({}, {"commitmentNote": TEXT, "order": TEXT, "contract": TEXT}),
    "farming": one({}, {"pesticides": [{"prescription": "1", "agronomistTaxId": CPF}]}),
    "withheldTaxes": having({}, dict.fromkeys(WITHHELD, AMOUNT)),
}
