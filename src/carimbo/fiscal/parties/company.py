"""The issuing company: tax regimes, registrations, defaults, and its options for IBS and CBS."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from carimbo.fiscal.body.fields import (
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
from carimbo.fiscal.calendar import CALENDAR, DatedRule
from carimbo.fiscal.goods.payments import PaymentMethodText
from carimbo.fiscal.goods.presence import Presence
from carimbo.fiscal.parties.address import Address
from carimbo.fiscal.setting_label import SettingLabel

Name = Annotated[Text, StringConstraints(min_length=2, max_length=150)]
TradeName = Annotated[Text, StringConstraints(max_length=60)]
Suframa = Annotated[str, StringConstraints(pattern=r"^[0-9]{8,9}$")]
MunicipalRegistration = Annotated[Text, StringConstraints(max_length=15), TAKES_NUMBERS]

_ORIGINS = {
    "0": "0: nacional",
    "1": "1: estrangeira, importada pela própria empresa",
    "2": "2: estrangeira, comprada no Brasil",
    "3": "3: nacional, mais de 40% e até 70% importado",
    "4": "4: nacional, pelos processos produtivos básicos",
    "5": "5: nacional, até 40% importado",
    "6": "6: estrangeira sem similar, importada pela própria empresa",
    "7": "7: estrangeira sem similar, comprada no Brasil",
    "8": "8: nacional, mais de 70% importado",
}
_PRESENCES = {
    Presence.NONE: "Não se aplica",
    Presence.IN_PERSON: "Presencial",
    Presence.INTERNET: "Pela internet",
    Presence.PHONE: "Por telefone",
    Presence.DELIVERY: "Entrega em domicílio",
    Presence.OUTSIDE: "Presencial, fora do estabelecimento",
    Presence.OTHER: "Não presencial, outros",
}
_APPROXIMATE = "Tributos aproximados no preço, {} (%)"
_LAST_MONTH_OF_FIRST_HALF = 6

_ERROR_TYPE = "ibs_cbs_options"
_MAX_IBS_CBS_OPTIONS = 40
_FORM = '[{"halfYear": "2027-1", "regime": "regular"}]'
_UNDATED = (
    f"A opção vale por semestre: informe uma lista como {_FORM}, porque um regime sem semestre não diz desde"
    " quando vale."
)
_NOT_SIMPLES = (
    "Só empresas do Simples Nacional (taxRegime simples ou simplesExcess) escolhem o regime de IBS e CBS:"
    " envie ibsCbsRegime com uma lista vazia."
)
_NOT_BEYOND_SUBLIMIT = (
    "O regime mixed é só de taxRegime simplesExcess: o IBS sai do DAS, e a CBS fica, acima do sublimite."
)


class TaxRegime(StrEnum):
    """The tax regime that the company declares (CRT)."""

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
        """Whether it is the regime of a small company in Simples Nacional, within or beyond its sublimit."""
        return self in (TaxRegime.SIMPLES, TaxRegime.SIMPLES_EXCESS)


_CRT = {
    TaxRegime.SIMPLES: "1",
    TaxRegime.SIMPLES_EXCESS: "2",
    TaxRegime.NORMAL: "3",
    TaxRegime.MEI: "4",
}


class PisCofinsRegime(StrEnum):
    """The regime of PIS and COFINS."""

    CUMULATIVE = "cumulative"
    NON_CUMULATIVE = "nonCumulative"


class IbsCbsRegime(StrEnum):
    """How a company of Simples Nacional pays IBS and CBS from 2027 on (LC 123/2006, art. 13)."""

    DAS = "das"
    """Both in the single payment of Simples (DAS)."""
    MIXED = "mixed"
    """CBS in the single payment, IBS separately: beyond the sublimit of the state."""
    REGULAR = "regular"
    """Both separately, as in the normal regime."""


class IbsCbsOption(Body):
    """The regime of IBS and CBS in a half-year; companies choose it twice a year."""

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
    """Returns the half-year of a day, in the form of the options: `2027-1`."""
    return f"{day.year}-{1 if day.month <= _LAST_MONTH_OF_FIRST_HALF else 2}"


class StateRegistration(Body):
    """A registration of the company at the tax office of a state."""

    state: StateCode
    number: StateRegistrationNumber


class ApproximateTaxRates(Changes):
    """The taxes in the price of the company's goods, in percent by government level (Lei 12.741/2012)."""

    federal: Annotated[
        Percent,
        SettingLabel(
            _APPROXIMATE.format("federais"),
            hint="Lei 12.741/2012. Uma empresa do Simples pode informar só a sua.",
        ),
    ] = Field(
        default=Decimal(0),
        description="Tributos federais; uma empresa do Simples pode informar só a sua alíquota.",
        examples=[13.45],
    )
    state: Annotated[Percent, SettingLabel(_APPROXIMATE.format("estaduais"))] = Field(
        default=Decimal(0), description="Tributos estaduais.", examples=[18]
    )
    municipal: Annotated[Percent, SettingLabel(_APPROXIMATE.format("municipais"))] = Field(
        default=Decimal(0), description="Tributos municipais.", examples=[0]
    )

    @property
    def whole(self) -> Decimal:
        """The sum of all levels."""
        return self.federal + self.state + self.municipal


