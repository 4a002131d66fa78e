"""Parts of the body of a request for an NFS-e: the borrower and the taxes."""

from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, StringConstraints

from carimbo.fiscal.body.fields import (
    Body,
    Email,
    Flag,
    Money,
    NoteKey,
    Percent,
    Phone,
    TaxId,
    Text,
    zipcode_digits,
)
from carimbo.fiscal.identity.tax_ids import is_cpf
from carimbo.fiscal.layouts.dps_v1 import parties as layout
from carimbo.fiscal.layouts.dps_v1.ibs_cbs import Property
from carimbo.fiscal.layouts.dps_v1.parties import Taker
from carimbo.fiscal.parties.company import MunicipalRegistration
from carimbo.fiscal.parties.party_address import (
    AnyAddress,
    ForeignAddressBody,
    NationalAddressBody,
    left_out_warning,
    missing_fields,
)
from carimbo.fiscal.tables.geography import find_country

# Required fields of `end` in the layout; the municipality's code follows from city and state.
_NEEDED_IN_BRAZIL = ("street", "number", "district", "city", "state", "zipcode")
_NEEDED_ABROAD = ("street", "number", "district", "city", "region", "postal_code")


class BorrowerBody(Body):
    """The taker of the service; it is unidentified with neither a `taxId` nor a foreign id."""

    tax_id: TaxId | None = Field(default=None, description="CPF ou CNPJ, com ou sem pontuação.")
    foreign_id: Annotated[Text, StringConstraints(max_length=40)] | None = Field(
        default=None, description="Identificação fiscal no país de quem é do exterior (NIF)."
    )
    no_foreign_id_reason: Annotated[str, StringConstraints(pattern="^[12]$")] | None = Field(
        default=None, description="Por que falta o NIF: 1 dispensado, 2 não exigido no país (cNaoNIF)."
    )
    name: Annotated[Text, StringConstraints(min_length=2, max_length=300)] = Field(
        description="Nome ou razão social.", examples=["Maria da Silva"]
    )
    municipal_registration: MunicipalRegistration | None = Field(
        default=None, description="Inscrição municipal (IM)."
    )
    email: Annotated[Email, StringConstraints(max_length=80)] | None = Field(
        default=None, description="E-mail que a nota leva."
    )
    phone: Phone | None = Field(default=None, description="Telefone com DDD.")
    address: AnyAddress | None = Field(default=None, description="Endereço, no Brasil ou no exterior (end).")

    @property
    def is_foreign(self) -> bool:
        """Whether the taker is abroad."""
        has_foreign_id = bool(self.foreign_id or self.no_foreign_id_reason)
        return has_foreign_id or isinstance(self.address, ForeignAddressBody)

    @property
    def is_identified(self) -> bool:
        """Whether the document can name the taker."""
        return bool(self.tax_id or self.foreign_id or self.no_foreign_id_reason)

    @property
    def is_person(self) -> bool:
        """Whether the taker is a natural person in Brazil, with a CPF."""
        return self.tax_id is not None and is_cpf(self.tax_id)

    @property
    def city_code(self) -> str | None:
        """The municipality of the taker; None if it is abroad or unknown."""
        return self.address.city_code if isinstance(self.address, NationalAddressBody) else None

    @property
    def missing_in_address(self) -> tuple[str, ...]:
        """The fields that the layout requires and the address lacks, by their JSON names."""
        if self.address is None:
            return ()
        is_abroad = isinstance(self.address, ForeignAddressBody)
        return missing_fields(self.address, _NEEDED_ABROAD if is_abroad else _NEEDED_IN_BRAZIL)

    def address_gaps(self, path: str) -> tuple[str, ...]:
        """Returns the path of a missing address, or those of its missing fields."""
        if self.address is None:
            return (path,)
        return tuple(f"{path}.{name}" for name in self.missing_in_address)

    def address_warning(self, path: str) -> str | None:
        """Returns the warning about an incomplete address, which the note omits."""
        missing = self.missing_in_address if self.is_identified else ()
        return left_out_warning(path, missing) if missing else None


def taker_of(body: BorrowerBody | None) -> Taker | None:
    """Returns taker or intermediary as a group of the layout; None if it is not identified.

    An incomplete address is omitted.
    """
    if body is None or not body.is_identified:
        return None
    return Taker(
        cnpj=None if body.is_person else body.tax_id,
        cpf=body.tax_id if body.is_person else None,
        foreign_id=body.foreign_id,
        no_foreign_id_reason=body.no_foreign_id_reason,
        municipal_registration=body.municipal_registration,
        name=body.name,
        address=_address(body.address) if body.address and not body.missing_in_address else None,
        phone=body.phone,
        email=body.email,
    )


def _address(body: NationalAddressBody | ForeignAddressBody) -> layout.PartyAddress:
    national, foreign = None, None
    if isinstance(body, NationalAddressBody):
        national = layout.NationalPlace(city_code=body.city_code or "", zipcode=body.zipcode or "")
    else:
        foreign = layout.ForeignPlace(
            country_code=body.country_code,
            postal_code=body.postal_code or "",
            city=body.city or "",
            region=body.region or "",
        )
    return layout.PartyAddress(
        national=national,
        foreign=foreign,
        street=body.street or "",
        number=body.number or "",
        complement=body.complement,
        district=body.district or "",
    )


def _plain_zipcode(value: Any) -> Any:
    return zipcode_digits(value) if isinstance(value, str) else value


def _plain_country(value: Any) -> Any:
    """Returns the two letters of a country; an unknown code is left for the layout to refuse."""
    country = find_country(value)
    return country.iso2 if country else value


_PLAIN: dict[str, Callable[[Any], Any]] = {"zipcode": _plain_zipcode, "countryCode": _plain_country}


