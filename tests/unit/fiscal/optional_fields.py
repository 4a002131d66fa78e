"""Everything that a caller may add to a good body, as strategies: each value is one that has a meaning.

Fields that the layout knows only together stand in one strategy; of those that exclude each other one is
drawn. Special goods and the taxes of an item have files of their own.
"""

from decimal import Decimal

from support import CNPJ
from unit.fiscal.drawing import (
    AMOUNT,
    DAY,
    FLAG,
    KEY,
    MOMENT,
    QUANTITY,
    RATE,
    SHARE,
    SOME_AMOUNT,
    TEXT,
    Fields,
    each,
    either,
    few,
    having,
    number,
    one,
    the,
)
from unit.fiscal.goods.support import BUYER_CNPJ, CPF, LISBON, SAO_PAULO, item
from unit.fiscal.optional_goods import BATCH, IMPORT_DECLARATION, INDIRECT_EXPORT
from unit.fiscal.optional_taxes import TAXES
from unit.fiscal.point_of_sale import KEY as PRINTED_KEY

# What is not in the total can't take anything off it, so such an item has no discount.
CHARGES = either(
    having({}, each(number(20), "discount", "freight", "insurance", "other")),
    having({"countsInTotal": FLAG}, {"freight": number(20)}),
)
SOLD = having(
    {
        "description": TEXT,
        "ncm": one("69120000", "00"),
        "quantity": one(1, 2.5),
        "unitValue": one(35.9, Decimal("35.0123456789")),
    }
)
ITEM: Fields = TAXES | {
    "sku": TEXT,
    "cfop": one("5102", "5101"),
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
    "notes": TEXT,
    "nveCodes": one(["AA0001"]),
    "ipiException": one("01", "001"),
    "purchaseOrder": one("P1"),
    "purchaseOrderItem": one("0", "123456"),
    "importContentId": one("B01F70AF-10BF-4B1F-848C-65FF57F616FE"),
    "presumedCredits": few(having({"code": one("SP000001"), "rate": RATE, "amount": AMOUNT})),
    "importDeclarations": few(IMPORT_DECLARATION),
    "exportDetails": few(
        having({"drawbackNumber": one("20260001")}, {"indirectExport": INDIRECT_EXPORT}), least=1
    ),
    "batches": few(BATCH),
    "observation": having({"name": one("cor"), "value": TEXT}),
    "referencedItem": having({"accessKey": KEY}, {"position": one(1, 990)}),
}

