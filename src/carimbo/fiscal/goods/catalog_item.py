"""The fiscal fields that a product of the catalog may have, for the documents of goods."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from carimbo.fiscal.fields import Body, Cfop, GoodsOrigin, Ncm
from carimbo.fiscal.goods.federal_taxes import ContributionBody, IpiBody
from carimbo.fiscal.goods.ibs_cbs import IbsCbsBody
from carimbo.fiscal.goods.icms_body import IcmsBody
from carimbo.fiscal.goods.item_body import BenefitCode, Cest, Gtin, Unit


def _without_dots(value: Any) -> Any:
    """The official table writes NCM and CEST with dots, and documents write them without."""
    return value.replace(".", "").strip() if isinstance(value, str) else value


_DOTTED = BeforeValidator(_without_dots)


class GoodsFiscal(Body):
    """Which goods they are, and how they are taxed: as a line of a document says it."""

    ncm: Annotated[Ncm | None, _DOTTED] = Field(
        default=None,
        description="Código NCM com 8 dígitos, com ou sem pontos; 00 no que não é mercadoria.",
        examples=["69120000"],
    )
    cest: Annotated[Cest | None, _DOTTED] = Field(
        default=None,
        description="Código CEST com 7 dígitos, com ou sem pontos, se há substituição tributária.",
        examples=["2104600"],
    )
    cfop: Cfop | None = Field(
        default=None,
        description="CFOP da venda na UF; na falta, o padrão da empresa.",
        examples=["5102"],
    )
    gtin: Gtin | None = Field(
        default=None,
        description="GTIN (código EAN) do produto; na falta, a nota leva SEM GTIN (cEAN).",
        examples=["7891000315507"],
    )
    unit: Unit | None = Field(
        default=None, description="Unidade de venda; na falta, UN (uCom).", examples=["UN", "KG", "CX"]
    )
    origin: GoodsOrigin | None = Field(
        default=None,
        description="Origem da mercadoria, de 0 a 8; na falta, a padrão da empresa, ou 0, nacional (orig).",
    )
    benefit_code: BenefitCode | None = Field(
        default=None,
        description="Código de benefício fiscal da UF, ou SEM CBENEF (cBenef).",
        examples=["SP010001"],
    )
    icms: IcmsBody | None = Field(
        default=None,
        description="ICMS; na falta, o da venda comum: CSOSN 102 no Simples e no MEI, CST 00 nos outros.",
    )
    pis: ContributionBody | None = Field(
        default=None, description="PIS; na falta, CST 01 (08 se exportado) no regime normal e 49 nos outros."
    )
    cofins: ContributionBody | None = Field(
        default=None,
        description="COFINS; na falta, CST 01 (08 se exportado) no regime normal e 49 nos outros.",
    )
    ipi: IpiBody | None = Field(default=None, description="IPI; na falta, a nota não o leva.")
    ibs_cbs: IbsCbsBody | None = Field(
        default=None,
        description="IBS e CBS; na falta, tributação integral no regime normal e nada nos outros (IBSCBS).",
    )


def needed_alone(fiscal: GoodsFiscal) -> tuple[str, ...]:
    """What lacks in a product that takes nothing from the company, by our JSON's names."""
    needed = {"ncm": fiscal.ncm, "cfop": fiscal.cfop, "icms": fiscal.icms}
    return tuple(name for name, value in needed.items() if value is None)
