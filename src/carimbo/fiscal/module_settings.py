"""What a company sets for a document type: numbering, and what else the type needs."""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.fields import Changes, Integer
from carimbo.fiscal.printout import Paper

# 890-919 belong to the tax offices, 920-969 to issuers with a CPF, 970-989 to PAA (MOC, serie).
_LAST_SERIES = 889


def _refuse_reserved_series(value: Any) -> Any:
    if type(value) is int and value > _LAST_SERIES:
        raise PydanticCustomError("series", "A série vai de 0 a 889; de 890 em diante é reservada.")
    return value


Series = Annotated[
    Integer,
    Field(ge=0, le=_LAST_SERIES, description="Série de 0 a 889."),
    BeforeValidator(_refuse_reserved_series),
]
LAST_NUMBER = 999_999_999
Number = Annotated[
    Integer, Field(ge=1, le=LAST_NUMBER, description="Próximo número; guardado por ambiente e série.")
]


class ModuleEnvironment(StrEnum):
    """An environment that a module may have apart from its company's; `test` means homologation."""

    PRODUCTION = "production"
    HOMOLOGATION = "homologation"
    TEST = "test"


class ModuleSettings(Changes):
    """A company's settings for one document type: every type numbers its documents."""

    series: Series = 1
    number: Number | None = None

    @property
    def switch(self) -> bool | None:
        """Whether the module is switched on; None for a module without a switch."""
        return None

    @property
    def own_environment(self) -> ModuleEnvironment | None:
        """The environment that the module has apart from its company's, if any."""
        return None

    @property
    def usual_paper(self) -> Paper | None:
        """The paper that the company prints on; None for a module without that choice."""
        return None

    def environment_beside(self, companys: Environment) -> Environment:
        """Returns the environment of this module: its own, where it has one, before the company's."""
        own = self.own_environment
        if own is None:
            return companys
        return Environment.PRODUCTION if own is ModuleEnvironment.PRODUCTION else Environment.HOMOLOGATION
