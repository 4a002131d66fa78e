"""The registered adapters and the operations that each of them offers."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from carimbo.authorities.endpoints import SimulatorEndpoints
from carimbo.authorities.pacing import Pacing
from carimbo.authorities.registry import AUTHORITIES
from carimbo.authorities.transport import HttpsTransport
from carimbo.fiscal.authority import Authority
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.identity.certificate import AuthorityCredentials
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.fiscal.signed_documents import SignedDocument
from carimbo.service.ports import InutilizingAuthority, LotAuthority, MunicipalAuthority
from nfse_answers import DPS_ID
from unit.authorities.wire import BASE, KEY, LOST, RestWire, Wire
from unit.fiscal.keys import with_parts

TYPES = [document_type for document_type in DOCUMENT_TYPES if document_type.name in AUTHORITIES]
each_type = pytest.mark.parametrize(
    "document_type", TYPES, ids=[document_type.name for document_type in TYPES]
)
KEYS = {
    "nfse": DPS_ID,
    "cte": str(with_parts(KEY, model="57")),
    "cteOs": str(with_parts(KEY, model="67")),
    "mdfe": str(with_parts(KEY, model="58")),
}


def adapter(document_type: DocumentType) -> Authority:
    """Returns the adapter of a type, with a network that never answers."""
    network: Any = SimpleNamespace(exchange=Wire().exchange, fetch=RestWire().fetch)
    return AUTHORITIES[document_type.name](cast(HttpsTransport, network), SimulatorEndpoints(BASE), Pacing())


class TestRegistry:
    def test_registry_has_only_existing_types(self) -> None:
        assert {document_type.name for document_type in TYPES} == set(AUTHORITIES)

    def test_registry_has_every_type_that_can_be_issued(self) -> None:
        assert {document_type.name for document_type in DOCUMENT_TYPES} <= set(AUTHORITIES)


class TestEveryAdapter:
    @each_type
    async def test_adapter_asks_over_the_network(
        self, document_type: DocumentType, sender: AuthorityCredentials
    ) -> None:
        key = KEYS.get(document_type.name, str(KEY))
        assert await adapter(document_type).send(sender, SignedDocument(b"<a/>", key, "")) == LOST
        assert await adapter(document_type).consult(sender, key) == LOST
        assert await adapter(document_type).status(sender, document_type.model, "SP") == LOST

    @each_type
    def test_adapter_voids_numbers_if_its_type_gives_them_up(self, document_type: DocumentType) -> None:
        assert isinstance(adapter(document_type), InutilizingAuthority) == (
            document_type.numbering.inutilization is not None
        )

    @each_type
    def test_adapter_serves_municipalities_if_its_type_depends_on_them(
        self, document_type: DocumentType
    ) -> None:
        assert isinstance(adapter(document_type), MunicipalAuthority) == (document_type.municipal is not None)

    @each_type
    def test_adapter_is_not_both_asynchronous_and_municipal(self, document_type: DocumentType) -> None:
        authority = adapter(document_type)
        assert not (isinstance(authority, LotAuthority) and isinstance(authority, MunicipalAuthority))
