"""The boxes of the parties: sender and recipient, dispatcher and receiver, taker."""

from collections.abc import Iterator

from carimbo.fiscal.layouts.cte_v4.parties import CargoParty, OtherTaker
from carimbo.fiscal.layouts.cte_v4.waybill import Waybill
from carimbo.fiscal.layouts.cteos_v4.parties import OsTaker
from carimbo.printing import formats
from carimbo.printing.dacte.labeled import Labeled, LabeledBox, LabeledBoxes, labeled_box
from carimbo.printing.engine.canvas import Canvas
from carimbo.printing.formats import street_of
from carimbo.printing.sheet import CONTENT

_HALF = CONTENT / 2
Party = CargoParty | OsTaker
"""A party of a CT-e or CT-e OS other than the issuer."""


def party_boxes(canvas: Canvas, waybill: Waybill) -> Iterator[LabeledBoxes]:
    """Yields the boxes from top to bottom; dispatcher and receiver only if the document names one."""
    yield LabeledBoxes(
        (
            _half(canvas, "REMETENTE", waybill.sender),
            _half(canvas, "DESTINATÁRIO", waybill.recipient),
        )
    )
    if waybill.dispatcher or waybill.receiver:
        yield LabeledBoxes(
            (
                _half(canvas, "EXPEDIDOR", waybill.dispatcher),
                _half(canvas, "RECEBEDOR", waybill.receiver),
            )
        )
    yield taker_box(canvas, taker_of(waybill))


def taker_of(waybill: Waybill) -> CargoParty | None:
    """Returns the party that takes the service; None if the document does not name it."""
    taker = waybill.identification.taker
    if isinstance(taker, OtherTaker):
        return taker
    parties: dict[str, CargoParty | None] = {
        "0": waybill.sender,
        "1": waybill.dispatcher,
        "2": waybill.receiver,
        "3": waybill.recipient,
    }
    return parties.get(taker.role)


def _half(canvas: Canvas, role: str, party: CargoParty | None) -> LabeledBox:
    lines = (
        (Labeled(role, party.name if party else "", _HALF, bold=True),),
        (Labeled("ENDEREÇO", _address(party), _HALF),),
        (Labeled("MUNICÍPIO", _city(party), 70), Labeled("CEP", _zipcode(party), 30)),
        (Labeled("CNPJ / CPF", _tax_id(party), 52), Labeled("IE", _registration(party), 48)),
        (Labeled("PAÍS", _country(party), 52), Labeled("FONE", _phone(party), 48)),
    )
    return labeled_box(canvas, _HALF, lines)


def taker_box(canvas: Canvas, party: Party | None) -> LabeledBoxes:
    """Returns the box of the taker over the whole width."""
    lines = (
        (
            Labeled("TOMADOR", party.name if party else "", _HALF, bold=True),
            Labeled("MUNICÍPIO", _city(party), 70),
            Labeled("CEP", _zipcode(party), 30),
        ),
        (Labeled("ENDEREÇO", _address(party), CONTENT),),
        (
            Labeled("CNPJ / CPF", _tax_id(party), 52),
            Labeled("IE", _registration(party), 48),
            Labeled("PAÍS", _country(party), 60),
            Labeled("FONE", _phone(party), 40),
        ),
    )
    return LabeledBoxes((labeled_box(canvas, CONTENT, lines),))


def _address(party: Party | None) -> str:
    return f"{street_of(party.address)} - {party.address.district}" if party else ""


def _city(party: Party | None) -> str:
    return f"{party.address.city} - {party.address.state}" if party else ""


def _zipcode(party: Party | None) -> str:
    return formats.zipcode(party.address.zipcode) if party else ""


def _tax_id(party: Party | None) -> str:
    return formats.tax_id(party.cnpj, party.cpf) if party else ""


def _registration(party: Party | None) -> str:
    return (party.state_registration if party else None) or ""


def _country(party: Party | None) -> str:
    return (party.address.country if party else None) or ""


def _phone(party: Party | None) -> str:
    return formats.phone(party.phone) if party else ""
