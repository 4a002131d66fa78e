"""What an authority has to be told about the company that issues."""

from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.address import Address
from carimbo.fiscal.fields import (
    TAKES_NUMBERS,
    Body,
    Cfop,
    Changes,
    CnaeCode,
    Cnpj,
    Flag,
    GoodsOrigin,
    Integer,
    Ncm,
    Percent,
    Phone,
    Rate,
    StateCode,
    StateRegistrationNumber,
    Text,
)
from carimbo.fiscal.goods.payments import GivenMethod
from carimbo.fiscal.goods.presence import Presence

Name = Annotated[Text, StringConstraints(min_length=2, max_length=150)]
TradeName = Annotated[Text, StringConstraints(max_length=60)]
Suframa = Annotated[str, StringConstraints(pattern=r"^[0-9]{8,9}$")]
MunicipalRegistration = Annotated[Text, StringConstraints(max_length=15), TAKES_NUMBERS]


_LAST_MONTH_OF_FIRST_HALF = 6


class TaxRegime(StrEnum):
    """The regime that the company declares as CRT."""

    SIMPLES = "simples"
    SIMPLES_EXCESS = "simplesExcess"
    NORMAL = "normal"
    MEI = "mei"

    @property
    def crt(self) -> str:
        """The code of the regime in the layouts of goods and transport."""
        return _CRT[self]

    @property
    def is_simples(self) -> bool:
        """Whether it is that of a small company in the Simples Nacional, within its sublimit or beyond."""
        return self in (TaxRegime.SIMPLES, TaxRegime.SIMPLES_EXCESS)


_CRT = {
    TaxRegime.SIMPLES: "1",
    TaxRegime.SIMPLES_EXCESS: "2",
    TaxRegime.NORMAL: "3",
    TaxRegime.MEI: "4",
}


class PisCofinsRegime(StrEnum):
    """How PIS and COFINS are assessed."""

    CUMULATIVE = "cumulative"
    NON_CUMULATIVE = "nonCumulative"


class IbsCbsRegime(StrEnum):
    """How a company of Simples Nacional pays IBS and CBS from 2027 on (LC 123/2006, art. 13)."""

    DAS = "das"
    """Both in the single payment of Simples."""
    MIXED = "mixed"
    """CBS in the single payment, IBS apart: beyond the sublimit of the state."""
    REGULAR = "regular"
    """Both apart, as companies of the normal regime do."""


class IbsCbsOption(Body):
    """The regime of IBS and CBS in one half-year: companies choose it twice a year."""

    half_year: Annotated[str, StringConstraints(pattern=r"^20[0-9]{2}-[12]$")] = Field(
        description="Semestre: ano e 1 ou 2.", examples=["2027-1"]
    )
    regime: IbsCbsRegime = Field(
        description=(
            "das (IBS e CBS no DAS), mixed (CBS no DAS e IBS fora, acima do sublimite) ou regular (os dois"
            " fora do DAS)."
        )
    )


def half_year_of(day: date) -> str:
    """Returns the half-year of a day, as options name it: `2027-1`."""
    return f"{day.year}-{1 if day.month <= _LAST_MONTH_OF_FIRST_HALF else 2}"


class StateRegistration(Body):
    """The company's number at one state's tax office."""

    state: StateCode
    number: StateRegistrationNumber


class ApproximateTaxRates(Changes):
    """The taxes in the price of the company's goods, in percent by sphere (Lei 12.741/2012)."""

    federal: Percent = Field(
        default=Decimal(0),
        description="Tributos federais; uma empresa do Simples pode informar só a sua alíquota.",
        examples=[13.45],
    )
    state: Percent = Field(default=Decimal(0), description="Tributos estaduais.", examples=[18])
    municipal: Percent = Field(default=Decimal(0), description="Tributos municipais.", examples=[0])

    @property
    def whole(self) -> Decimal:
        """All spheres together."""
        return self.federal + self.state + self.municipal


class TaxDefaults(Changes):
    """What a document of goods takes when neither it nor its items say."""

    cfop: Cfop | None = Field(
        default=None,
        description="CFOP das vendas dentro do estado; para outros destinos usa-se o correspondente.",
        examples=["5102"],
    )
    ncm: Ncm | None = Field(
        default=None, description="NCM das mercadorias que não têm o seu.", examples=["69120000"]
    )
    origin: GoodsOrigin | None = Field(default=None, description="Origem das mercadorias (orig).")
    presence: Presence | None = Field(
        default=None,
        description="Presença do comprador nas NF-e que não a informam, como em `presence` (indPres).",
        examples=["internet"],
    )
    payment_method: GivenMethod | None = Field(
        default=None,
        description="Meio de pagamento das NF-e de venda que não têm `payments` nem `paymentMethod` (tPag).",
    )
    icms_rate: Rate | None = Field(
        default=None, description="Alíquota interna do ICMS, em percentual.", examples=[18]
    )
    simples_credit_rate: Rate | None = Field(
        default=None,
        description="Alíquota do crédito de ICMS do Simples Nacional (pCredSN).",
        examples=[1.25],
    )
    approximate_tax_rates: ApproximateTaxRates | None = Field(
        default=None,
        description=(
            "Tributos aproximados nas vendas a consumidor, em percentual do preço (Lei 12.741/2012):"
            " preenchem vTotTrib dos itens sem `approximateTaxes` e o texto das informações complementares."
        ),
    )
    simples_legends: Flag = Field(
        default=True,
        description=(
            "Se NF-e e NFC-e levam nas informações complementares as frases do Simples Nacional (Resolução"
            " CGSN 140/2018); na falta, sim."
        ),
    )


class Company(Body):
    """The issuer, complete: what is optional in a registration is settled before a document is composed."""

    tax_id: Cnpj
    legal_name: Name
    trade_name: TradeName | None = None
    address: Address
    phone: Phone | None = None
    tax_regime: TaxRegime
    pis_cofins_regime: PisCofinsRegime | None = None
    municipal_registration: MunicipalRegistration | None = None
    cnae_code: CnaeCode | None = None
    suframa_registration: Suframa | None = None
    simples_rate: Percent | None = None
    """Of the whole tax of Simples Nacional, in percent."""
    simples_iss_regime: Annotated[Integer, Field(ge=1, le=3)] | None = None
    """Which taxes a company of Simples Nacional pays by it (`regApTribSN`)."""
    ibs_cbs_regime: tuple[IbsCbsOption, ...] = ()
    """The options of a company of Simples Nacional; a half-year without one is `das`."""
    state_registrations: tuple[StateRegistration, ...] = Field(default=(), max_length=27)
    defaults: TaxDefaults = TaxDefaults()

    def registration_in(self, state: str) -> str | None:
        """The registration at a state's tax office, if the company has one there."""
        for one in self.state_registrations:
            if one.state == state:
                return one.number
        return None

    def ibs_cbs_regime_on(self, day: date) -> IbsCbsRegime:
        """Returns how the company pays IBS and CBS in the half-year of a day."""
        if self.tax_regime is TaxRegime.NORMAL:
            return IbsCbsRegime.REGULAR
        if not self.ibs_cbs_regime or not self.tax_regime.is_simples:
            return IbsCbsRegime.DAS
        half_year = half_year_of(day)
        chosen = [option.regime for option in self.ibs_cbs_regime if option.half_year == half_year]
        return chosen[0] if chosen else IbsCbsRegime.DAS

    def informs_ibs_cbs(self, day: date) -> bool:
        """Returns whether the documents of a day inform IBS and CBS without being asked to."""
        return self.ibs_cbs_regime_on(day) is IbsCbsRegime.REGULAR
