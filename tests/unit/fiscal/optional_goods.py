"""Everything that a caller may tell of special goods, as strategies: each value is one that has a meaning."""

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
    each,
    either,
    few,
    having,
    number,
    one,
)
from unit.fiscal.goods.support import CPF

ADDITION = having(
    {"sequence": one(1, 999), "manufacturerCode": one("F1")},
    {"number": one(1, 999), "discount": AMOUNT, "drawbackNumber": one("20260001")},
)
IMPORTED: Fields = {
    "number": one("26/0001"),
    "registrationDate": DAY,
    "clearancePlace": one("Santos"),
    "clearanceState": one("SP"),
    "clearanceDate": DAY,
    "transportRoute": one("1", "13"),
    "intermediation": one("1", "2"),
    "exporterCode": one("E1"),
    "additions": few(ADDITION, least=1),
}
IMPORT_DECLARATION = either(
    having(IMPORTED, {"afrmmAmount": AMOUNT, "acquirerCnpj": one(CNPJ), "acquirerState": one("SP")}),
    having(IMPORTED, {"acquirerCpf": one(CPF)}),
)
INDIRECT_EXPORT = having({"registration": one("123456789012"), "accessKey": KEY, "quantity": QUANTITY})
BATCH = having(
    {"number": one("L1"), "quantity": number(9, 3), "manufactureDate": DAY, "expiryDate": DAY},
    {"aggregationCode": one("1")},
)
PUMP = having(
    {"nozzle": one("1"), "tank": one("1"), "initialReading": number(9, 3), "finalReading": number(9, 3)},
    {"pump": one("1")},
)
FUEL = having(
    {"anpCode": one("210203001"), "anpDescription": one("GLP"), "consumptionState": one("SP")},
    {
        "lpgShare": SHARE,
        "nationalGasShare": SHARE,
        "importedGasShare": SHARE,
        "startingValue": AMOUNT,
        "codif": one("123456789"),
        "ambientQuantity": QUANTITY,
        "biodieselShare": SHARE,
        "cide": having({"quantity": QUANTITY, "rate": RATE, "amount": AMOUNT}),
        "pumpReading": PUMP,
        "origins": few(having({"imported": one(*"01"), "stateCode": one("35"), "share": SOME_SHARE})),
    },
)
NEW_VEHICLE = having(
    {
        **each(one("2026"), "modelYear", "manufactureYear"),
        **each(one("1"), "operationType", "colorCode", "horsepower", "displacement", "serialNumber"),
        **each(one("1"), "towingCapacity", "wheelbase", "paintType", "species", "condition", "modelCode"),
        **each(one("0", "9"), "restriction"),
        **each(one("01"), "fuelType", "denatranColorCode", "vehicleType"),
        **each(one("1200"), "netWeight", "grossWeight"),
        "chassis": one("9BWZZZ377VT004251"),
        "color": TEXT,
        "engineNumber": TEXT,
        "chassisCondition": one("R", "N"),
        "seats": one(1, 999),
    }
)
MEDICINE = having({"anvisaCode": one("1234567890123", "ISENTO"), "maximumPrice": AMOUNT})
SPECIAL_GOODS = either(
    having({"medicine": MEDICINE}),
    having(
        {"medicine": having({"anvisaCode": one("ISENTO"), "maximumPrice": AMOUNT, "exemptionReason": TEXT})}
    ),
    having({"fuel": FUEL}),
    having({"vehicle": NEW_VEHICLE}),
    having(
        {"firearms": few(one({"kind": "0", "serialNumber": "1", "barrelNumber": "1", "description": "x"}))}
    ),
    having({"recopiNumber": one("1" * 20)}),
)
SCALE = having({"cest": one("2104600")}, {"relevantScale": one("S", "N"), "manufacturerTaxId": one(CNPJ)})
