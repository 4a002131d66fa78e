"""What every message that comes signed has, whatever it is about."""

from typing import Protocol

from carimbo.simulator.family import World
from carimbo.simulator.signature import Signature


class Signed(Protocol):
    """A message that somebody has to have signed."""

    @property
    def signature(self) -> Signature | None:
        """The signature; None if there is none."""

    @property
    def author(self) -> str:
        """CNPJ or CPF of who has to have signed."""

    @property
    def world(self) -> World:
        """What the authority sees."""
