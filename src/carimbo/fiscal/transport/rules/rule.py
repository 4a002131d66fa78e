"""The input of the rules that CT-e and CT-e OS share, and facts and codes that many rules use."""

from collections.abc import Mapping
from datetime import date, datetime
from functools import cached_property
from typing import ClassVar, Final, Generic, TypeVar

from carimbo.fiscal import rules
from carimbo.fiscal.calendar import RulesInForce, rules_on
from carimbo.fiscal.layouts.cte_v4.parties import CargoParty
from carimbo.fiscal.layouts.cte_v4.waybill import Waybill
from carimbo.fiscal.layouts.cteos_v4.parties import OsTaker
from carimbo.fiscal.layouts.cteos_v4.waybill import OsWaybill
from carimbo.fiscal.transport.places import is_interstate
from carimbo.fiscal.transport.request import TransportRequest

NORMAL, COMPLEMENT, SUBSTITUTION = "0", "1", "3"
"""Purposes (`tpCTe`)."""
CONTRIBUTOR, EXEMPT_CONTRIBUTOR = "1", "2"
"""Whether the taker contributes ICMS (`indIEToma`)."""
NORMAL_REGIME = "3"
"""The tax regime (`CRT`) that informs IBS and CBS."""
SCHEMA_CODE = "215"
"""The code of the authorities for a document that their XSD refuses; NF-e has another."""
MODE_CODE = "580"
"""Their code for data of a mode that the XSD of the mode refuses."""
AIR = "02"
"""The mode (`modal`) with an ICMS rate of its own."""

Party = CargoParty | OsTaker
W_co = TypeVar("W_co", bound=Waybill | OsWaybill, covariant=True)
R_co = TypeVar("R_co", bound=TransportRequest, covariant=True)


class TransportRuleInput(Generic[W_co, R_co]):
    """A CT-e or CT-e OS with its request and time, as rules read it; codes are those of the XML."""

    document_type: ClassVar[str]
    model: ClassVar[str]

    def __init__(
        self,
        waybill: W_co,
        request: R_co,
        now: datetime,
        parties: Mapping[str, Party],
        taker_path: str,
    ) -> None:
        identification = waybill.identification
        self.waybill: Final = waybill
        self.request: Final = request
        self.now: Final = now
        self.identification: Final = identification
        self.purpose: Final = identification.purpose
        self.is_complement: Final = identification.purpose == COMPLEMENT
        """A complement has parties and a price, but no service of its own."""
        self.service_type: Final = identification.service_type
        self.emission_type: Final = identification.emission_type
        self.issuer: Final = waybill.issuer
        self.issuer_state: Final = waybill.issuer.address.state
        self.start_state: Final = _state(identification.start_state, self.issuer_state)
        """Letters of the state, `EX` abroad; empty if the municipality is unknown."""
        self.end_state: Final = _state(identification.end_state, self.issuer_state)
        self.parties: Final = parties
        """The parties that the document has, by their names in our JSON."""
        self.taker_path: Final = taker_path
        """The name of the taker's field in our JSON."""
        self.taker: Final = parties.get(taker_path)
        """The party that takes the service; None if the document lacks it."""

    @property
    def is_interstate(self) -> bool:
        """Whether the service starts and ends in different states of Brazil, both known."""
        return is_interstate(self.start_state, self.end_state)

    @property
    def leaves_the_state(self) -> bool:
        """Whether the service ends in another state than it starts in, or abroad; both known."""
        return self.start_state != self.end_state and "" not in (self.start_state, self.end_state)

    @property
    def has_interstate_rate(self) -> bool:
        """Whether the interstate ICMS rate of the road holds; air transport has its own."""
        return self.is_interstate and self.identification.mode != AIR

    @cached_property
    def today(self) -> date:
        """The current day in the time zone of the issuer."""
        return self.now.astimezone(self.identification.issued_at.tzinfo).date()

    @cached_property
    def rules_in_force(self) -> RulesInForce:
        """The dated rules of the day of issue."""
        return rules_on(self.identification.issued_at.date(), self.document_type)


def _state(given: str | None, issuer_state: str) -> str:
    """Returns the state of a place; a CT-e OS without places is a service in the issuer's state."""
    return issuer_state if given is None else given


TransportInput = TransportRuleInput[Waybill | OsWaybill, TransportRequest]
"""A CT-e or CT-e OS, for rules of both."""
TransportCheck = rules.DocumentCheck[TransportInput]


def manual(subject: str) -> str:
    """Returns the source of a rule of the manual; its tables number rules differently in each version."""
    return f"MOC CT-e 4.00, Anexo I, {subject}"


def tax_id_of(party: Party) -> str:
    """Returns CNPJ or CPF of a party; empty abroad."""
    return party.cnpj or party.cpf or ""
