"""Everything that a caller may add to a valid body, as strategies of meaningful values.

Fields that the layout has only together are one strategy; of fields that exclude each other one is
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
    any_of,
    each,
    either,
    few,
    fixed,
    having,
    number,
)
from unit.fiscal.goods.support import BUYER_CNPJ, CPF, LISBON, SAO_PAULO, item
from unit.fiscal.optional_goods import BATCH, IMPORT_DECLARATION, INDIRECT_EXPORT
from unit.fiscal.optional_taxes import TAXES
from unit.fiscal.point_of_sale import KEY as PRINTED_KEY

# An item outside the total cannot reduce it, so such an item has no discount.
CHARGES = either(
    having({}, each(number(20), "discount", "freight", "insurance", "other")),
    having({"countsInTotal": FLAG}, {"freight": number(20)}),
)
SOLD = having(
    {
        "description": TEXT,
        "ncm": any_of("69120000", "00"),
        "quantity": any_of(1, 2.5),
        "unitValue": any_of(35.9, Decimal("35.0123456789")),
    }
)
ITEM: Fields = TAXES | {
    "sku": TEXT,
    "cfop": any_of("5102", "5101"),
    "unit": any_of("KG", "CX"),
    "gtin": any_of("7891000315507"),
    "origin": any_of(*"012345678"),
    "benefitCode": any_of("SP010001", "SP01000123", "SEM CBENEF"),
    "barcode": any_of("ABC", "x" * 30),
    "taxableBarcode": any_of("ABC"),
    "usedGood": any_of("1"),
    "ibsZfmCreditType": any_of(*"01234"),
    "taxableGtin": any_of("7891000315507"),
    "taxableUnit": any_of("KG"),
    "taxableQuantity": QUANTITY,
    "taxableUnitValue": number(99, 10),
    "notes": TEXT,
    "nveCodes": any_of(["AA0001"]),
    "ipiException": any_of("01", "001"),
    "purchaseOrder": any_of("P1"),
    "purchaseOrderItem": any_of("0", "123456"),
    "importContentId": any_of("B01F70AF-10BF-4B1F-848C-65FF57F616FE"),
    "presumedCredits": few(having({"code": any_of("SP000001"), "rate": RATE, "amount": AMOUNT})),
    "importDeclarations": few(IMPORT_DECLARATION),
    "exportDetails": few(
        having({"drawbackNumber": any_of("20260001")}, {"indirectExport": INDIRECT_EXPORT}), least=1
    ),
    "batches": few(BATCH),
    "observation": having({"name": any_of("cor"), "value": TEXT}),
    "referencedItem": having({"accessKey": KEY}, {"position": any_of(1, 990)}),
}

RECIPIENT: Fields = {
    "tradeName": TEXT,
    "municipalRegistration": any_of("1"),
    "suframaRegistration": any_of("12345678", "123456789"),
    "email": any_of("a@example.com", "a" * 48 + "@example.com"),
    "phone": any_of("11 3333-4444"),
}
MORE_OF_AN_ADDRESS: Fields = {
    "complement": TEXT,
    "countryCode": any_of("1058"),
    "cityCode": any_of("3550308"),
}
ABROAD = having(fixed(LISBON), {"complement": TEXT})
REGISTERED: Fields = {"taxId": any_of(BUYER_CNPJ), "stateRegistration": any_of("110042490114")}
BUYER_FIELDS = either(
    having(REGISTERED | {"name": TEXT, "address": having(fixed(SAO_PAULO), MORE_OF_AN_ADDRESS)}),
    having({"icmsContribution": any_of("none", "exempt")}),
    having(REGISTERED | {"icmsContribution": any_of("contributor", "none")}),
    having({"taxId": any_of(BUYER_CNPJ), "stateRegistration": any_of("ISENTO")}),
)
FOREIGN_BUYER_FIELDS = having({"name": TEXT, "address": ABROAD}, {"foreignId": any_of("PASS12345")})
PLACE = having(
    fixed(SAO_PAULO),
    {
        "taxId": any_of(CPF, BUYER_CNPJ),
        "name": TEXT,
        "stateRegistration": any_of("110042490114", "ISENTO"),
        "email": any_of("a@example.com"),
        "phone": any_of("1133334444"),
    }
    | MORE_OF_AN_ADDRESS,
)
VEHICLE = having({"plate": any_of("ABC1D23", "ABC1234")}, {"state": any_of("SP"), "rntc": any_of("123")})
CARRIAGE = either(
    having({}, {"vehicle": VEHICLE, "trailers": few(VEHICLE)}),
    having({"wagon": any_of("V1")}),
    having({"ferry": any_of("B1")}),
)
RETAINED_ICMS = having(
    each(AMOUNT, "serviceAmount", "base", "amount")
    | {"rate": RATE, "cfop": any_of("5353"), "taxableCityCode": any_of("3550308")}
)
FREIGHT: Fields = {
    "mode": any_of("sender", "recipient", "thirdParty", "ownBySender", "ownByRecipient", "none"),
    "carrier": having(
        {},
        {
            "taxId": any_of(CPF, CNPJ),
            "stateRegistration": any_of("110042490114", "ISENTO"),
            "state": any_of("SP"),
            **each(TEXT, "name", "address", "city"),
        },
    ),
    "retainedIcms": RETAINED_ICMS,
    "volumes": few(
        having(
            {"quantity": any_of(0, 1, 99)},
            each(TEXT, "kind", "brand", "numbering")
            | each(number(9, 3), "netWeight", "grossWeight")
            | {"seals": few(having({"number": TEXT}))},
        )
    ),
}
CARD = having(
    {"integration": any_of("1", "2")},
    {"brand": any_of("01", "99"), "authorization": TEXT, "terminal": TEXT}
    | each(any_of(CNPJ), "institutionTaxId", "beneficiaryTaxId"),
)
PAID: Fields = {"method": any_of("cash", "pix", "creditCard", "boleto", "none", "22"), "amount": AMOUNT}
PAYMENT = either(
    having(
        PAID, {"term": any_of("cash", "installments"), "description": TEXT, "paymentDate": DAY, "card": CARD}
    ),
    having(PAID | {"processorTaxId": any_of(CNPJ), "processorState": any_of("SP")}),
)
SALE_CHARGES = each(number(20), "discount", "insurance", "other")
SALE: Fields = {
    "nature": TEXT,
    "cfop": any_of("5102"),
    "issueDate": MOMENT,
    "externalId": TEXT,
    "presence": any_of("none", "inPerson", "internet", "phone", "delivery", "outside", "other"),
    "ibsTaxableCityCode": any_of("3550308"),
    "paymentMethod": any_of("cash", "pix", "creditCard", "boleto", "22"),
    "payments": few(PAYMENT),
    "change": AMOUNT,
    "intermediary": having({"taxId": any_of(CNPJ), "sellerId": TEXT}),
    "authorizedReaders": few(any_of({"taxId": CNPJ}, {"taxId": "11144477735"})),
    "notes": TEXT,
    "authorityNotes": TEXT,
    "observations": few(having({"name": any_of("a", "b" * 20), "value": TEXT})),
    "processes": few(having({"number": TEXT, "origin": any_of(*"01239")}, {"actType": any_of("08", "15")})),
}
ON_PAPER: Fields = {
    "stateCode": any_of("35"),
    "yearMonth": any_of("2611"),
    "model": any_of("01"),
    "series": any_of(0, 999),
    "number": any_of(1, 999_999_999),
}
OF_A_PRODUCER: Fields = ON_PAPER | {"stateRegistration": any_of("110042490114", "ISENTO")}
REFERENCE = either(
    having({"accessKey": KEY}),
    having({"maskedAccessKey": KEY}),
    having({"cteAccessKey": KEY}),
    having({"paperInvoice": having(ON_PAPER | {"taxId": any_of(CNPJ)})}),
    having({"producerInvoice": having(OF_A_PRODUCER | {"cnpj": any_of(CNPJ)})}),
    having({"producerInvoice": having(OF_A_PRODUCER | {"cpf": any_of(CPF)})}),
    any_of({"printerReceipt": {"model": "2D", "printerNumber": "1", "operationNumber": "1"}}),
)
BILL = having({}, {"number": TEXT, **each(AMOUNT, "originalAmount", "discount", "netAmount")})
SUPPLY = having({"dayOfMonth": any_of(1, 31), "quantity": number(9, 10)})
CANE: Fields = {
    **each(number(9, 10), "monthQuantity", "previousQuantity", "totalQuantity"),
    **each(AMOUNT, "amount", "deductionsAmount", "netAmount"),
}
PERMIT = having(
    {"kind": any_of(*"1234567"), "state": any_of("SP"), "number": any_of("1")}, {"series": any_of("1")}
)
WITHHELD = each(
    AMOUNT,
    *("pisAmount", "cofinsAmount", "csllAmount", "incomeTaxBase", "incomeTaxAmount"),
    *("socialSecurityBase", "socialSecurityAmount"),
)
NFE_ONLY: Fields = {
    "finalConsumer": FLAG,
    "supplyPlaceCode": any_of("000001"),
    "departedAt": MOMENT,
    "expectedDeliveryDate": DAY,
    "references": few(REFERENCE),
    "governmentPurchase": having(
        {"entityType": any_of(*"1234"), "rateReduction": SHARE, "operationType": any_of(*"12")},
        {"previousAccessKeys": few(KEY)},
    ),
    "sugarCane": having(
        {
            "harvest": any_of("2026"),
            "referenceMonth": any_of("11/2026"),
            "supplies": few(SUPPLY, least=1),
            **CANE,
        },
        {"deductions": few(having({"description": TEXT, "amount": AMOUNT}))},
    ),
    "advancePayment": having({"accessKeys": few(KEY, least=1)}),
    "billing": having(
        {},
        {
            "bill": BILL,
            "installments": few(having({"amount": SOME_AMOUNT}, {"number": any_of("001"), "dueDate": DAY})),
        },
    ),
    "pickupAddress": PLACE,
    "deliveryAddress": PLACE,
    "export": having({"state": any_of("SP"), "exitPlace": TEXT}, {"dispatchPlace": TEXT}),
    "purchase": having({}, each(TEXT, "commitmentNote", "order", "contract")),
    "farming": either(
        any_of({}, {"pesticides": [{"prescription": "1", "agronomistTaxId": CPF}]}),
        having({"transitPermit": PERMIT}),
    ),
    "withheldTaxes": having({}, WITHHELD),
}

# Without a sale there are no default taxes: the items have all of theirs.
NOT_SOLD = item(
    icms={"cst": "41"}, pis={"cst": "49"}, cofins={"cst": "49"}, ibsCbs={"taxClassCode": "410001"}
)
OPERATION = either(
    having(
        {"operation": any_of("outbound", "inbound"), "purpose": any_of("normal", "complement", "adjustment")}
    ),
    having(
        {
            "operation": any_of("outbound", "inbound"),
            "purpose": any_of("return"),
            "references": few(REFERENCE),
        }
    ),
    having({"purpose": any_of("debit"), "debitType": any_of("01", "02", "08")}),
    having({"purpose": any_of("credit"), "creditType": any_of("01", "02", "06")}),
    having({"destination": any_of("internal", "interstate", "abroad")}),
).map(lambda changes: changes | {"items": [NOT_SOLD]})

OFFLINE = having(
    {
        "issueMode": any_of("offlineContingency"),
        "accessKey": any_of(str(PRINTED_KEY)),
        "number": any_of(10),
        "series": any_of(1),
        "issuedAt": any_of("2026-11-14T10:00:00-03:00"),
        "contingency": having(
            {
                "startedAt": any_of("2026-11-14T09:00:00-03:00"),
                "reason": TEXT.map(lambda text: text + "." * 15),
            }
        ),
    }
)
NFCE_ONLY: Fields = {
    "transmit": any_of("now", "later"),
    "issueMode": any_of("normal"),
}