class TaxDefaults(Changes):
    """Values for documents of goods that neither the document nor its items have."""

    cfop: Annotated[
        Cfop | None, SettingLabel("CFOP usual", hint="O das vendas dentro do estado, como 5102.")
    ] = Field(
        default=None,
        description="CFOP das vendas dentro do estado; para outros destinos usa-se o correspondente.",
        examples=["5102"],
    )
    ncm: Annotated[Ncm | None, SettingLabel("NCM usual")] = Field(
        default=None, description="NCM das mercadorias que não têm o seu.", examples=["69120000"]
    )
    origin: Annotated[
        GoodsOrigin | None, SettingLabel("Origem usual das mercadorias", _ORIGINS, blank="Nenhuma")
    ] = Field(default=None, description="Origem das mercadorias (orig).")
    presence: Annotated[
        Presence | None, SettingLabel("Presença usual do comprador", _PRESENCES, blank="Nenhuma")
    ] = Field(
        default=None,
        description="Presença do comprador nas NF-e que não a informam, como em `presence` (indPres).",
        examples=["internet"],
    )
    payment_method: Annotated[
        PaymentMethodText | None,
        SettingLabel("Meio de pagamento usual", hint="Palavra ou código, como pix, dinheiro, boleto ou 15."),
    ] = Field(
        default=None,
        description="Meio de pagamento das NF-e de venda que não têm `payments` nem `paymentMethod` (tPag).",
    )
    icms_rate: Annotated[Rate | None, SettingLabel("Alíquota interna do ICMS", is_rate=True)] = Field(
        default=None, description="Alíquota interna do ICMS, em percentual.", examples=[18]
    )
    simples_credit_rate: Annotated[
        Rate | None, SettingLabel("Alíquota do crédito de ICMS do Simples Nacional", is_rate=True)
    ] = Field(
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
    simples_legends: Annotated[
        Flag, SettingLabel("Frases do Simples Nacional nas informações complementares")
    ] = Field(
        default=True,
        description=(
            "Se NF-e e NFC-e levam nas informações complementares as frases do Simples Nacional (Resolução"
            " CGSN 140/2018); na falta, sim."
        ),
    )


class Company(Body):
    """The issuer, with all values that its documents need."""

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
    """The total rate of Simples Nacional, in percent."""
    simples_iss_regime: Annotated[Integer, Field(ge=1, le=3)] | None = None
    """The taxes that a company pays in Simples Nacional (`regApTribSN`)."""
    ibs_cbs_regime: tuple[IbsCbsOption, ...] = ()
    """The options of a company of Simples Nacional; a half-year without an option is `das`."""
    state_registrations: tuple[StateRegistration, ...] = Field(default=(), max_length=27)
    defaults: TaxDefaults = TaxDefaults()

    def registration_in(self, state: str) -> str | None:
        """Returns the registration in a state, if the company has one."""
        for registration in self.state_registrations:
            if registration.state == state:
                return registration.number
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
        """Returns whether documents of a day have IBS and CBS even if the caller does not ask for them."""
        return self.ibs_cbs_regime_on(day) is IbsCbsRegime.REGULAR


def problem_of_options(tax_regime: TaxRegime | None, options: Sequence[IbsCbsOption]) -> str | None:
    """Returns why a company of a tax regime can't have these options, in Portuguese; None if it can.

    A company without a tax regime can have any options: it can't issue yet.
    """
    chosen = {option.regime for option in options} - {IbsCbsRegime.DAS}
    if tax_regime is None or not chosen:
        return None
    if not tax_regime.is_simples:
        return _NOT_SIMPLES
    if IbsCbsRegime.MIXED in chosen and tax_regime is not TaxRegime.SIMPLES_EXCESS:
        return _NOT_BEYOND_SUBLIMIT
    return None


def _refuse_undated(value: Any) -> Any:
    is_list = isinstance(value, list | tuple)
    if not is_list or not all(isinstance(option, Mapping | IbsCbsOption) for option in value):
        raise PydanticCustomError(_ERROR_TYPE, "{message}", {"message": _UNDATED})
    return value


def _in_order(options: tuple[IbsCbsOption, ...]) -> tuple[IbsCbsOption, ...]:
    """Returns the options by half-year; refuses repeated half-years, and those before options exist."""
    half_years = [option.half_year for option in options]
    repeated = sorted({half_year for half_year in half_years if half_years.count(half_year) > 1})
    if repeated:
        message = "Informe um só regime por semestre; repetido: {half_years}."
        raise PydanticCustomError(_ERROR_TYPE, message, {"half_years": ", ".join(repeated)})
    since = CALENDAR[DatedRule.SIMPLES_INFORMS_IBS_CBS].since
    first = half_year_of(since) if since else None
    if first and any(half_year < first for half_year in half_years):
        message = "A opção existe desde o semestre {first}; retire os anteriores."
        raise PydanticCustomError(_ERROR_TYPE, message, {"first": first})
    return tuple(sorted(options, key=lambda option: option.half_year))


# Only for requests. `Company` accepts any options, because stored ones must be readable whatever the calendar
# says today.
IbsCbsOptions = Annotated[
    tuple[IbsCbsOption, ...],
    Field(max_length=_MAX_IBS_CBS_OPTIONS),
    BeforeValidator(_refuse_undated),
    AfterValidator(_in_order),
]
