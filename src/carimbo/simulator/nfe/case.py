"""A document in front of the judge, with all that the judge may look at."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property

from carimbo.simulator.calendar import Milestone
from carimbo.simulator.group import Group, group_of
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.nfe.key_parts import number_id
from carimbo.simulator.nfe.line import Line, line_of
from carimbo.simulator.presented import Presented

NFE, NFCE = "55", "65"
_NAMESPACE = "{http://www.portalfiscal.inf.br/nfe}"


@dataclass(frozen=True)
class Case(Presented):
    """One `NFe`, which has passed its XSD; it is the root of a tree of its own."""

    @cached_property
    def invoice(self) -> Group:
        """`infNFe`."""
        return group_of(next(self.element.iterchildren(f"{_NAMESPACE}infNFe")))

    @cached_property
    def supplement(self) -> Group | None:
        """`infNFeSupl`, which only receipts have."""
        found = next(self.element.iterchildren(f"{_NAMESPACE}infNFeSupl"), None)
        return None if found is None else group_of(found)

    @cached_property
    def holder(self) -> StoredDocument | None:
        """The document that has the number of this one, under whatever key."""
        return self.ledger.holder_of_number(self.place.environment, number_id(self.access_key))

    @property
    def known(self) -> StoredDocument | None:
        """The document of the same key that the authorities hold."""
        return self.holder if self.holder and self.holder.access_key == self.access_key else None

    @property
    def access_key(self) -> str:
        """The key as the Id has it."""
        return self.invoice.attributes.get("Id", "")[3:]

    @property
    def author(self) -> str:
        """CNPJ or CPF of the issuer."""
        return self.text("emit/CNPJ") or self.text("emit/CPF")

    @property
    def model(self) -> str:
        """`55` or `65`."""
        return self.text("ide/mod")

    @cached_property
    def issued_at(self) -> datetime:
        """`dhEmi`."""
        return datetime.fromisoformat(self.text("ide/dhEmi"))

    @property
    def issued_on(self) -> date:
        """The day of `dhEmi` in the document's own offset: the rules of that day are its rules."""
        return self.issued_at.date()

    def follows(self, milestone: Milestone) -> bool:
        """Returns whether a rule of the calendar had begun on the day of issue."""
        return self.calendar.is_in_force(milestone, self.issued_on)

    @property
    def items(self) -> Sequence[Group]:
        """Every `det`."""
        return self.invoice.all("det")

    @cached_property
    def lines(self) -> Sequence[Line]:
        """Every item, read for the rules about items."""
        return tuple(map(line_of, self.items))

    def text(self, path: str) -> str:
        """A text of the document, `ide/cUF`; empty if it is not there."""
        return self.invoice.texts.get(path, "")
