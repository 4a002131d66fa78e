"""The input of the rules of CT-e, and codes that many rules use."""

from datetime import datetime
from functools import cached_property
from typing import Final

from carimbo.fiscal import rules
from carimbo.fiscal.calendar import RulesInForce, rules_on
from carimbo.fiscal.documents.cte.request import CteRequest
from carimbo.fiscal.layouts.cte_v4.parties import CargoParty, OtherTaker
from carimbo.fiscal.layouts.cte_v4.waybill import Waybill
from carimbo.fiscal.parties.company import Company

NORMAL, COMPLEMENT, SUBSTITUTION = "0", "1", "3"
"""Purposes (`tpCTe`)."""
NORMAL_SERVICE, SUBCONTRACTING, REDISPATCH, INTERMEDIATE_REDISPATCH, MULTIMODAL = "0", "1", "2", "3", "4"
"""Kinds of service (`tpServ`)."""
CONTRIBUTOR, EXEMPT_CONTRIBUTOR, NON_CONTRIBUTOR = "1", "2", "9"
"""Whether the taker contributes ICMS (`indIEToma`)."""
DOCUMENT_TYPE = "cte"


class WaybillInput:
    """A CT-e with its request, issuer and time, as rules read it; codes are those of the XML."""

    def __init__(self, waybill: Waybill, request: CteRequest, company: Company, now: datetime) -> None:
        identification = waybill.identification
        self.waybill: Final = waybill
        self.request: Final = request
        self.company: Final = company
        self.now: Final = now
        self.identification: Final = identification
        self.purpose: Final = identification.purpose
        self.service_type: Final = identification.service_type
        self.start_state: Final = identification.start_state
        self.end_state: Final = identification.end_state
        self.issuer_state: Final = waybill.issuer.address.state

    @cached_property
    def parties(self) -> dict[str, CargoParty]:
        """The parties that the document has, by their names in our JSON."""
        waybill, taker = self.waybill, self.identification.taker
        given = {
            "shipper": waybill.sender,
            "dispatcher": waybill.dispatcher,
            "receiver": waybill.receiver,
            "recipient": waybill.recipient,
            "takerParty": taker if isinstance(taker, OtherTaker) else None,
        }
        return {name: party for name, party in given.items() if party is not None}

    @cached_property
    def taker_path(self) -> str:
        """The name of the taker's field in our JSON."""
        return "takerParty" if self.request.taker == "other" else str(self.request.taker)

    @property
    def taker(self) -> CargoParty | None:
        """The party that takes the service; None if the document lacks it."""
        return self.parties.get(self.taker_path)

    @cached_property
    def rules_in_force(self) -> RulesInForce:
        """The dated rules of the day of issue."""
        return rules_on(self.identification.issued_at.date(), DOCUMENT_TYPE)


WaybillCheck = rules.DocumentCheck[WaybillInput]


def tax_id_of(party: CargoParty) -> str:
    """Returns CNPJ or CPF of a party; empty abroad."""
    return party.cnpj or party.cpf or ""
