"""A point of sale that prints receipts without a connection and sends them later."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from carimbo.fiscal.documents.nfce.definition import NFCE
from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.emission import Emission
from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.signed_documents import SignedDocument
from carimbo.service.contexts import IssuingContext
from carimbo.service.documents.builder import DocumentSource
from integration.issuing.shop import Shop, accepted, body_of
from support import data_of

REASON = "Sem conexão com a internet"
_SAO_PAULO = ZoneInfo("America/Sao_Paulo")
_CODES = count(10_203_040)


@dataclass(frozen=True)
class PointOfSale:
    """Prints receipts of a shop offline."""

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
        """Returns the body of a receipt that was printed a while ago; each call has another key."""
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

    async def submit(self, paper: dict[str, Any]) -> dict[str, Any]:
        """Submits a receipt, which must be accepted."""
        return accepted(await self.shop.post("/nfce", paper))

    async def keep(self, number: int = 10, **changes: Any) -> dict[str, Any]:
        """Submits a receipt that is stored and not sent yet."""
        return await self.submit(self.paper(number, transmit="later", **changes))

    async def next_number(self) -> int:
        """Returns the number that our next receipt gets."""
        return int(data_of(await self.shop.get("/settings"))["nfce"]["number"])

    async def signed(self, paper: dict[str, Any], signer: Signer) -> str:
        """Returns the XML of a receipt as the point of sale signed it."""
        context: IssuingContext = self.shop.system.app.state.services.issuing
        request = NfceRequest.model_validate(paper)
        snapshot = await context.snapshots.of(self.shop.caller.subscription_id, UUID(self.shop.id), 0)
        source = DocumentSource(NFCE, request, snapshot, snapshot.environment_of(NFCE))
        emission = source.printed_emission()
        assert isinstance(emission, Emission), emission
        document = await context.builder.make(source, emission, signer)
        assert isinstance(document, SignedDocument), document
        return document.xml.decode()


async def point_of_sale_of(shop: Shop) -> PointOfSale:
    """Returns a point of sale of a shop."""
    return PointOfSale(shop, data_of(await shop.caller.http.get(shop.path()))["taxId"])
