"""MDF-e and their events, with everything that the rules need."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from lxml import etree

from carimbo.fiscal.schemas.files import Schema
from carimbo.simulator.group import NOTHING, Group
from carimbo.simulator.identifiers import tax_id_base
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.mdfe.dialect import DIALECT
from carimbo.simulator.mdfe.manifests import OpenManifest, OpenManifests, Trip
from carimbo.simulator.sefaz.dialect import JudgedEventType
from carimbo.simulator.sefaz.judged import JudgedDocument, JudgedSingleEvent, detail_of, fault_inside

CARRIER, OWN_CARGO, GLOBALIZED_CARRIER = "123"
"""`tpEmit`."""
ROAD, AIR, WATER, RAIL = "1234"
"""`modal`."""
_MODE_SCHEMAS: Mapping[str, Schema] = {
    ROAD: Schema.MDFE_ROAD,
    AIR: Schema.MDFE_AIR,
    WATER: Schema.MDFE_WATER,
    RAIL: Schema.MDFE_RAIL,
}
_MODE_FAULT = "580"
_CARRIERS = frozenset({CARRIER, GLOBALIZED_CARRIER})


@dataclass(frozen=True)
class JudgedMdfe(JudgedDocument):
    """One `MDFe`, which is valid against its general XSD."""

    dialect = DIALECT

    @property
    def issuer_type(self) -> str:
        """`tpEmit`."""
        return self.text("ide/tpEmit")

    @property
    def mode(self) -> str:
        """`modal`."""
        return self.text("ide/modal")

    @property
    def start(self) -> str:
        """The state of loading, in letters."""
        return self.text("ide/UFIni")

    @property
    def end(self) -> str:
        """The state of unloading, in letters."""
        return self.text("ide/UFFim")

    @cached_property
    def route(self) -> Sequence[str]:
        """The states between loading and unloading."""
        return [step.text("UFPer") for step in self._identification.all("infPercurso")]

    @property
    def loads_later(self) -> bool:
        """Whether the cargo is loaded on the way, so that events name its invoices."""
        return bool(self.text("ide/indCarregaPosterior"))

    @cached_property
    def loading_cities(self) -> Sequence[str]:
        """The codes of the cities of loading."""
        return [city.text("cMunCarrega") for city in self._identification.all("infMunCarrega")]

    @cached_property
    def unloadings(self) -> Sequence[Group]:
        """Every `infMunDescarga`: a city and the documents of its cargo."""
        return (self.content.group("infDoc") or NOTHING).all("infMunDescarga")

    @cached_property
    def unloading_cities(self) -> Sequence[str]:
        """The codes of the cities of unloading."""
        return [unloading.text("cMunDescarga") for unloading in self.unloadings]

    @cached_property
    def cte_keys(self) -> Sequence[str]:
        """The keys of the listed CT-e."""
        return self._keys("infCTe", "chCTe")

    @cached_property
    def nfe_keys(self) -> Sequence[str]:
        """The keys of the listed NF-e."""
        return self._keys("infNFe", "chNFe")

    @cached_property
    def mdfe_keys(self) -> Sequence[str]:
        """The keys of the listed MDF-e, whose vehicles a ship transports."""
        return self._keys("infMDFeTransp", "chMDFe")

    @property
    def has_single_document(self) -> bool:
        """Whether the whole cargo is of one document: a full load."""
        return len(self.cte_keys) + len(self.nfe_keys) + len(self.mdfe_keys) == 1

    @cached_property
    def road(self) -> Group:
        """`rodo`; empty in other modes."""
        return self.content.group("infModal/rodo") or NOTHING

    @cached_property
    def freight(self) -> Group:
        """`infANTT`, the contracts and payments of the freight; empty if there are none."""
        return self.road.group("infANTT") or NOTHING

    @cached_property
    def tractor(self) -> Group:
        """`veicTracao`."""
        return self.road.group("veicTracao") or NOTHING

    @cached_property
    def owner(self) -> Group:
        """The owner of the tractor; empty if it is the issuer's."""
        return self.tractor.group("prop") or NOTHING

    @cached_property
    def trailers(self) -> Sequence[Group]:
        """Every `veicReboque`."""
        return self.road.all("veicReboque")

    @property
    def is_by_road(self) -> bool:
        """Whether the cargo goes by road."""
        return self.mode == ROAD

    @property
    def is_by_a_carrier(self) -> bool:
        """Whether a carrier transports the cargo of others by road."""
        return self.is_by_road and self.issuer_type in _CARRIERS

    @property
    def is_for_hire(self) -> bool:
        """Whether somebody is paid for the transport by road: a carrier, or the owner of the vehicle."""
        return self.is_by_a_carrier or (self.is_by_road and bool(self.text("ide/tpTransp")))

    @property
    def payments(self) -> Sequence[Group]:
        """Every `infPag`."""
        return self.freight.all("infPag")

    @cached_property
    def mode_fault(self) -> str:
        """The first violation of the XSD of the mode; empty if there is none."""
        around = self.element.find("/".join(map(DIALECT.tag, ("infMDFe", "infModal"))))
        schema = _MODE_SCHEMAS.get(self.mode)
        return "" if around is None else fault_inside(self, around, schema, _MODE_FAULT)

    @property
    def trip(self) -> Trip:
        """What rules compare of two MDF-e."""
        return Trip(
            issuer=self.author,
            issuer_base=tax_id_base(self.author),
            plate=self.tractor.text("placa"),
            issuer_type=self.issuer_type,
            start_state=self.start,
            end_state=self.end,
            states_between=len(self.route),
            loads_later=self.loads_later,
        )

    @property
    def open_manifests(self) -> OpenManifests:
        """The open MDF-e of this environment."""
        return OpenManifests(self.context.store, self.service_path.environment)

    @cached_property
    def open_of_vehicle(self) -> Sequence[OpenManifest]:
        """The other open MDF-e of the tractor, the oldest first; none if the cargo does not go by road."""
        trip = self.trip
        if not trip.plate:
            return ()
        manifests = self.open_manifests.of_vehicle(trip.issuer_base, trip.plate)
        return [manifest for manifest in manifests if manifest.access_key != self.access_key]

    def referred(self, access_key: str) -> "JudgedMdfe | None":
        """Returns a stored MDF-e by its key."""
        stored = self.ledger.document(self.service_path.environment, access_key)
        return reopened(stored, self) if stored else None

    @cached_property
    def _identification(self) -> Group:
        return self.content.group("ide") or NOTHING

    def _keys(self, group: str, tag: str) -> Sequence[str]:
        return [document.text(tag) for unloading in self.unloadings for document in unloading.all(group)]


@dataclass(frozen=True)
class JudgedMdfeEvent(JudgedSingleEvent):
    """One `eventoMDFe`, which is valid against its general XSD."""

    dialect = DIALECT

    @cached_property
    def mdfe(self) -> JudgedMdfe | None:
        """The document of the event, ready for rules; None if the authority does not have it."""
        return reopened(self.document, self) if self.document else None

    @property
    def payments(self) -> Sequence[Group]:
        """Every `infPag`; only events about payments have some."""
        return self.detail.all("infPag")

    @property
    def issued_on(self) -> date:
        """The day of issue of the document."""
        return self.mdfe.issued_on if self.mdfe else date.min

    def earlier_details(self, event_type: JudgedEventType) -> list[Group]:
        """Returns the content of the earlier events of a type."""
        return [detail_of(event) for event in self.earlier if event.type == event_type.code]


def reopened(document: StoredDocument, judged: JudgedMdfe | JudgedMdfeEvent) -> JudgedMdfe:
    """Returns a stored MDF-e, ready for rules."""
    return JudgedMdfe(etree.fromstring(document.xml), judged.service_path, judged.context)
