"""What is put in front of an authority with a signature."""

from dataclasses import dataclass
from functools import cached_property

from lxml import etree

from carimbo.simulator.calendar import Calendar
from carimbo.simulator.family import World
from carimbo.simulator.ledger import Ledger
from carimbo.simulator.place import Place
from carimbo.simulator.signature import Signature, signature_of


@dataclass(frozen=True)
class Presented:
    """A document or an event; it is the root of a tree of its own."""

    element: etree._Element
    place: Place
    world: World

    @cached_property
    def signature(self) -> Signature | None:
        """The signature."""
        return signature_of(self.element)

    @property
    def calendar(self) -> Calendar:
        """The dates and rates of the authorities."""
        return self.world.controls.calendar

    @property
    def ledger(self) -> Ledger:
        """What the authorities hold already."""
        return Ledger(self.world.store)
