"""Settings of a company for a document type: numbering, and values that the type adds."""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from carimbo.fiscal.body.fields import Changes, Integer
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.printout import PaperSize
from carimbo.fiscal.setting_label import SettingLabel

# 890-919 are reserved for the tax offices, 920-969 for issuers with a CPF, 970-989 for PAA (MOC, serie).
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


SERIES = SettingLabel("Série", is_listed=False)
NEXT_NUMBER = SettingLabel(
    "Próximo número",
    is_listed=False,
    hint="Em branco, a numeração segue de onde está. Preencha para continuar a de outro programa.",
)


class ModuleEnvironment(StrEnum):
    """An environment that a module may set instead of its company's; `test` means homologation."""

    PRODUCTION = "production"
    HOMOLOGATION = "homologation"
    TEST = "test"


class ModuleSettings(Changes):
    """The settings of a company for a document type; all types have a numbering."""

    series: Annotated[Series, SERIES] = 1
    number: Annotated[Number | None, NEXT_NUMBER] = None

    @property
    def switch(self) -> bool | None:
        """Whether the module is enabled; None for a module that can't be disabled."""
        return None

    @property
    def own_environment(self) -> ModuleEnvironment | None:
        """The environment of the module, if it differs from the company's."""
        return None

    @property
    def default_paper(self) -> PaperSize | None:
        """The paper size that the company prints on; None for a module without that choice."""
        return None

    def effective_environment(self, company_environment: Environment) -> Environment:
        """Returns the environment of the module: its own if it has one, else the company's."""
        own = self.own_environment
        if own is None:
            return company_environment
        return Environment.PRODUCTION if own is ModuleEnvironment.PRODUCTION else Environment.HOMOLOGATION
