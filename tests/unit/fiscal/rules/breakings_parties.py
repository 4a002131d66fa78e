"""Changes that break the rules of identity and parties."""

from datetime import timedelta
from typing import Any

from carimbo.fiscal.emission import Contingency, Emission, EmissionType
from carimbo.fiscal.identity.access_key import AccessKey, document_id
from carimbo.fiscal.layouts.nfe_v4.goods import Fuel
from support import CNPJ
from unit.fiscal.goods.support import BUYER_CNPJ, CPF, ISSUED_AT, PRODUCTION, SAO_PAULO, emission
from unit.fiscal.keys import with_parts
from unit.fiscal.rules.breaking import GONE, Breaking, judge

WRONG_CNPJ = "11222333000180"
WRONG_CPF = "52998224724"
NO_CITY = "3550309"
RIO_CITY = "3304557"
CURITIBA = SAO_PAULO | {"zipcode": "80010-000", "city": "Curitiba", "state": "PR"}
IN_PARANA = {"address": CURITIBA, "stateRegistrations": [{"state": "PR", "number": "1234567850"}]}
FOREIGN_CONSUMER = {"recipient.taxId": GONE, "recipient.foreignId": "PASS12345"}
FUEL = Fuel(anp_code="820101012", anp_description="OLEO DIESEL", consumption_state="EX")

KEY = AccessKey("35", "2611", CNPJ, "55", 1, 3, "1", "12345682")
OTHER_DIGIT = str((int(str(KEY)[-1]) + 1) % 10)
_PLACE_OF_A_PERSON = SAO_PAULO | {"taxId": CPF}
_PLACE_OF_A_COMPANY = SAO_PAULO | {"taxId": BUYER_CNPJ}


def key_fields(key: AccessKey) -> dict[str, Any]:
    """Returns the fields of a document that repeat its access key."""
    return {"id": document_id(key), "identification.check_digit": str(key)[-1]}


def carried_by(tax_id: str, mode: str = "sender") -> dict[str, Any]:
    """Returns the changes of a body with a carrier and a freight mode."""
    return {"freight": {"mode": mode, "carrier": {"taxId": tax_id, "name": "Transportes Modelo"}}}


def refusals(good: str = "simples sale", **changes: Any) -> list[str]:
    """Returns the codes of the rules that refuse a valid request after changes."""
    return [problem.code for problem in judge(Breaking("", "", good, **changes)).problems]


def offline_since(after_issue: timedelta) -> Emission:
    """Returns an emission whose contingency begins this long after the issue; before it if negative."""
    began = Contingency(ISSUED_AT + after_issue, "Sem conexão com a internet")
    return emission(type=EmissionType.OFFLINE, contingency=began)


_IDENTITY = (
    Breaking(
        "226",
        "company.address.state",
        document=key_fields(with_parts(KEY, state_code="33")) | {"identification.state_code": "33"},
    ),
    Breaking("228", "issueDate", now=ISSUED_AT + timedelta(days=31)),
    Breaking(
        "253",
        "accessKey",
        document={"id": document_id(KEY)[:-1] + OTHER_DIGIT, "identification.check_digit": OTHER_DIGIT},
    ),
    Breaking("270", "company.address.cityCode", document={"identification.taxable_city_code": NO_CITY}),
    Breaking("271", "company.address.cityCode", document={"identification.taxable_city_code": RIO_CITY}),
    Breaking("502", "accessKey", document={"id": document_id(with_parts(KEY, number=4))[:-1] + str(KEY)[-1]}),
    Breaking("504", "departedAt", body={"departedAt": "2026-12-14T10:00:01-03:00"}),
    Breaking("506", "departedAt", body={"departedAt": "2026-11-14T09:59:59-03:00"}),
    Breaking("558", "contingency.startedAt", "receipt", under=offline_since(timedelta(minutes=6))),
    Breaking(
        "569",
        "contingency.startedAt",
        "receipt",
        document={"identification.contingency_started_at": ISSUED_AT - timedelta(days=31)},
        under=offline_since(timedelta(0)),
    ),
    Breaking("703", "issueDate", now=ISSUED_AT - timedelta(minutes=6)),
    Breaking("704", "issueDate", "receipt", now=ISSUED_AT + timedelta(minutes=6)),
    Breaking(
        "897",
        "numericCode",
        document=key_fields(with_parts(KEY, numeric_code="00000003"))
        | {"identification.numeric_code": "00000003"},
    ),
    Breaking("972", "technicalResponsible", "receipt", company=IN_PARANA),
)

