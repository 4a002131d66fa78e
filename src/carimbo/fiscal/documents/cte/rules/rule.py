"""The input of the rules of CT-e, and facts and codes that many rules use."""

from datetime import date, datetime
from functools import cached_property
from typing import Final

from carimbo.fiscal import rules
from carimbo.fiscal.calendar import RulesInForce, rules_on
from carimbo.fiscal.documents.cte.request import CteRequest
from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.layouts.cte_v4.parties import CargoParty, OtherTaker
from carimbo.fiscal.layouts.cte_v4.waybill import Waybill
from carimbo.fiscal.transport.keys import NFE, valid_keys
from carimbo.fiscal.transport.places import is_interstate

NORMAL, COMPLEMENT, SUBSTITUTION = "0", "1", "3"
"""Purposes (`tpCTe`)."""
NORMAL_SERVICE, SUBCONTRACTING, REDISPATCH, INTERMEDIATE_REDISPATCH, MULTIMODAL = "0", "1", "2", "3", "4"
"""Kinds of service (`tpServ`)."""
CONTRIBUTOR, EXEMPT_CONTRIBUTOR = "1", "2"
"""Whether the taker contributes ICMS (`indIEToma`)."""
NORMAL_REGIME = "3"
"""The tax regime (`CRT`) that informs IBS and CBS."""
DOCUMENT_TYPE = "cte"
SCHEMA_CODE = "215"
"""The code of the CT-e authorities for a document that their XSD refuses; NF-e has another."""


class WaybillInput:
    """A CT-e with its request and time, as rules read it; codes are those of the XML."""

    def __init__(self, waybill: Waybill, request: CteRequest, now: datetime) -> None:
        identification = waybill.identification
        self.waybill: Final = waybill
        self.request: Final = request
        self.now: Final = now
        self.identification: Final = identification
        self.purpose: Final = identification.purpose
        self.is_complement: Final = identification.purpose == COMPLEMENT
        """A complement has parties and a price, but no cargo and no documents of it."""
        self.service_type: Final = identification.service_type
        self.emission_type: Final = identification.emission_type
        self.start_state: Final = identification.start_state
        """Letters of the state, `EX` abroad; empty if the municipality is unknown."""
        self.end_state: Final = identification.end_state
        self.issuer: Final = waybill.issuer
        self.issuer_state: Final = waybill.issuer.address.state
        self.parties: Final = _parties_of(waybill)
        """The parties that the document has, by their names in our JSON."""
        self.taker_path: Final = "takerParty" if request.taker == "other" else str(request.taker)
        """The name of the taker's field in our JSON."""
        self.taker: Final = self.parties.get(self.taker_path)
        """The party that takes the service; None if the document lacks it."""

    @property
    def is_interstate(self) -> bool:
        """Whether the service starts and ends in different states of Brazil, both known."""
        return is_interstate(self.start_state, self.end_state)

    @cached_property
    def today(self) -> date:
        """The current day in the time zone of the issuer."""
        return self.now.astimezone(self.identification.issued_at.tzinfo).date()

    @property
    def has_references(self) -> bool:
        """Whether the request refers to other transport documents."""
        request = self.request
        keys = (*request.complemented_access_keys, *request.multimodal_access_keys)
        return bool(keys or request.previous_documents or request.substitution)

    @cached_property
    def nfe_keys(self) -> list[tuple[str, str]]:
        """The keys of the NF-e of the cargo, with their paths in the body."""
        documents = self.request.documents
        return [
            (f"documents.nfes[{position}].accessKey", nfe.access_key)
            for position, nfe in enumerate(documents.nfes if documents else ())
        ]

    @cached_property
    def valid_nfe_keys(self) -> list[tuple[str, AccessKey]]:
        """Those of the keys that an NF-e can have, so that a wrong one breaks only its own rule."""
        return list(valid_keys(self.nfe_keys, NFE, self.today))

    @cached_property
    def rules_in_force(self) -> RulesInForce:
        """The dated rules of the day of issue."""
        return rules_on(self.identification.issued_at.date(), DOCUMENT_TYPE)


def _parties_of(waybill: Waybill) -> dict[str, CargoParty]:
    taker = waybill.identification.taker
    given = {
        "shipper": waybill.sender,
        "dispatcher": waybill.dispatcher,
        "receiver": waybill.receiver,
        "recipient": waybill.recipient,
        "takerParty": taker if isinstance(taker, OtherTaker) else None,
    }
    return {name: party for name, party in given.items() if party is not None}


WaybillCheck = rules.DocumentCheck[WaybillInput]


def manual(subject: str) -> str:
    """Returns the source of a rule of the manual; its tables number rules differently in each version."""
    return f"MOC CT-e 4.00, Anexo I, {subject}"


def tax_id_of(party: CargoParty) -> str:
    """Returns CNPJ or CPF of a party; empty abroad."""
    return party.cnpj or party.cpf or ""