def _with_plain_codes(value: Any) -> Any:
    """Returns a group with CEPs without hyphen and countries by two letters, as the layout writes them."""
    if isinstance(value, list):
        return [_with_plain_codes(part) for part in value]
    if not isinstance(value, dict):
        return value
    return {name: _PLAIN.get(name, _with_plain_codes)(part) for name, part in value.items()}


PLAIN_CODES = BeforeValidator(_with_plain_codes)
"""Normalises postal and country codes in groups of the layout that are used in request bodies."""


# The CST of PIS and COFINS that the layout has (TSTipoCST).
_CST = r"^(0[0-9]|49|5[0-6]|6[0-7]|7[0-5]|9[89])$"


class IssBody(Body):
    """ISS, the tax of the municipality."""

    rate: Percent = Field(description="Alíquota do ISS, em percentual; 0 é válida.", examples=[2])
    is_withheld: Flag = Field(default=False, description="Se o tomador retém o ISS (tpRetISSQN).")


class ServiceIbsCbsBody(Body):
    """IBS and CBS of the service."""

    cst: Annotated[str, StringConstraints(pattern=r"^[0-9]{3}$")] = Field(
        default="000", description="Situação tributária de IBS e CBS (CST)."
    )
    tax_class_code: Annotated[str, StringConstraints(pattern=r"^[0-9]{6}$")] = Field(
        default="000001", description="Classificação tributária (cClassTrib)."
    )
    operation_indicator: Annotated[str, StringConstraints(pattern=r"^[0-9]{6}$")] | None = Field(
        default=None,
        description=(
            "Indicador da operação; na falta, 100301 se a tabela oficial o tem para o serviço, ou então o da"
            " tabela (cIndOp)."
        ),
        examples=["100301"],
    )
    operation_type: Annotated[str, StringConstraints(pattern=r"^[1-5]$")] | None = Field(
        default=None,
        description="Tipo da operação, de 1 a 5, nos itens 10.05, 15.09, 17.12 e 25.05 (tpOper).",
    )
    referenced_keys: Annotated[tuple[NoteKey, ...], Field(max_length=99)] = Field(
        default=(), description="Chaves das NFS-e referidas, com operationType 2 ou 3 (refNFSe)."
    )
    personal_use: Flag | None = Field(
        default=None,
        description="Se o serviço é de uso ou consumo pessoal; na falta, se o tomador tem CPF (indFinal).",
    )
    property: Annotated[Property | None, PLAIN_CODES] = Field(
        default=None,
        description=(
            "Imóvel, por cibCode ou address; obrigatório com os indicadores que começam por 02, mas não em"
            " serviço de construção (imovel)."
        ),
    )


class WithholdingBody(Body):
    """A federal tax on the service."""

    rate: Percent = Field(description="Alíquota, em percentual.", examples=[0.65])
    is_withheld: Flag = Field(default=False, description="Se o tomador retém o tributo.")


class OwnDebitBody(Body):
    """The provider's own debit of PIS and COFINS until 2026; absent fields follow the company's regime."""

    pis_rate: Annotated[Percent, Field(decimal_places=2)] | None = Field(
        default=None, description="Alíquota do PIS; na falta, a do regime (pAliqPis).", examples=[1.65]
    )
    cofins_rate: Annotated[Percent, Field(decimal_places=2)] | None = Field(
        default=None, description="Alíquota da COFINS; na falta, a do regime (pAliqCofins).", examples=[7.6]
    )
    base: Money | None = Field(
        default=None,
        description=(
            "Base de cálculo, em reais; na falta, o valor do serviço sem o desconto incondicionado"
            " (vBCPisCofins)."
        ),
    )
    cst: Annotated[str, StringConstraints(pattern=_CST)] | None = Field(
        default=None,
        description="Situação tributária de PIS e COFINS; na falta, 01, ou 08 na exportação (CST).",
    )


class TaxesBody(Body):
    """Federal taxes: the taker's withholdings, and the provider's own debit of PIS and COFINS."""

    pis: WithholdingBody | None = Field(
        default=None,
        description=(
            "PIS retido (vRetCSLL); sem retenção, a alíquota do débito próprio (pAliqPis). Só até a"
            " competência 12/2026."
        ),
    )
    cofins: WithholdingBody | None = Field(
        default=None,
        description=(
            "COFINS retida (vRetCSLL); sem retenção, a alíquota do débito próprio (pAliqCofins). Só até a"
            " competência 12/2026."
        ),
    )
    csll: WithholdingBody | None = Field(default=None, description="CSLL, se retida (vRetCSLL).")
    ir: WithholdingBody | None = Field(default=None, description="Imposto de renda, se retido (vRetIRRF).")
    inss: WithholdingBody | None = Field(
        default=None, description="Contribuição previdenciária, se retida (vRetCP)."
    )
    own_debit: OwnDebitBody | None = Field(
        default=None,
        description=(
            "Débito próprio de PIS e COFINS, no lugar do calculado pelo regime (piscofins). Só até a"
            " competência 12/2026."
        ),
    )
    pis_cofins_cst: Annotated[str, StringConstraints(pattern=r"^[0-9]{2}$")] | None = Field(
        default=None, description="O mesmo que ownDebit.cst, que prevalece (CST)."
    )


class TotalTaxesBody(Body):
    """The approximate taxes on the price, in percent (Lei 12.741/2012)."""

    federal: Percent = Field(description="Tributos federais (pTotTribFed).", examples=[13.45])
    state: Percent = Field(default=Decimal(0), description="Tributos estaduais (pTotTribEst).")
    city: Percent | None = Field(
        default=None, description="Tributos municipais; na falta, a alíquota do ISS (pTotTribMun)."
    )