_TAX_IDS = (
    Breaking(
        "207",
        "company.taxId",
        document=key_fields(with_parts(KEY, tax_id=WRONG_CNPJ)) | {"issuer.cnpj": WRONG_CNPJ},
    ),
    Breaking(
        "208", "recipient.taxId", "simples sale to a contributor", document={"recipient.cnpj": WRONG_CNPJ}
    ),
    Breaking("237", "recipient.taxId", document={"recipient.cpf": WRONG_CPF}),
    Breaking(
        "512",
        "pickupAddress.taxId",
        body={"pickupAddress": _PLACE_OF_A_COMPANY},
        document={"pickup.cnpj": WRONG_CNPJ},
    ),
    Breaking(
        "540",
        "pickupAddress.taxId",
        body={"pickupAddress": _PLACE_OF_A_PERSON},
        document={"pickup.cpf": WRONG_CPF},
    ),
    Breaking(
        "514",
        "deliveryAddress.taxId",
        body={"deliveryAddress": _PLACE_OF_A_COMPANY},
        document={"delivery.cnpj": WRONG_CNPJ},
    ),
    Breaking(
        "541",
        "deliveryAddress.taxId",
        body={"deliveryAddress": _PLACE_OF_A_PERSON},
        document={"delivery.cpf": WRONG_CPF},
    ),
    Breaking(
        "542",
        "freight.carrier.taxId",
        body=carried_by(BUYER_CNPJ),
        document={"transport.carrier.cnpj": WRONG_CNPJ},
    ),
    Breaking(
        "543", "freight.carrier.taxId", body=carried_by(CPF), document={"transport.carrier.cpf": WRONG_CPF}
    ),
)

_CITIES = (
    Breaking("272", "company.address.cityCode", document={"issuer.address.city_code": NO_CITY}),
    Breaking("273", "company.address.cityCode", document={"issuer.address.city_code": RIO_CITY}),
    Breaking("274", "recipient.address.cityCode", document={"recipient.address.city_code": NO_CITY}),
    Breaking("275", "recipient.address.cityCode", document={"recipient.address.city_code": RIO_CITY}),
    Breaking(
        "276",
        "pickupAddress.cityCode",
        body={"pickupAddress": SAO_PAULO},
        document={"pickup.city_code": NO_CITY},
    ),
    Breaking(
        "277",
        "pickupAddress.cityCode",
        body={"pickupAddress": SAO_PAULO},
        document={"pickup.city_code": RIO_CITY},
    ),
    Breaking(
        "278",
        "deliveryAddress.cityCode",
        body={"deliveryAddress": SAO_PAULO},
        document={"delivery.city_code": NO_CITY},
    ),
    Breaking(
        "279",
        "deliveryAddress.cityCode",
        body={"deliveryAddress": SAO_PAULO},
        document={"delivery.city_code": RIO_CITY},
    ),
)

_RECIPIENTS = (
    Breaking("232", "recipient.stateRegistration", body={"recipient.taxId": BUYER_CNPJ}),
    Breaking(
        "324",
        "authorizedReaders[1].taxId",
        "simples sale to a contributor",
        {"authorizedReaders": [{"taxId": CPF}, {"taxId": BUYER_CNPJ}]},
    ),
    Breaking("326", "authorizedReaders[0].taxId", body={"authorizedReaders": [{"taxId": CPF}]}),
    Breaking("372", "recipient.foreignId", "export", {"recipient.foreignId": "PASS#12345"}),
    Breaking("598", "recipient.name", document={"recipient.name": "Maria da Silva"}),
    Breaking(
        "718",
        "company.stateRegistrations",
        "receipt",
        document={"issuer.st_state_registration": "77040072"},
    ),
    Breaking("719", "recipient", document={"recipient": None}),
    Breaking("720", "recipient.foreignId", "export", {"recipient.foreignId": GONE, "recipient.taxId": CPF}),
    Breaking(
        "721",
        "recipient.foreignId",
        body=FOREIGN_CONSUMER | {"finalConsumer": False, "operation": "inbound"},
    ),
    Breaking("377", "recipient.address.countryCode", "export", {"recipient.address.countryCode": "9999"}),
    Breaking("724", "recipient.name", document={"recipient.name": None}, under=PRODUCTION),
    Breaking("771", "recipient.foreignId", "consumer in another state", FOREIGN_CONSUMER),
    Breaking("726", "recipient.address", body={"recipient.address": GONE}),
    Breaking(
        "727",
        "recipient.address",
        "export",
        document={
            "recipient.address.state": "SP",
            "recipient.address.city_code": "3550308",
            "items[0].product.fuel": FUEL,
        },
    ),
    Breaking(
        "728",
        "recipient.stateRegistration",
        "simples sale to a contributor",
        document={"recipient.state_registration": None},
    ),
    Breaking("728", "recipient.stateRegistration", body={"recipient.icmsContribution": "contributor"}),
    Breaking("790", "recipient.stateRegistration", "export", {"recipient.stateRegistration": "ISENTO"}),
    Breaking(
        "791",
        "recipient.stateRegistration",
        "simples sale to a contributor",
        {"items[0].icms": {"csosn": "400"}},
        document={"recipient.icms_contributor": "2"},
    ),
    Breaking(
        "805",
        "recipient.stateRegistration",
        "simples sale to a contributor",
        {"recipient.stateRegistration": "ISENTO"},
    ),
    Breaking(
        "925",
        "recipient.stateRegistration",
        "simples sale to a contributor",
        FOREIGN_CONSUMER | {"finalConsumer": True},
    ),
)

_REGISTRATIONS = (
    Breaking("209", "company.stateRegistrations", company={"stateRegistrations[0].number": "110042490115"}),
    Breaking(
        "210",
        "recipient.stateRegistration",
        "simples sale to a contributor",
        {"recipient.stateRegistration": "110042490115"},
    ),
)

BREAKINGS: tuple[Breaking, ...] = (*_IDENTITY, *_TAX_IDS, *_CITIES, *_RECIPIENTS, *_REGISTRATIONS)
