"""The input of the rules of CT-e, and facts and codes that many rules use."""

from datetime import datetime
from functools import cached_property

from carimbo.fiscal import rules
from carimbo.fiscal.documents.cte.document import MODEL, NAME
from carimbo.fiscal.documents.cte.request import CteRequest
from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.layouts.cte_v4.parties import OtherTaker
from carimbo.fiscal.layouts.cte_v4.waybill import Waybill
from carimbo.fiscal.transport.keys import NFE, valid_keys
from carimbo.fiscal.transport.rules.rule import Party, TransportRuleInput

NORMAL_SERVICE, SUBCONTRACTING, REDISPATCH, INTERMEDIATE_REDISPATCH, MULTIMODAL = "0", "1", "2", "3", "4"
"""Kinds of service (`tpServ`)."""


class WaybillInput(TransportRuleInput[Waybill, CteRequest]):
    """A CT-e with its request and time, as rules read it."""

    document_type = NAME
    model = MODEL

    def __init__(self, waybill: Waybill, request: CteRequest, now: datetime) -> None:
        taker_path = "takerParty" if request.taker == "other" else str(request.taker)
        super().__init__(waybill, request, now, _parties_of(waybill), taker_path)

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


def _parties_of(waybill: Waybill) -> dict[str, Party]:
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
