"""All fields of special goods, as strategies of meaningful values."""

from support import CNPJ
from unit.fiscal.drawing import (
    AMOUNT,
    DAY,
    KEY,
    QUANTITY,
    RATE,
    SHARE,
    SOME_SHARE,
    TEXT,
    Fields,
    any_of,
    each,
    either,
    few,
    having,
    number,
)
from unit.fiscal.goods.support import CPF

ADDITION = having(
    {"sequence": any_of(1, 999), "manufacturerCode": any_of("F1")},
    {"number": any_of(1, 999), "discount": AMOUNT, "drawbackNumber": any_of("20260001")},
)
IMPORTED: Fields = {
    "number": any_of("26/0001"),
    "registrationDate": DAY,
    "clearancePlace": any_of("Santos"),
    "clearanceState": any_of("SP"),
    "clearanceDate": DAY,
    "transportRoute": any_of("1", "13"),
    "intermediation": any_of("1", "2"),
    "exporterCode": any_of("E1"),
    "additions": few(ADDITION, least=1),
}
IMPORT_DECLARATION = either(
    having(IMPORTED, {"afrmmAmount": AMOUNT, "acquirerCnpj": any_of(CNPJ), "acquirerState": any_of("SP")}),
    having(IMPORTED, {"acquirerCpf": any_of(CPF)}),
)
INDIRECT_EXPORT = having({"registration": any_of("123456789012"), "accessKey": KEY, "quantity": QUANTITY})
BATCH = having(
    {"number": any_of("L1"), "quantity": number(9, 3), "manufactureDate": DAY, "expiryDate": DAY},
    {"aggregationCode": any_of("1")},
)
PUMP = having(
    {
        "nozzle": any_of("1"),
        "tank": any_of("1"),
        "initialReading": number(9, 3),
        "finalReading": number(9, 3),
    },
    {"pump": any_of("1")},
)
FUEL = having(
    {"anpCode": any_of("210203001"), "anpDescription": any_of("GLP"), "consumptionState": any_of("SP")},
    {
        "lpgShare": SHARE,
        "nationalGasShare": SHARE,
        "importedGasShare": SHARE,
        "startingValue": AMOUNT,
        "codif": any_of("123456789"),
        "ambientQuantity": QUANTITY,
        "biodieselShare": SHARE,
        "cide": having({"quantity": QUANTITY, "rate": RATE, "amount": AMOUNT}),
        "pumpReading": PUMP,
        "origins": few(having({"imported": any_of(*"01"), "stateCode": any_of("35"), "share": SOME_SHARE})),
    },
)
NEW_VEHICLE = having(
    {
        **each(any_of("2026"), "modelYear", "manufactureYear"),
        **each(any_of("1"), "operationType", "colorCode", "horsepower", "displacement", "serialNumber"),
        **each(any_of("1"), "towingCapacity", "wheelbase", "paintType", "species", "condition", "modelCode"),
        **each(any_of("0", "9"), "restriction"),
        **each(any_of("01"), "fuelType", "denatranColorCode", "vehicleType"),
        **each(any_of("1200"), "netWeight", "grossWeight"),
        "chassis": any_of("9BWZZZ377VT004251"),
        "color": TEXT,
        "engineNumber": TEXT,
        "chassisCondition": any_of("R", "N"),
        "seats": any_of(1, 999),
    }
)
MEDICINE = having({"anvisaCode": any_of("1234567890123", "ISENTO"), "maximumPrice": AMOUNT})
SPECIAL_GOODS = either(
    having({"medicine": MEDICINE}),
    having(
        {
            "medicine": having(
                {"anvisaCode": any_of("ISENTO"), "maximumPrice": AMOUNT, "exemptionReason": TEXT}
            )
        }
    ),
    having({"fuel": FUEL}),
    having({"vehicle": NEW_VEHICLE}),
    having(
        {"firearms": few(any_of({"kind": "0", "serialNumber": "1", "barrelNumber": "1", "description": "x"}))}
    ),
    having({"recopiNumber": any_of("1" * 20)}),
)
SCALE = having(
    {"cest": any_of("2104600")}, {"relevantScale": any_of("S", "N"), "manufacturerTaxId": any_of(CNPJ)}
)
