"""Economic activities (CNAE subclasses), as companies register them with the federal revenue."""

from dataclasses import dataclass
from typing import Annotated

from carimbo.fiscal.tables.table import Table


@dataclass(frozen=True, slots=True)
class Cnae:
    """A subclass of seven digits."""

    code: Annotated[str, "[0-9]{7}"]
    description: str


CNAES: Table[str, Cnae] = Table("cnae", Cnae, lambda cnae: cnae.code)
