"""The fiscal fields that a product of the catalog may have, for the documents of goods."""

from typing import Annotated

from pydantic import Field

from carimbo.fiscal.fields import MAY_HAVE_DOTS, Body, Cfop, GoodsOrigin, Ncm
from carimbo.fiscal.goods.cfop import is_within_the_state
from carimbo.fiscal.goods.icms_body import IcmsBody
from carimbo.fiscal.goods.item_body import BenefitCode, Cest, Gtin, Unit
from carimbo.fiscal.goods.items import NO_GTIN
from carimbo.fiscal.goods.lasting_taxes import CatalogContribution, CatalogIbsCbs, CatalogIcms, CatalogIpi
from carimbo.fiscal.gtin import is_gtin
from carimbo.fiscal.money import ZERO
from carimbo.fiscal.stored import checked_once
from carimbo.fiscal.tables.cest import CESTS
from carimbo.fiscal.tables.cfop import CFOPS
from carimbo.fiscal.tables.ncm import NCMS

_LENGTH_OF_NCM = 8
# Situations whose rate the company's settings would tell, if the item does not.
_WITH_RATE = frozenset({"00", "10", "20", "51", "70", "90"})
_WITH_CREDIT = frozenset({"101", "201"})


def _is_of_one_regime(icms: IcmsBody) -> bool:
    return icms.cst is None or icms.csosn is None


# Authorities take the two digits of what is no good only in notes of services (rule 471).
_WHOLE_NCM = checked_once(
    lambda code: len(code) == _LENGTH_OF_NCM, "Informe os 8 dígitos; 00000000 no que não é mercadoria."
)
# As rule 778 of documents, but for the codes of exports alone (99): an item is described as it is sold within
# the state, and the document of an export may tell another code.
_KNOWN_NCM = checked_once(lambda code: code in NCMS, "Não existe na tabela NCM em vigor.")
_KNOWN_CEST = checked_once(lambda code: code in CESTS, "Não está na tabela CEST.")
_KNOWN_CFOP = checked_once(
    lambda code: code in CFOPS and is_within_the_state(code),
    "Não é um CFOP de saída na UF: informe um da tabela que comece por 5.",
)
_TRUE_GTIN = checked_once(
    lambda code: code == NO_GTIN or is_gtin(code), "GTIN inválido: confira o dígito verificador."
)
_ONE_REGIME = checked_once(_is_of_one_regime, "Informe cst ou csosn, não os dois.")


class GoodsFiscal(Body):
    """Which goods they are, and how they are taxed: as a line of a document says it."""

    ncm: Annotated[Annotated[Ncm, _WHOLE_NCM, _KNOWN_NCM] | None, MAY_HAVE_DOTS] = Field(
        default=None,
        description="Código NCM com 8 dígitos, com ou sem pontos; 00000000 no que não é mercadoria.",
        examples=["69120000"],
    )
    cest: Annotated[Annotated[Cest, _KNOWN_CEST] | None, MAY_HAVE_DOTS] = Field(
        default=None,
        description="Código CEST com 7 dígitos, com ou sem pontos, se há substituição tributária.",
        examples=["2104600"],
    )
    cfop: Annotated[Cfop, _KNOWN_CFOP] | None = Field(
        default=None,
        description="CFOP da venda na UF, que começa por 5; na falta, o padrão da empresa.",
        examples=["5102"],
    )
    gtin: Annotated[Gtin, _TRUE_GTIN] | None = Field(
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
    icms: Annotated[CatalogIcms, _ONE_REGIME] | None = Field(
        default=None,
        description=(
            "ICMS; na falta, o da venda comum: CSOSN 102 no Simples e no MEI, CST 00 nos outros. rate é a"
            " alíquota interna: para outra UF vale a interestadual."
        ),
    )
    pis: CatalogContribution | None = Field(
        default=None, description="PIS; na falta, CST 01 (08 se exportado) no regime normal e 49 nos outros."
    )
    cofins: CatalogContribution | None = Field(
        default=None,
        description="COFINS; na falta, CST 01 (08 se exportado) no regime normal e 49 nos outros.",
    )
    ipi: CatalogIpi | None = Field(default=None, description="IPI; na falta, a nota não o leva.")
    ibs_cbs: CatalogIbsCbs | None = Field(
        default=None,
        description="IBS e CBS; na falta, tributação integral no regime normal e nada nos outros (IBSCBS).",
    )


def needed_alone(fiscal: GoodsFiscal) -> tuple[str, ...]:
    """What lacks in a product that takes nothing from the company, by our JSON's names."""
    icms = fiscal.icms or IcmsBody()
    needed = {
        "ncm": fiscal.ncm,
        "cfop": fiscal.cfop,
        "icms.cst": icms.cst or icms.csosn,
        "icms.rate": icms.rate if icms.cst in _WITH_RATE else ZERO,
        "icms.creditRate": icms.credit_rate if icms.csosn in _WITH_CREDIT else ZERO,
    }
    return tuple(name for name, value in needed.items() if value is None)
