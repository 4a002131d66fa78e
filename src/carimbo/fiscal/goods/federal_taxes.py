"""PIS, COFINS, IPI and what else the federal government takes of an item, as a body gives it."""

from typing import Annotated, TypeVar

from pydantic import Field, StringConstraints

from carimbo.fiscal.fields import Body, Cnpj, Integer, Money, Quantity, Rate, Text
from carimbo.fiscal.goods.filling import Incomplete, fill
from carimbo.fiscal.layouts.group import SCHEMA_PROBLEM
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
from carimbo.fiscal.money import ZERO
from carimbo.fiscal.problems import Problem

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")

Cst = Annotated[str, StringConstraints(pattern=r"^[0-9]{2}$")]


class ContributionBody(Body):
    """PIS or COFINS of an item: by a percentage of `base`, or by an amount for each unit of `quantity`."""

    cst: Cst = Field(description="Situação tributária (CST).")
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
    seal_code: Annotated[Text, StringConstraints(max_length=60)] | None = None
    seal_quantity: Annotated[Integer, Field(ge=0, le=999_999_999_999)] | None = None
    base: Money | None = None
    rate: Rate | None = None
    quantity: Quantity | None = None
    unit_rate: Quantity | None = None
    amount: Money | None = None


class ReturnedIpiBody(Body):
    """IPI given back with goods that return."""

    returned_share: Rate = Field(description="Percentual da mercadoria devolvida (pDevol).")
    amount: Money = Field(description="Valor do IPI devolvido (vIPIDevol).")


# Tables of CST of PIS and COFINS (IN RFB 1.009/2010): by percentage, by quantity, without payment, others.
_BY_RATE = frozenset({"01", "02"})
_BY_QUANTITY = frozenset({"03"})
_NOT_TAXED = frozenset({"04", "05", "06", "07", "08", "09"})
_OTHER = frozenset(
    {
        "49", "50", "51", "52", "53", "54", "55", "56", "60", "61", "62", "63", "64", "65", "66", "67",
        "70", "71", "72", "73", "74", "75", "98", "99",
    }
)  # fmt: skip
_IPI_TAXED = frozenset({"00", "49", "50", "99"})

NO_PIS = PisOther(cst="49", base=ZERO, rate=ZERO, amount=ZERO)
"""What companies of the Simples Nacional write: their PIS is in the single payment of the regime."""
NO_COFINS = CofinsOther(cst="49", base=ZERO, rate=ZERO, amount=ZERO)
"""The same for COFINS."""


def pis_group(body: ContributionBody, path: str) -> Pis:
    """Put the caller's values into the group that the layout has for their CST."""
    group = _contribution(body, path, PisRate, PisQuantity, PisNotTaxed, PisOther)
    return fill(group, body, path, lambda: f"CST {body.cst} do PIS")


def cofins_group(body: ContributionBody, path: str) -> Cofins:
    """The same for COFINS."""
    group = _contribution(body, path, CofinsRate, CofinsQuantity, CofinsNotTaxed, CofinsOther)
    return fill(group, body, path, lambda: f"CST {body.cst} da COFINS")


def _contribution(
    body: ContributionBody,
    path: str,
    by_rate: type[A],
    by_quantity: type[B],
    not_taxed: type[C],
    other: type[D],
) -> type[A] | type[B] | type[C] | type[D]:
    """Choose by CST, which both contributions share."""
    if body.cst in _BY_RATE:
        return by_rate
    if body.cst in _BY_QUANTITY:
        return by_quantity
    if body.cst in _NOT_TAXED:
        return not_taxed
    if body.cst not in _OTHER:
        raise Incomplete(Problem(SCHEMA_PROBLEM, f"{path}.cst", f"CST {body.cst} não existe."))
    return other


def ipi_group(body: IpiBody, path: str) -> Ipi:
    """IPI that is due or not, with what the layout asks in each case."""
    around = ("framework_code", "producer_tax_id", "seal_code", "seal_quantity")
    kind: type[IpiTaxed | IpiNotTaxed] = IpiTaxed if body.cst in _IPI_TAXED else IpiNotTaxed
    values = body.model_copy(update=dict.fromkeys(around))
    return Ipi(
        **{name: getattr(body, name) for name in around},
        taxation=fill(kind, values, path, lambda: f"CST {body.cst} do IPI"),
    )


def returned_ipi_group(body: ReturnedIpiBody) -> ReturnedIpi:
    """IPI given back, which the layout wraps in a group of its own."""
    return ReturnedIpi(returned_share=body.returned_share, ipi=ReturnedIpiAmount(amount=body.amount))
