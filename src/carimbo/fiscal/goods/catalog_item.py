"""The fiscal fields of a product of the catalog: as in an item of a document, without values of one sale."""

from typing import TYPE_CHECKING, Annotated, Any, get_args

from pydantic import BeforeValidator, Field, ValidationInfo, create_model
from pydantic.fields import FieldInfo
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

from carimbo.fiscal.body.fields import MAY_HAVE_DOTS, Body, Cfop, GoodsOrigin, Money, Ncm
from carimbo.fiscal.body.reading import checked_when_sent, is_stored
from carimbo.fiscal.goods.cfop import is_within_the_state
from carimbo.fiscal.goods.federal_taxes import ContributionBody, IpiBody
from carimbo.fiscal.goods.ibs_cbs_body import IbsCbsBody
from carimbo.fiscal.goods.icms_body import IcmsBody
from carimbo.fiscal.goods.item_body import BenefitCode, Cest, Gtin, Unit
from carimbo.fiscal.goods.items import NO_GTIN
from carimbo.fiscal.identity.gtin import is_gtin
from carimbo.fiscal.money import ZERO
from carimbo.fiscal.tables.goods_codes import CESTS, CFOPS, NCMS


def _refuse(value: Any, info: ValidationInfo) -> None:
    if value is not None and not is_stored(info):
        raise PydanticCustomError(
            "depends_on_sale", "Depende da venda: informe códigos e alíquotas, não valores nem quantidades."
        )


# Not in the published contract, because every value is refused.
_DependsOnSale = Annotated[SkipJsonSchema[None], BeforeValidator(_refuse)]


def _catalog_form(form: type[Body]) -> Any:
    """Returns the model of a tax without the fields that depend on one sale."""
    fields: dict[str, Any] = {name: _catalog_field(name, field) for name, field in form.model_fields.items()}
    return create_model(f"Catalog{form.__name__}", __base__=Body, __doc__=form.__doc__, **fields)


def _catalog_field(name: str, field: FieldInfo) -> tuple[Any, Any]:
    types = get_args(field.annotation) or (field.annotation,)
    body = next((type_ for type_ in types if isinstance(type_, type) and issubclass(type_, Body)), None)
    if body:
        return _catalog_form(body) | None, field
    # Groups of the layout consist of amounts, so they are refused as a whole.
    has_group = any(hasattr(type_, "__dataclass_fields__") for type_ in types)
    if Money in types or name.endswith("quantity") or has_group:
        return _DependsOnSale, Field(default=None)
    return field.annotation, field


if TYPE_CHECKING:
    CatalogIcms = IcmsBody
    CatalogContribution = ContributionBody
    CatalogIpi = IpiBody
    CatalogIbsCbs = IbsCbsBody
else:
    CatalogIcms = _catalog_form(IcmsBody)
    CatalogContribution = _catalog_form(ContributionBody)
    CatalogIpi = _catalog_form(IpiBody)
    CatalogIbsCbs = _catalog_form(IbsCbsBody)


_LENGTH_OF_NCM = 8
# CST whose rate comes from the settings of the company if the item has none.
_WITH_RATE = frozenset({"00", "10", "20", "51", "70", "90"})
_WITH_CREDIT = frozenset({"101", "201"})


def _is_of_one_regime(icms: IcmsBody) -> bool:
    return icms.cst is None or icms.csosn is None


# Authorities accept the two digits 00 only in documents without goods (rule 471).
_WHOLE_NCM = checked_when_sent(
    lambda code: len(code) == _LENGTH_OF_NCM, "Informe os 8 dígitos; 00000000 no que não é mercadoria."
)
# As rule 778 of documents, without the codes for exports (99): an item describes a sale within the state, and
# the document of an export may have another code.
_KNOWN_NCM = checked_when_sent(lambda code: code in NCMS, "Não existe na tabela NCM em vigor.")
_KNOWN_CEST = checked_when_sent(lambda code: code in CESTS, "Não está na tabela CEST.")
_KNOWN_CFOP = checked_when_sent(
    lambda code: code in CFOPS and is_within_the_state(code),
    "Não é um CFOP de saída na UF: informe um da tabela que comece por 5.",
)
_TRUE_GTIN = checked_when_sent(
    lambda code: code == NO_GTIN or is_gtin(code), "GTIN inválido: confira o dígito verificador."
)
_ONE_REGIME = checked_when_sent(_is_of_one_regime, "Informe cst ou csosn, não os dois.")


class GoodsFiscal(Body):
    """The fiscal fields of goods and their taxes, as in an item of a document."""

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


def missing_without_defaults(fiscal: GoodsFiscal) -> tuple[str, ...]:
    """Returns the missing JSON fields of a product that does not use the defaults of the company."""
    icms = fiscal.icms or IcmsBody()
    needed = {
        "ncm": fiscal.ncm,
        "cfop": fiscal.cfop,
        "icms.cst": icms.cst or icms.csosn,
        "icms.rate": icms.rate if icms.cst in _WITH_RATE else ZERO,
        "icms.creditRate": icms.credit_rate if icms.csosn in _WITH_CREDIT else ZERO,
    }
    return tuple(name for name, value in needed.items() if value is None)
