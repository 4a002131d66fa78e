"""An NF-e or NFC-e that is judged, with everything the rules look at."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from carimbo.simulator.calendar import Milestone
from carimbo.simulator.group import Group, group_of
from carimbo.simulator.nfe.dialect import DIALECT
from carimbo.simulator.nfe.line import Line, line_of
from carimbo.simulator.sefaz.document import JudgedDocument


@dataclass(frozen=True)
class Case(JudgedDocument):
    """One `NFe`, which has passed its XSD; it is the root of a tree of its own."""

    dialect = DIALECT

    @cached_property
    def supplement(self) -> Group | None:
        """`infNFeSupl`, which only receipts have."""
        element = next(self.element.iterchildren(DIALECT.tag("infNFeSupl")), None)
        return None if element is None else group_of(element)

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
        return self.content.all("det")

    @cached_property
    def lines(self) -> Sequence[Line]:
        """Every item, read for the rules about items."""
        return tuple(map(line_of, self.items))
