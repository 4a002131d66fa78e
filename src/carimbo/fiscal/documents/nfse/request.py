"""The body of a request for an NFS-e, in its two forms.

A body with `cityServiceCode` is in the detailed form: it must have `federalServiceCode` and `iss`, and takes
nothing from the company. Any other body is in the shortcut form: catalog and settings of the company fill in
what is absent.
"""

from dataclasses import dataclass
from typing import Annotated, Any
from uuid import UUID

from pydantic import (
    BeforeValidator,
    Field,
    StringConstraints,
    model_validator,
)
from pydantic_core import PydanticCustomError

from carimbo.fiscal.body.date_fields import IsoDay
from carimbo.fiscal.body.fields import (
    MAY_HAVE_DOTS,
    Body,
    Category,
    CityCode,
    CnaeCode,
    ExternalId,
    FederalServiceCode,
    GuaranteeDays,
    ItemName,
    Notes,
    Sku,
    Text,
    UnitValue,
)
from carimbo.fiscal.body.published import Published
from carimbo.fiscal.body.reading import reading_of, without_blanks
from carimbo.fiscal.documents.nfse.bodies import (
    PLAIN_CODES,
    BorrowerBody,
    IssBody,
    ServiceIbsCbsBody,
    TaxesBody,
    TotalTaxesBody,
)
from carimbo.fiscal.layouts.dps_v1.amounts import Deductions, Discounts, MunicipalBenefit
from carimbo.fiscal.layouts.dps_v1.service import Construction, ForeignTrade, PublicEvent
from carimbo.fiscal.parties.address import CountryCode

MAX_DESCRIPTION_LENGTH = 2000
DIRECT_SKU = "direct-api-nfse"
"""The SKU of notes that have none."""
_MAX_NAME_LENGTH = 64
# Required fields of the detailed form, with the text of what to send.
_OF_DETAILED_FORM = {
    "federalServiceCode": "federalServiceCode, o item da LC 116, como 01.05",
    "iss": "iss.rate, a alíquota em percentual, como 2",
}
_PROCESS = "informe suspension.processNumber, o número do processo com 30 dígitos (zeros à esquerda)."
# By nature of the operation, the field that it requires, and what to send in it.
_OF_NATURE = {
    "3": (
        "benefit",
        "isenção: informe benefit.number, o número do benefício municipal com 14 dígitos (nBM) e, se ele só"
        " reduz a base, reductionRate ou reductionAmount.",
    ),
    "4": (
        "immunityType",
        "imunidade: 1 entes públicos, 2 templos, 3 partidos, sindicatos, escolas e assistência social,"
        " 4 livros e periódicos, 5 fonogramas e videofonogramas (tpImunidade).",
    ),
    "5": ("suspension", f"suspensão por decisão judicial: {_PROCESS}"),
    "6": ("suspension", f"suspensão por processo administrativo: {_PROCESS}"),
}


@dataclass(frozen=True, slots=True)
class _Lacking:
    """Marks a missing field, until it is validated with all others."""

    message: str


def _refuse_lacking(value: Any) -> Any:
    if isinstance(value, _Lacking):
        raise PydanticCustomError("missing_in_form", "{message}", {"message": value.message})
    return value


IN_FORM = BeforeValidator(_refuse_lacking)
CityServiceCode = Annotated[Text, StringConstraints(max_length=20)]
Nbs = Annotated[str, StringConstraints(pattern=r"^[0-9]{9}$"), MAY_HAVE_DOTS]
# The layout allows larger amounts, but the price is also stored in the catalog.
Amount = Annotated[UnitValue, Field(gt=0, decimal_places=2), Published(exclusiveMinimum=0)]


class SuspensionBody(Body):
    """The decision that suspends the ISS."""

    process_number: Annotated[str, StringConstraints(pattern=r"^[0-9]{30}$")] = Field(
        description="Número do processo, com 30 dígitos (nProcesso)."
    )


