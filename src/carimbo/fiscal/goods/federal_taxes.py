"""PIS, COFINS and IPI of an item: request bodies, and how their groups are computed."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Generic, TypeVar

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.fields import Body, Cnpj, Integer, Money, Quantity, Rate, Text
from carimbo.fiscal.goods.applicable_taxes import TaxedItem
from carimbo.fiscal.layouts.filling import Amounts, given_values, missing_value, require_fields
from carimbo.fiscal.layouts.layout import construct
from carimbo.fiscal.layouts.nfe_v4.federal_taxes import (
    Cofins,
    CofinsNotTaxed,
    CofinsOther,
    CofinsQuantity,
    CofinsRate,
    Ipi,
    IpiNotTaxed,
    IpiTaxed,
    Pis,
    PisNotTaxed,
    PisOther,
    PisQuantity,
    PisRate,
    ReturnedIpi,
    ReturnedIpiAmount,
)
from carimbo.fiscal.money import ZERO, cents, percent
from carimbo.fiscal.parties.company import TaxRegime
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Incomplete, Problem
from carimbo.fiscal.taxes.pis_cofins import GENERAL_RATES, PIS_COFINS_ENDED, ContributionRates, missing_regime
from carimbo.fiscal.taxes.trade import Trade

G = TypeVar("G")

Cst = Annotated[str, StringConstraints(pattern=r"^[0-9]{2}$")]


class ContributionBody(Body):
    """PIS or COFINS of an item: by a percentage of `base`, or by an amount for each unit of `quantity`."""

    cst: Cst | None = Field(default=None, description="Situação tributária (CST); na falta, a do regime.")
    base: Money | None = Field(default=None, description="Base de cálculo (vBC).")
    rate: Rate | None = Field(default=None, description="Alíquota, em percentual.")
    quantity: Quantity | None = Field(default=None, description="Quantidade vendida (qBCProd).")
    unit_rate: Quantity | None = Field(default=None, description="Alíquota em reais por unidade (vAliqProd).")
    amount: Money | None = Field(default=None, description="Valor da contribuição.")


class IpiBody(Body):
    """IPI of an item."""

    cst: Cst = Field(description="Situação tributária do IPI (CST).")
    framework_code: Annotated[str, StringConstraints(pattern=r"^[0-9]{3}$")] = Field(
        default="999", description="Código de enquadramento legal (cEnq)."
    )
    producer_tax_id: Cnpj | None = Field(default=None, description="CNPJ do produtor (CNPJProd).")
    seal_code: Annotated[Text, StringConstraints(max_length=60)] | None = Field(
        default=None, description="Código do selo de controle (cSelo)."
    )
    seal_quantity: Annotated[Integer, Field(ge=0, le=999_999_999_999)] | None = Field(
        default=None, description="Quantidade de selos (qSelo)."
    )
    base: Money | None = Field(default=None, description="Base de cálculo (vBC).")
    rate: Rate | None = Field(default=None, description="Alíquota, em percentual (pIPI).")
    quantity: Quantity | None = Field(default=None, description="Quantidade na unidade padrão (qUnid).")
    unit_rate: Quantity | None = Field(default=None, description="Valor por unidade (vUnid).")
    amount: Money | None = Field(default=None, description="Valor do IPI (vIPI).")


class ReturnedIpiBody(Body):
    """IPI refunded with returned goods."""

    returned_share: Rate = Field(description="Percentual da mercadoria devolvida (pDevol).")
    amount: Money = Field(description="Valor do IPI devolvido (vIPIDevol).")


@dataclass(frozen=True, slots=True)
class FederalContribution(Generic[G]):
    """PIS or COFINS: both follow the same rules, with different groups and rates."""

    field: str
    name: str
    """In Portuguese with its preposition, for messages."""
    by_rate: type[G]
    by_quantity: type[G]
    not_taxed: type[G]
    other: type[G]
    nothing: G
    """The group of companies of the Simples Nacional, which pay it within their single payment."""
    ended: G
    """The group of companies of the normal regime since the contribution has ended."""
    general_rate: Callable[[ContributionRates], Decimal]


# No technical note defines the CST for 2027; 08 means "no incidence" (IN RFB 1.009/2010).
_NOT_INCIDENT = "08"
_NOTHING = {"cst": "49", "base": ZERO, "rate": ZERO, "amount": ZERO}

PIS: FederalContribution[Pis] = FederalContribution(
    field="pis",
    name="do PIS",
    by_rate=PisRate,
    by_quantity=PisQuantity,
    not_taxed=PisNotTaxed,
    other=PisOther,
    nothing=PisOther(cst="49", base=ZERO, rate=ZERO, amount=ZERO),
    ended=PisNotTaxed(cst=_NOT_INCIDENT),
    general_rate=lambda rates: rates.pis,
)
COFINS: FederalContribution[Cofins] = FederalContribution(
    field="cofins",
    name="da COFINS",
    by_rate=CofinsRate,
    by_quantity=CofinsQuantity,
    not_taxed=CofinsNotTaxed,
    other=CofinsOther,
    nothing=CofinsOther(cst="49", base=ZERO, rate=ZERO, amount=ZERO),
    ended=CofinsNotTaxed(cst=_NOT_INCIDENT),
    general_rate=lambda rates: rates.cofins,
)

# Tables of CST of PIS and COFINS (IN RFB 1.009/2010): by percentage, by quantity, without payment, others.
_FULL_RATE = "01"
_BY_RATE = frozenset({_FULL_RATE, "02"})
_BY_QUANTITY = frozenset({"03"})
_NOT_TAXED = frozenset({"04", "05", "06", "07", "08", "09"})
_OTHER = frozenset(
    {
        "49", "50", "51", "52", "53", "54", "55", "56", "60", "61", "62", "63", "64", "65", "66", "67",
        "70", "71", "72", "73", "74", "75", "98", "99",
    }
)  # fmt: skip
TAXED_IPI = frozenset({"00", "49", "50", "99"})
"""CST with IPI due."""


def contribution_terms(
    contribution: FederalContribution[G], body: ContributionBody | None, item: TaxedItem, trade: Trade
) -> Callable[[Decimal], G] | None:
    """Decides CST and rate of an item, and returns the function that computes its group on a base.

    None if the document has only IBS and CBS.
    """
    if body is None and trade.has_only_ibs_cbs:
        return None
    if body is None and trade.company.tax_regime is not TaxRegime.NORMAL:
        return lambda base: contribution.nothing
    if body is None and not trade.tax_day.has_pis_cofins:
        return lambda base: contribution.ended
    path = f"{item.path}.{contribution.field}"
    cst = (body and body.cst) or _usual_cst(item, trade, path)
    given = given_values(body)
    group, amounts = _computed(contribution, cst, given, path, trade)
    if given:
        computed = {"cst", *amounts(ZERO)}
        require_fields(group, given, computed, path, lambda: f"CST {cst} {contribution.name}")
    fixed = {"cst": cst, **given}
    return lambda base: construct(group, {**amounts(base), **fixed})


def _usual_cst(item: TaxedItem, trade: Trade, path: str) -> str:
    """Returns the CST of the general rate; exports are not taxed (Lei 10.833/2003, art. 6º)."""
    if trade.company.tax_regime is not TaxRegime.NORMAL:
        return "49"
    if not trade.tax_day.has_pis_cofins:
        return _NOT_INCIDENT
    if not item.is_sale:
        raise Incomplete(missing_value(f"{path}.cst", "operações que não são vendas"))
    return "08" if trade.is_export else _FULL_RATE


def _computed(
    contribution: FederalContribution[G], cst: str, given: dict[str, Any], path: str, trade: Trade
) -> tuple[type[G], Amounts]:
    """Returns the group class of a CST, and the computation of its amounts."""
    if cst in _BY_RATE:
        usual = _general_rate(contribution, cst, given, path, trade)
        return contribution.by_rate, _by_rate(given, usual)
    if cst in _BY_QUANTITY:
        return contribution.by_quantity, _by_quantity(given)
    if cst in _NOT_TAXED:
        return contribution.not_taxed, lambda base: {}
    if cst not in _OTHER:
        raise Incomplete(Problem(SCHEMA_PROBLEM, f"{path}.cst", f"CST {cst} não existe."))
    if "quantity" in given or "unit_rate" in given:
        return contribution.other, _by_quantity(given)
    if "rate" in given:
        return contribution.other, _by_rate(given, None)
    if given.get("amount"):
        raise Incomplete(missing_value(f"{path}.rate", "o valor da contribuição"))
    return contribution.other, lambda base: _NOTHING


def contribution_ended(path: str, name: str) -> Problem:
    """Returns the problem of an amount of a contribution that no longer exists on the day."""
    return Problem(
        PIS_COFINS_ENDED,
        path,
        f"O valor {name} deve ser zero: a contribuição acabou (LC 214/2025, art. 542).",
        f"Retire o grupo {path.rpartition('.')[0] or path}: a nota sai com CST 08, ou 49 no Simples, sem"
        " valor.",
        "LC 214/2025, arts. 542 e 544",
    )


def _general_rate(
    contribution: FederalContribution[G], cst: str, given: dict[str, Any], path: str, trade: Trade
) -> Decimal | None:
    if cst != _FULL_RATE or "rate" in given:
        return None
    if not trade.tax_day.has_pis_cofins and not trade.is_correction:
        if given.get("amount") == ZERO:
            return ZERO
        raise Incomplete(contribution_ended(f"{path}.cst", contribution.name))
    regime = trade.company.pis_cofins_regime
    if regime is None:
        raise Incomplete(missing_regime("pis.rate e cofins.rate nos itens"))
    return contribution.general_rate(GENERAL_RATES[regime])


def _by_rate(given: dict[str, Any], usual: Decimal | None) -> Amounts:
    given_base: Decimal | None = given.get("base")
    rate: Decimal | None = given.get("rate", usual)

    def amounts(base: Decimal) -> dict[str, Any]:
        base = base if given_base is None else given_base
        if rate is None:
            return {"base": base}
        return {"base": base, "rate": rate, "amount": percent(base, rate)}

    return amounts


def _by_quantity(given: dict[str, Any]) -> Amounts:
    quantity, unit_rate = given.get("quantity"), given.get("unit_rate")
    if quantity is None or unit_rate is None:
        return lambda base: {}
    amount = cents(quantity * unit_rate)
    return lambda base: {"amount": amount}


_IPI_DETAILS = ("framework_code", "producer_tax_id", "seal_code", "seal_quantity")


def ipi_terms(body: IpiBody, item: TaxedItem) -> Callable[[Decimal], Ipi]:
    """Returns the function that computes the IPI group, taxed or not taxed, on a base."""
    given = {name: amount for name, amount in given_values(body).items() if name not in _IPI_DETAILS}
    taxation = _ipi_taxation(body.cst, given, f"{item.path}.ipi")
    return lambda base: Ipi(
        framework_code=body.framework_code,
        producer_tax_id=body.producer_tax_id,
        seal_code=body.seal_code,
        seal_quantity=body.seal_quantity,
        taxation=taxation(base),
    )


def _ipi_taxation(cst: str, given: dict[str, Any], path: str) -> Callable[[Decimal], IpiTaxed | IpiNotTaxed]:
    def situation() -> str:
        return f"CST {cst} do IPI"

    if cst not in TAXED_IPI:
        require_fields(IpiNotTaxed, given, (), path, situation)
        return lambda base: construct(IpiNotTaxed, given)
    by_quantity = "quantity" in given or "unit_rate" in given
    if not by_quantity and "rate" not in given:
        raise Incomplete(missing_value(f"{path}.rate", situation()))
    amounts = _by_quantity(given) if by_quantity else _by_rate(given, None)
    require_fields(IpiTaxed, given, amounts(ZERO), path, situation)
    return lambda base: construct(IpiTaxed, {**amounts(base), **given})


def returned_ipi_group(body: ReturnedIpiBody) -> ReturnedIpi:
    """Returns the refunded IPI, which the layout wraps in a group of its own."""
    return ReturnedIpi(returned_share=body.returned_share, ipi=ReturnedIpiAmount(amount=body.amount))