RECIPIENT: Fields = {
    "tradeName": TEXT,
    "municipalRegistration": one("1"),
    "suframaRegistration": one("12345678", "123456789"),
    "email": one("a@example.com", "a" * 48 + "@example.com"),
    "phone": one("11 3333-4444"),
}
MORE_OF_AN_ADDRESS: Fields = {"complement": TEXT, "countryCode": one("1058"), "cityCode": one("3550308")}
ABROAD = having(the(LISBON), {"complement": TEXT})
REGISTERED: Fields = {"taxId": one(BUYER_CNPJ), "stateRegistration": one("110042490114")}
WHO_BUYS = either(
    having(REGISTERED | {"name": TEXT, "address": having(the(SAO_PAULO), MORE_OF_AN_ADDRESS)}),
    having({"icmsContribution": one("none", "exempt")}),
    having(REGISTERED | {"icmsContribution": one("contributor", "none")}),
    having({"taxId": one(BUYER_CNPJ), "stateRegistration": one("ISENTO")}),
)
WHO_BUYS_ABROAD = having({"name": TEXT, "address": ABROAD}, {"foreignId": one("PASS12345")})
PLACE = having(
    the(SAO_PAULO),
    {
        "taxId": one(CPF, BUYER_CNPJ),
        "name": TEXT,
        "stateRegistration": one("110042490114", "ISENTO"),
        "email": one("a@example.com"),
        "phone": one("1133334444"),
    }
    | MORE_OF_AN_ADDRESS,
)
VEHICLE = having({"plate": one("ABC1D23", "ABC1234")}, {"state": one("SP"), "rntc": one("123")})
CARRIAGE = either(
    having({}, {"vehicle": VEHICLE, "trailers": few(VEHICLE)}),
    having({"wagon": one("V1")}),
    having({"ferry": one("B1")}),
)
RETAINED_ICMS = having(
    each(AMOUNT, "serviceAmount", "base", "amount")
    | {"rate": RATE, "cfop": one("5353"), "taxableCityCode": one("3550308")}
)
FREIGHT: Fields = {
    "mode": one("sender", "recipient", "thirdParty", "ownBySender", "ownByRecipient", "none"),
    "carrier": having(
        {},
        {
            "taxId": one(CPF, CNPJ),
            "stateRegistration": one("110042490114", "ISENTO"),
            "state": one("SP"),
            **each(TEXT, "name", "address", "city"),
        },
    ),
    "retainedIcms": RETAINED_ICMS,
    "volumes": few(
        having(
            {"quantity": one(0, 1, 99)},
            each(TEXT, "kind", "brand", "numbering")
            | each(number(9, 3), "netWeight", "grossWeight")
            | {"seals": few(having({"number": TEXT}))},
        )
    ),
}
CARD = having(
    {"integration": one("1", "2")},
    {"brand": one("01", "99"), "authorization": TEXT, "terminal": TEXT}
    | each(one(CNPJ), "institutionTaxId", "beneficiaryTaxId"),
)
PAID: Fields = {"method": one("cash", "pix", "creditCard", "boleto", "none", "22"), "amount": AMOUNT}
PAYMENT = either(
    having(
        PAID, {"term": one("cash", "installments"), "description": TEXT, "paymentDate": DAY, "card": CARD}
    ),
    having(PAID | {"processorTaxId": one(CNPJ), "processorState": one("SP")}),
)
SALE_CHARGES = each(number(20), "discount", "insurance", "other")
SALE: Fields = {
    "nature": TEXT,
    "cfop": one("5102"),
    "issueDate": MOMENT,
    "externalId": TEXT,
    "presence": one("none", "inPerson", "internet", "phone", "delivery", "outside", "other"),
    "ibsTaxableCityCode": one("3550308"),
    "paymentMethod": one("cash", "pix", "creditCard", "boleto", "22"),
    "payments": few(PAYMENT),
    "change": AMOUNT,
    "intermediary": having({"taxId": one(CNPJ), "sellerId": TEXT}),
    "authorizedReaders": few(one({"taxId": CNPJ}, {"taxId": "11144477735"})),
    "notes": TEXT,
    "authorityNotes": TEXT,
    "observations": few(having({"name": one("a", "b" * 20), "value": TEXT})),
    "processes": few(having({"number": TEXT, "origin": one(*"01239")}, {"actType": one("08", "15")})),
}
ON_PAPER: Fields = {
    "stateCode": one("35"),
    "yearMonth": one("2611"),
    "model": one("01"),
    "series": one(0, 999),
    "number": one(1, 999_999_999),
}
OF_A_PRODUCER: Fields = ON_PAPER | {"stateRegistration": one("110042490114", "ISENTO")}
REFERENCE = either(
    having({"accessKey": KEY}),
    having({"maskedAccessKey": KEY}),
    having({"cteAccessKey": KEY}),
    having({"paperInvoice": having(ON_PAPER | {"taxId": one(CNPJ)})}),
    having({"producerInvoice": having(OF_A_PRODUCER | {"cnpj": one(CNPJ)})}),
    having({"producerInvoice": having(OF_A_PRODUCER | {"cpf": one(CPF)})}),
    one({"printerReceipt": {"model": "2D", "printerNumber": "1", "operationNumber": "1"}}),
)
BILL = having({}, {"number": TEXT, **each(AMOUNT, "originalAmount", "discount", "netAmount")})
SUPPLY = having({"dayOfMonth": one(1, 31), "quantity": number(9, 10)})
CANE: Fields = {
    **each(number(9, 10), "monthQuantity", "previousQuantity", "totalQuantity"),
    **each(AMOUNT, "amount", "deductionsAmount", "netAmount"),
}
PERMIT = having({"kind": one(*"1234567"), "state": one("SP"), "number": one("1")}, {"series": one("1")})
WITHHELD = each(
    AMOUNT,
    *("pisAmount", "cofinsAmount", "csllAmount", "incomeTaxBase", "incomeTaxAmount"),
    *("socialSecurityBase", "socialSecurityAmount"),
)
NFE_ONLY: Fields = {
    "finalConsumer": FLAG,
    "supplyPlaceCode": one("000001"),
    "departedAt": MOMENT,
    "expectedDeliveryDate": DAY,
    "references": few(REFERENCE),
    "governmentPurchase": having(
        {"entityType": one(*"1234"), "rateReduction": SHARE, "operationType": one(*"12")},
        {"previousAccessKeys": few(KEY)},
    ),
    "sugarCane": having(
        {"harvest": one("2026"), "referenceMonth": one("11/2026"), "supplies": few(SUPPLY, least=1), **CANE},
        {"deductions": few(having({"description": TEXT, "amount": AMOUNT}))},
    ),
    "advancePayment": having({"accessKeys": few(KEY, least=1)}),
    "billing": having(
        {},
        {
            "bill": BILL,
            "installments": few(having({"amount": SOME_AMOUNT}, {"number": one("001"), "dueDate": DAY})),
        },
    ),
    "pickupAddress": PLACE,
    "deliveryAddress": PLACE,
    "export": having({"state": one("SP"), "exitPlace": TEXT}, {"dispatchPlace": TEXT}),
    "purchase": having({}, each(TEXT, "commitmentNote", "order", "contract")),
    "farming": either(
        one({}, {"pesticides": [{"prescription": "1", "agronomistTaxId": CPF}]}),
        having({"transitPermit": PERMIT}),
    ),
    "withheldTaxes": having({}, WITHHELD),
}

# Of what is no sale nothing is taken for granted: its items tell all their taxes.
NOT_SOLD = item(
    icms={"cst": "41"}, pis={"cst": "49"}, cofins={"cst": "49"}, ibsCbs={"taxClassCode": "410001"}
)
OPERATION = either(
    having({"operation": one("outbound", "inbound"), "purpose": one("normal", "complement", "adjustment")}),
    having({"operation": one("outbound", "inbound"), "purpose": one("return"), "references": few(REFERENCE)}),
    having({"purpose": one("debit"), "debitType": one("01", "02", "08")}),
    having({"purpose": one("credit"), "creditType": one("01", "02", "06")}),
    having({"destination": one("internal", "interstate", "abroad")}),
).map(lambda told: told | {"items": [NOT_SOLD]})

OFFLINE = having(
    {
        "issueMode": one("offlineContingency"),
        "accessKey": one(str(PRINTED_KEY)),
        "number": one(10),
        "series": one(1),
        "issuedAt": one("2026-11-14T10:00:00-03:00"),
        "contingency": having(
            {"startedAt": one("2026-11-14T09:00:00-03:00"), "reason": TEXT.map(lambda text: text + "." * 15)}
        ),
    }
)
NFCE_ONLY: Fields = {
    "transmit": one("now", "later"),
    "issueMode": one("normal"),
}