class ReplacementBody(Body):
    """The NFS-e that the new one replaces."""

    document_id: UUID = Field(description="Id da NFS-e substituída, que fica cancelada.")
    reason_code: Annotated[str, StringConstraints(pattern=r"^(0[1-5]|99)$")] = Field(
        default="99", description="Código do motivo: 01 a 05, ou 99 (cMotivo)."
    )
    reason: Annotated[Text, StringConstraints(min_length=15, max_length=255)] | None = Field(
        default=None, description="Motivo, de 15 a 255 caracteres; obrigatório com 99 (xMotivo)."
    )


class NfseRequest(Body):
    """An NFS-e to issue."""

    service_description: Annotated[Notes, StringConstraints(max_length=MAX_DESCRIPTION_LENGTH)] = Field(
        description="Descrição do serviço, que aceita variáveis como {nomeProduto} (xDescServ).",
        examples=["Assinatura mensal do plano {nomeProduto}"],
    )
    name: ItemName | None = Field(
        default=None, description="Nome no catálogo; na falta, os primeiros 64 caracteres da descrição."
    )
    sku: Sku = Field(default=DIRECT_SKU, description="SKU no catálogo.")
    category: Category = Field(
        default="other_service", description="Categoria no catálogo.", examples=["saas"]
    )
    guarantee: GuaranteeDays | None = Field(default=None, description="Garantia, de 1 a 365 dias.")
    service_code: CityServiceCode | None = Field(
        default=None,
        description=(
            "Código municipal do serviço, na forma simples; sem federalServiceCode, vale o do serviço"
            " do catálogo que tem o mesmo cityServiceCode."
        ),
    )
    city_service_code: CityServiceCode | None = Field(
        default=None,
        description=(
            "Código municipal do serviço (cTribMun, se tem 3 dígitos); faz a forma detalhada, que exige"
            " federalServiceCode e iss e não usa as configurações da empresa."
        ),
    )
    federal_service_code: Annotated[FederalServiceCode | None, IN_FORM] = Field(
        default=None,
        description=(
            "Item da lista de serviços, como 01.05, ou código nacional, como 01.05.01; na forma simples, na"
            " falta, o do catálogo ou o das configurações (cTribNac)."
        ),
        examples=["01.05"],
    )
    nbs: Nbs | None = Field(
        default=None, description="Código NBS, com ou sem pontos (cNBS).", examples=["1.1502.10.00"]
    )
    cnae_code: CnaeCode | None = Field(default=None, description="CNAE; o padrão nacional não o leva.")
    iss: Annotated[IssBody | None, IN_FORM] = Field(
        default=None,
        description="ISS; na forma simples, na falta, o do catálogo ou nfse.issRate das configurações.",
    )
    ibs_cbs: ServiceIbsCbsBody | None = Field(
        default=None, description="IBS e CBS; na falta, os padrões, para quem é do regime normal (IBSCBS)."
    )
    nature_of_operation: Annotated[str, StringConstraints(pattern=r"^[1-6]$")] = Field(
        default="1",
        description=(
            "1 tributação no município, 2 fora do município, 3 isenção (com benefit), 4 imunidade (com"
            " immunityType), 5 suspensa por decisão judicial, 6 por processo administrativo (com suspension)."
        ),
    )
    service_location: Annotated[str, StringConstraints(pattern=r"^[12]$")] = Field(
        default="1", description="Local da prestação: 1 município do prestador, 2 do tomador."
    )
    service_city_code: CityCode | None = Field(
        default=None,
        description="Código IBGE do local da prestação, se é outro município (cLocPrestacao).",
    )
    service_country_code: CountryCode | None = Field(
        default=None,
        description="País da prestação, em letras ou pelo código, se foi no exterior (cPaisPrestacao).",
    )
    result_country_code: CountryCode | None = Field(
        default=None,
        description="País onde se verifica o resultado: com ele o serviço é exportado (cPaisResult).",
    )
    municipality_of_incidence: Annotated[str, StringConstraints(pattern=r"^[0-2]$")] = Field(
        default="0",
        description=(
            "Município que tributa: 0 o da lei, 1 o do prestador, 2 o do local; o padrão nacional o deduz do"
            " serviço, e avisamos se não é o informado."
        ),
    )
    taxes: TaxesBody | None = Field(default=None, description="Tributos federais e retenções (tribFed).")
    total_taxes: TotalTaxesBody | None = Field(
        default=None, description="Carga tributária aproximada, do regime normal (totTrib)."
    )
    amount: Amount = Field(description="Valor do serviço, em reais (vServ).", examples=[150])
    discounts: Discounts | None = Field(default=None, description="Descontos, em reais (vDescCondIncond).")
    deductions: Annotated[Deductions | None, PLAIN_CODES] = Field(
        default=None, description="Deduções da base do ISS que a lei admite (vDedRed)."
    )
    benefit: Annotated[MunicipalBenefit | None, IN_FORM] = Field(
        default=None, description="Benefício municipal, com natureOfOperation 3 (BM)."
    )
    immunity_type: Annotated[Annotated[str, StringConstraints(pattern=r"^[1-5]$")] | None, IN_FORM] = Field(
        default=None, description="Tipo da imunidade, de 1 a 5, com natureOfOperation 4 (tpImunidade)."
    )
    suspension: Annotated[SuspensionBody | None, IN_FORM] = Field(
        default=None, description="Processo da suspensão, com natureOfOperation 5 ou 6 (exigSusp)."
    )
    competence: IsoDay | None = Field(
        default=None,
        alias="issueDate",
        description="Data da competência, que não é a da emissão; na falta, a de hoje (dCompet).",
        examples=["2026-11-14"],
    )
    external_id: ExternalId | None = Field(
        default=None,
        description="Identificador no sistema de quem chama; o mesmo não cria um segundo documento.",
    )
    borrower: BorrowerBody = Field(description="Tomador do serviço (toma).")
    intermediary: BorrowerBody | None = Field(
        default=None, description="Intermediário do serviço, como o tomador (interm)."
    )
    foreign_trade: ForeignTrade | None = Field(
        default=None, description="Comércio exterior, para serviço com o exterior (comExt)."
    )
    construction: Annotated[Construction | None, PLAIN_CODES] = Field(
        default=None, description="Obra, para os serviços de construção (obra)."
    )
    event: Annotated[PublicEvent | None, PLAIN_CODES] = Field(
        default=None, description="Evento, para os serviços do item 12 (atvEvento)."
    )
    notes: Annotated[Notes, StringConstraints(max_length=2000)] | None = Field(
        default=None, description="Informações complementares (xInfComp)."
    )
    replaces: ReplacementBody | None = Field(
        default=None, description="NFS-e que esta substitui e cancela (subst)."
    )

    @model_validator(mode="before")
    @classmethod
    def of_one_form(cls, data: Any) -> Any:
        """Marks the fields that form and nature require, so that they are reported with all other errors."""
        data = without_blanks(data, reading_of(cls, clears=False))
        if not isinstance(data, dict):
            return data
        marks: dict[str, _Lacking] = {}
        if "cityServiceCode" in data:
            for name in _OF_DETAILED_FORM.keys() - data.keys():
                marks[name] = _Lacking(
                    "Obrigatório na forma detalhada, que é a de um corpo com cityServiceCode: informe"
                    f" {_OF_DETAILED_FORM[name]}, ou envie serviceCode no lugar de cityServiceCode para usar"
                    " as configurações da empresa."
                )
        nature = data.get("natureOfOperation")
        needed, meaning = _OF_NATURE.get(nature, ("", "")) if isinstance(nature, str) else ("", "")
        if needed and data.get(needed) is None:
            marks[needed] = _Lacking(f"Obrigatório com a natureza da operação {nature}, {meaning}")
        return data | marks

    @property
    def item_name(self) -> str:
        """The name of the service in the catalog."""
        return self.name or " ".join(self.service_description.split())[:_MAX_NAME_LENGTH].strip()
