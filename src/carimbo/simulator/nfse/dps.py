"""A declaration (DPS) under judgement, with everything that rules look at."""

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property

from carimbo.fiscal.tables.service_codes import NATIONAL_SERVICES, Incidence, NationalService
from carimbo.simulator.calendar import Milestone
from carimbo.simulator.cities import City, city_of
from carimbo.simulator.group import NOTHING, Group, group_of
from carimbo.simulator.ledger import StoredDocument, StoredEvent
from carimbo.simulator.nfse.call import NAMESPACE
from carimbo.simulator.nfse.stored_notes import Declarations, party_tax_id, stored_dps
from carimbo.simulator.rules import SignedSubmission

PLACE, COUNTRY = "serv/locPrest/cLocPrestacao", "serv/locPrest/cPaisPrestacao"
"""The place of the service: a declaration has one of them."""
AT_SEA = "0000000"
"""`cLocPrestacao` of services in Brazilian waters."""


@dataclass(frozen=True)
class JudgedDps(SignedSubmission):
    """A `DPS` that is valid by its XSD; it is the root of its own tree."""

    @cached_property
    def content(self) -> Group:
        """`infDPS`."""
        return group_of(next(self.element.iterchildren(f"{{{NAMESPACE}}}infDPS")))

    @property
    def id(self) -> str:
        """The Id of the declaration, which is unique."""
        return self.content.attributes.get("Id", "")

    @property
    def author(self) -> str:
        """CNPJ or CPF of the provider, who issues the note."""
        return party_tax_id(self.content.group("prest"))

    @cached_property
    def issued_at(self) -> datetime:
        """`dhEmi`."""
        return datetime.fromisoformat(self.text("dhEmi"))

    @cached_property
    def competence(self) -> date:
        """`dCompet`."""
        return date.fromisoformat(self.text("dCompet"))

    def follows(self, milestone: Milestone) -> bool:
        """Returns whether a dated rule is in force on the day of competence."""
        return self.calendar.is_in_force(milestone, self.competence)

    @property
    def service_code(self) -> str:
        """`cTribNac`."""
        return self.text("serv/cServ/cTribNac")

    @cached_property
    def service(self) -> NationalService | None:
        """The service in the national list; None if it is not listed."""
        return NATIONAL_SERVICES.rows.get(self.service_code)

    @property
    def city_of_service(self) -> str:
        """The city where the service was performed; empty abroad and at sea."""
        place = self.text(PLACE)
        return "" if place == AT_SEA else place

    @cached_property
    def city_of_incidence(self) -> str:
        """The city that receives the ISS (LC 116/2003, art. 3); at sea the provider's (par. 3)."""
        places = {Incidence.PLACE: self.city_of_service, Incidence.TAKER: self.text("toma/end/endNac/cMun")}
        incidence = self.service.incidence if self.service else None
        return (places.get(incidence) if incidence else "") or self.text("cLocEmi")

    @cached_property
    def tax_city(self) -> City:
        """The parameters of the city that receives the ISS."""
        return city_of(self.city_of_incidence)

    @cached_property
    def earlier_key(self) -> str | None:
        """The key of the note already issued for the same declaration, if any."""
        return Declarations(self.context.store, self.service_path.environment).key_of(self.id)

    @property
    def replaced_key(self) -> str:
        """The key of the note that this one replaces, or an empty text."""
        return self.text("subst/chSubstda")

    @cached_property
    def replaced(self) -> StoredDocument | None:
        """The note that this one replaces, if it is stored."""
        return self.ledger.document(self.service_path.environment, self.replaced_key)

    @cached_property
    def replaced_note(self) -> Group:
        """The `infDPS` of the note that this one replaces; an empty group if there is none."""
        return stored_dps(self.replaced) if self.replaced else NOTHING

    @cached_property
    def replaced_events(self) -> list[StoredEvent]:
        """The events of the note that this one replaces."""
        return self.ledger.events(self.service_path.environment, self.replaced_key)

    def text(self, path: str) -> str:
        """Returns a text of the declaration by its path, such as `prest/CNPJ`; empty if missing."""
        return self.content.texts.get(path, "")

    def amount(self, path: str) -> Decimal:
        """Returns a number of the declaration; zero if missing."""
        return self.content.amount(path)

    def group(self, path: str) -> Group:
        """Returns a group of the declaration; an empty one if missing."""
        return self.content.group(path) or NOTHING

    def has(self, path: str) -> bool:
        """Returns whether the declaration has a group or a text."""
        return self.content.has(path)
