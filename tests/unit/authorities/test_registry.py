"""The adapters that there are, and what each of them can be asked."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from carimbo.authorities.endpoints import SimulatorEndpoints
from carimbo.authorities.pacing import Pacing
from carimbo.authorities.port import Authority
from carimbo.authorities.registry import AUTHORITIES
from carimbo.authorities.transport import Transport
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.fiscal.sender import Sender
from carimbo.fiscal.signed_document import SignedDocument
from carimbo.service.ports import LotAuthority, MunicipalAuthority, VoidingAuthority
from nfse_answers import DPS_ID
from unit.authorities.wire import BASE, KEY, LOST, RestWire, Wire

TYPES = [kind for kind in DOCUMENT_TYPES if kind.name in AUTHORITIES]
each_type = pytest.mark.parametrize("kind", TYPES, ids=[kind.name for kind in TYPES])
KEYS = {"nfse": DPS_ID}


def adapter(kind: DocumentType) -> Authority:
    """The adapter of a type, in front of a network that answers nothing."""
    network: Any = SimpleNamespace(exchange=Wire().exchange, fetch=RestWire().fetch)
    return AUTHORITIES[kind.name](cast(Transport, network), SimulatorEndpoints(BASE), Pacing())


class TestRegistry:
    def test_knows_types_that_there_are(self) -> None:
        assert {kind.name for kind in TYPES} == set(AUTHORITIES)

    def test_knows_every_type_that_can_be_issued(self) -> None:
        assert {kind.name for kind in DOCUMENT_TYPES} <= set(AUTHORITIES)


class TestEveryAdapter:
    @each_type
    async def test_asks_over_the_network(self, kind: DocumentType, sender: Sender) -> None:
        key = KEYS.get(kind.name, str(KEY))
        assert await adapter(kind).send(sender, SignedDocument(b"<a/>", key, "")) == LOST
        assert await adapter(kind).consult(sender, key) == LOST
        assert await adapter(kind).status(sender, kind.model, "SP") == LOST

    @each_type
    def test_takes_numbers_back_if_its_type_gives_them_up(self, kind: DocumentType) -> None:
        assert isinstance(adapter(kind), VoidingAuthority) == (kind.numbering.voiding is not None)

    @each_type
    def test_acts_for_municipalities_if_its_type_depends_on_them(self, kind: DocumentType) -> None:
        assert isinstance(adapter(kind), MunicipalAuthority) == (kind.municipal is not None)

    @each_type
    def test_judges_later_or_for_municipalities_or_neither(self, kind: DocumentType) -> None:
        made = adapter(kind)
        assert not (isinstance(made, LotAuthority) and isinstance(made, MunicipalAuthority))
