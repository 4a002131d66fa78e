"""A point of sale that goes on selling without a connection, and hands over what it printed."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from carimbo.fiscal.access_key import AccessKey
from carimbo.fiscal.documents.nfce.definition import NFCE
from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.emission import Emission
from carimbo.fiscal.signature import Signer
from carimbo.fiscal.signed_document import SignedDocument
from carimbo.service.contexts import IssuingContext
from carimbo.service.workshop import DocumentSource
from integration.issuing.shop import Shop, accepted, body_of
from support import data_of

REASON = "Sem conexão com a internet"
_SAO_PAULO = ZoneInfo("America/Sao_Paulo")
_CODES = count(10_203_040)


@dataclass(frozen=True)
class Till:
    """Prints receipts of a shop."""

    shop: Shop
    tax_id: str

    def paper(
        self,
        number: int,
        series: int = 1,
        ago: timedelta = timedelta(minutes=10),
        zone: ZoneInfo = _SAO_PAULO,
        **changes: Any,
    ) -> dict[str, Any]:
        """The body of a receipt that was printed a while ago, another key at every call."""
        issued_at = (datetime.now(zone) - ago).replace(microsecond=0)
        key = AccessKey.of_issue(
            issued_at,
            state_code="35",
            tax_id=self.tax_id,
            model="65",
            series=series,
            number=number,
            emission_type="9",
            numeric_code=str(next(_CODES)),
        )
        printed = {
            "issueMode": "offlineContingency",
            "accessKey": str(key),
            "number": number,
            "series": series,
            "issuedAt": issued_at.isoformat(),
            "contingency": {"startedAt": issued_at.isoformat(), "reason": REASON},
        }
        return body_of("nfce", **printed | changes)

    async def hand_over(self, paper: dict[str, Any]) -> dict[str, Any]:
        """Have a receipt accepted."""
        return accepted(await self.shop.post("/nfce", paper))

    async def keep(self, number: int = 10, **changes: Any) -> dict[str, Any]:
        """Have a receipt stored, and not sent yet."""
        return await self.hand_over(self.paper(number, transmit="later", **changes))

    async def next_number(self) -> int:
        """The number that the next receipt of ours gets."""
        return int(data_of(await self.shop.get("/settings"))["nfce"]["number"])

    async def signed(self, paper: dict[str, Any], signer: Signer) -> str:
        """The XML of a receipt as the point of sale signed it."""
        counter: IssuingContext = self.shop.floor.app.state.services.counter
        request = NfceRequest.model_validate(paper)
        dossier = await counter.dossiers.of(self.shop.caller.subscription_id, UUID(self.shop.id), 0)
        source = DocumentSource(NFCE, request, dossier, dossier.environment_of(NFCE))
        emission = source.printed_emission()
        assert isinstance(emission, Emission), emission
        made = await counter.workshop.make(source, emission, signer)
        assert isinstance(made, SignedDocument), made
        return made.xml.decode()


async def till_of(shop: Shop) -> Till:
    """A point of sale of a shop."""
    return Till(shop, data_of(await shop.caller.http.get(shop.path()))["taxId"])
