"""What the bodies of NF-e and NFC-e share, and the parts of the document that are made of it."""

from collections.abc import Sequence
from decimal import Decimal
from functools import partial
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from carimbo.fiscal.access_key import AccessKey
from carimbo.fiscal.coded import Coded
from carimbo.fiscal.company import Company
from carimbo.fiscal.emission import Emission
from carimbo.fiscal.fields import Body, Moment, Money, Notes, Text
from carimbo.fiscal.goods.filling import Incomplete, tried
from carimbo.fiscal.goods.freight import FreightBody
from carimbo.fiscal.goods.items import LONGEST_DESCRIPTION, MOST_ITEMS, Cfop, ItemBody, compose_item
from carimbo.fiscal.goods.parties import ReaderBody, RecipientBody, in_homologation
from carimbo.fiscal.goods.payments import PaymentBody, payment, whole_payment
from carimbo.fiscal.layouts.nfe_v4.additional import AdditionalInformation, Intermediary, Observation, Process
from carimbo.fiscal.layouts.nfe_v4.identification import Identification
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.layouts.nfe_v4.payment import Payments
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.software import Software
from carimbo.fiscal.tables.states import STATES

ABROAD = "EX"
_OWN_SOFTWARE = "0"


class Presence(Coded):
    """How the buyer was there (`indPres`)."""

    NONE = "none", "0"
    IN_PERSON = "inPerson", "1"
    INTERNET = "internet", "2"
    PHONE = "phone", "3"
    DELIVERY = "delivery", "4"
    OUTSIDE = "outside", "5"
    OTHER = "other", "9"


# Sales at a distance say whether a marketplace stands between (NT 2020.006, rule B25c-10).
_MAY_BE_INTERMEDIATED = (Presence.INTERNET, Presence.PHONE, Presence.DELIVERY, Presence.OTHER)


class SaleBody(Body):
    """The fields that a sale of goods has in either document."""

    # Of a tuple, pydantic would also tell that it is too short when all that is in it is wrong.
    items: Annotated[list[ItemBody], Field(min_length=1, max_length=MOST_ITEMS)]
    recipient: RecipientBody | None = None
    nature: Annotated[Text, StringConstraints(max_length=60)] = "VENDA DE MERCADORIA"
    cfop: Cfop | None = None
    issue_date: Moment | None = None
    external_id: Annotated[Text, StringConstraints(max_length=100)] | None = None
    presence: Presence = Presence.IN_PERSON
    payments: Annotated[tuple[PaymentBody, ...], Field(max_length=100)] = ()
    change: Money | None = None
    freight: FreightBody | None = None
    intermediary: Intermediary | None = None
    authorized_readers: Annotated[tuple[ReaderBody, ...], Field(max_length=10)] = ()
    notes: Annotated[Notes, StringConstraints(max_length=5000)] | None = None
    authority_notes: Annotated[Notes, StringConstraints(max_length=2000)] | None = None
    observations: Annotated[tuple[Observation, ...], Field(max_length=10)] = ()
    processes: Annotated[tuple[Process, ...], Field(max_length=100)] = ()


def access_key(model: str, company: Company, emission: Emission) -> AccessKey:
    """The key of the document, which both its XML and its later events refer to."""
    return AccessKey.of_issue(
        emission.issued_at,
        state_code=STATES[company.address.state].ibge,
        tax_id=company.tax_id,
        model=model,
        series=emission.series,
        number=emission.number,
        emission_type=emission.type,
        numeric_code=emission.numeric_code,
    )


def identification(
    body: SaleBody,
    company: Company,
    emission: Emission,
    software: Software,
    key: AccessKey,
    **of_the_type: Any,
) -> Identification:
    """`ide`: what both documents say alike, and what a type has of its own."""
    contingency = emission.contingency
    return Identification(
        state_code=key.state_code,
        numeric_code=key.numeric_code,
        nature=body.nature,
        model=key.model,
        series=key.series,
        number=key.number,
        issued_at=emission.issued_at,
        taxable_city_code=company.address.city_code or "",
        emission_type=emission.type,
        check_digit=str(key)[-1],
        environment=emission.environment.code,
        presence=body.presence.code,
        intermediation=intermediation(body),
        issuing_process=_OWN_SOFTWARE,
        software_version=software.name,
        contingency_started_at=contingency.started_at if contingency else None,
        contingency_reason=contingency.reason if contingency else None,
        **of_the_type,
    )


def destination_state(recipient: RecipientBody | None, company: Company) -> str:
    """The state that the goods go to; that of the company when nothing else is said."""
    if recipient is None or recipient.address is None:
        return company.address.state
    return ABROAD if recipient.is_foreign else getattr(recipient.address, "state", ABROAD)


def destination_code(state: str, company: Company) -> str:
    """`idDest`: within the state, to another state, or abroad."""
    if state == ABROAD:
        return "3"
    return "1" if state == company.address.state else "2"


def intermediation(body: SaleBody) -> str | None:
    """`indIntermed`: whether a marketplace stands between the parties of a sale at a distance."""
    if body.intermediary:
        return "1"
    return "0" if body.presence in _MAY_BE_INTERMEDIATED else None


def compose_items(
    bodies: Sequence[ItemBody], company: Company, cfop: str, first_description: str | None = None
) -> tuple[Item, ...]:
    """All lines of the document, or everything that is missing in them at once."""
    problems: list[Problem] = []
    descriptions = [body.description for body in bodies]
    if first_description:
        fixed = tried(lambda: _in_homologation(first_description, descriptions[0]), problems)
        descriptions[0] = fixed or first_description
    items = [
        tried(partial(compose_item, body, position, company, cfop, description), problems)
        for position, (body, description) in enumerate(zip(bodies, descriptions, strict=True))
    ]
    if problems:
        raise Incomplete(*problems)
    return tuple(item for item in items if item)


def _in_homologation(fixed: str, description: str) -> str:
    return in_homologation(fixed, description, LONGEST_DESCRIPTION, "items[0].description")


def compose_payments(body: SaleBody, amount: Decimal, usual_method: str) -> Payments:
    """The payments given, or the whole amount by the usual means."""
    paid = tuple(payment(one) for one in body.payments) or (whole_payment(usual_method, amount),)
    return Payments(payments=paid, change=body.change)


def additional_information(body: SaleBody) -> AdditionalInformation | None:
    """Notes and observations, when there are any."""
    information = AdditionalInformation(
        authority_notes=body.authority_notes,
        notes=body.notes,
        observations=body.observations,
        processes=body.processes,
    )
    return None if information == AdditionalInformation() else information
