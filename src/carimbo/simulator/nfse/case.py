"""A declaration (DPS) in front of the judge, with all that the judge may look at."""

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property

from carimbo.fiscal.tables.national_services import NATIONAL_SERVICES, Incidence, NationalService
from carimbo.simulator.calendar import Milestone
from carimbo.simulator.cities import City, city_of
from carimbo.simulator.group import NOTHING, Group, group_of
from carimbo.simulator.ledger import StoredDocument, StoredEvent
from carimbo.simulator.nfse.call import NAMESPACE
from carimbo.simulator.nfse.declarations import Declarations
from carimbo.simulator.nfse.parties import tax_id
from carimbo.simulator.nfse.stored import note_of
from carimbo.simulator.presented import Presented

PLACE, COUNTRY = "serv/locPrest/cLocPrestacao", "serv/locPrest/cPaisPrestacao"
"""Where the service was done; a note has one of them."""
AT_SEA = "0000000"
"""`cLocPrestacao` of what was done in the waters of Brazil."""


@dataclass(frozen=True)
class NoteCase(Presented):
    """One `DPS`, which has passed its XSD; it is the root of a tree of its own."""

    @cached_property
    def note(self) -> Group:
        """`infDPS`."""
        return group_of(next(self.element.iterchildren(f"{{{NAMESPACE}}}infDPS")))

    @property
    def id(self) -> str:
        """What tells a declaration from every other."""
        return self.note.attributes.get("Id", "")

    @property
    def author(self) -> str:
        """CNPJ or CPF of the provider, who issues."""
        return tax_id(self.note.group("prest"))

    @cached_property
    def issued_at(self) -> datetime:
        """`dhEmi`."""
        return datetime.fromisoformat(self.text("dhEmi"))

    @cached_property
    def competence(self) -> date:
        """`dCompet`."""
        return date.fromisoformat(self.text("dCompet"))

    def follows(self, milestone: Milestone) -> bool:
        """Returns whether a rule of the calendar had begun on the day of competence."""
        return self.calendar.is_in_force(milestone, self.competence)

    @property
    def service_code(self) -> str:
        """`cTribNac`."""
        return self.text("serv/cServ/cTribNac")

    @cached_property
    def service(self) -> NationalService | None:
        """What was done, by the national list; None if it is not there."""
        return NATIONAL_SERVICES.rows.get(self.service_code)

    @property
    def city_of_service(self) -> str:
        """The city where the service was done; empty abroad and at sea."""
        place = self.text(PLACE)
        return "" if place == AT_SEA else place

    @cached_property
    def city_of_incidence(self) -> str:
        """The city that the ISS belongs to (LC 116/2003, art. 3); at sea the provider's (par. 3)."""
        places = {Incidence.PLACE: self.city_of_service, Incidence.TAKER: self.text("toma/end/endNac/cMun")}
        incidence = self.service.incidence if self.service else None
        return (places.get(incidence) if incidence else "") or self.text("cLocEmi")

    @cached_property
    def tax_city(self) -> City:
        """The parameters of the city that the ISS belongs to."""
        return city_of(self.city_of_incidence)

    @cached_property
    def earlier_key(self) -> str | None:
        """The key of the note that the same declaration became before."""
        return Declarations(self.world.store, self.place.environment).key_of(self.id)

    @property
    def replaced_key(self) -> str:
        """Of the note that this one takes the place of; empty if it takes none's."""
        return self.text("subst/chSubstda")

    @cached_property
    def replaced(self) -> StoredDocument | None:
        """The note that this one takes the place of."""
        return self.ledger.document(self.place.environment, self.replaced_key)

    @cached_property
    def replaced_note(self) -> Group:
        """The `infDPS` of the note that this one takes the place of; an empty group if there is none."""
        return note_of(self.replaced) if self.replaced else NOTHING

    @cached_property
    def replaced_events(self) -> list[StoredEvent]:
        """The events of the note that this one takes the place of."""
        return self.ledger.events(self.place.environment, self.replaced_key)

    def text(self, path: str) -> str:
        """A text of the declaration, `prest/CNPJ`; empty if it is not there."""
        return self.note.texts.get(path, "")

    def amount(self, path: str) -> Decimal:
        """A number of the declaration; zero if it is not there."""
        return self.note.amount(path)

    def group(self, path: str) -> Group:
        """A group of the declaration; an empty one if it is not there."""
        return self.note.group(path) or NOTHING

    def has(self, path: str) -> bool:
        """Tell whether a group or a text is there."""
        return self.note.has(path)
