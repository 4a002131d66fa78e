"""What others have to say of a document before it is made: municipalities, and the document it replaces."""

import asyncio
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.issuance import Replaced, Surroundings
from carimbo.fiscal.lifecycle import Status
from carimbo.fiscal.municipal_agreement import Agreement, Jurisdiction
from carimbo.service.archived_files import signed_file
from carimbo.service.dossier import Dossier
from carimbo.service.issuing.municipalities import Municipalities, Place
from carimbo.service.workshop import DocumentSource
from carimbo.storage.database import Database

_NOTHING = Surroundings()
_NOBODY = Jurisdiction(())


@dataclass(frozen=True)
class Surveyor:
    """Finds out what a type wants to know of its surroundings."""

    database: Database
    municipalities: Municipalities

    async def survey(self, source: DocumentSource) -> Surroundings:
        """Asks what has to be asked; most types want to know nothing, and cost nothing."""
        kind, request, dossier, environment = source.kind, source.request, source.dossier, source.environment
        if kind.municipal is None and kind.replacement is None:
            return _NOTHING
        replaced = kind.replacement.replaced_id(request) if kind.replacement else None
        wanted = _NOBODY
        if kind.municipal:
            wanted = kind.municipal.jurisdiction(request, dossier.company, dossier.settings_of(kind))
        places = {city: Place(kind, dossier, environment, city) for city in wanted.cities}
        agreements, rate = await asyncio.gather(self._agreements(places), self._rate(places, wanted))
        return Surroundings(
            agreements=agreements,
            iss_rate=rate,
            replaced=await self._replaced(kind, dossier, environment, replaced) if replaced else None,
        )

    async def _agreements(self, places: dict[str, Place]) -> dict[str, Agreement]:
        """Of every municipality that matters; one that nobody could be asked about is left out."""
        asked = await asyncio.gather(*map(self.municipalities.agreement, places.values()))
        return {known.city_code: known for known in asked if known}

    async def _rate(self, places: dict[str, Place], wanted: Jurisdiction) -> Decimal | None:
        place = places.get(wanted.taxed_at or "")
        if place is None:
            return None
        day = wanted.on or self.municipalities.today
        known = await self.municipalities.rate(place, wanted.service_code, day)
        return known.rate if known else None

    async def _replaced(
        self, kind: DocumentType, dossier: Dossier, environment: Environment, document_id: UUID
    ) -> Replaced | None:
        """A document that may be replaced: an authorised one of the same company, type and environment."""
        async with self.database.autocommit(dossier.subscription_id) as tenant:
            document = await tenant.documents.get(document_id)
            if document is None or document.status != Status.AUTHORIZED or document.emission is None:
                return None
            same = (document.company_id, document.type, document.environment)
            if same != (dossier.row.id, kind.name, environment):
                return None
            signed = await tenant.archive.get(document.id, signed_file(document.emission.digest or ""))
        key = document.emission.document_key
        return Replaced(key, signed) if key and signed else None
