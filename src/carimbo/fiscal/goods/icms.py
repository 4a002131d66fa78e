"""ICMS of an item: its CST or CSOSN, the layout group of that code, and the computed amounts."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any, NamedTuple

from carimbo.fiscal.goods.applicable_taxes import TaxedItem
from carimbo.fiscal.goods.cfop import has_usual_icms
from carimbo.fiscal.goods.icms_body import IcmsBody
from carimbo.fiscal.layouts.filling import Amounts, given_values, has_field, missing_value, require_fields
from carimbo.fiscal.layouts.layout import construct
from carimbo.fiscal.layouts.nfe_v4.icms import (
    Icms,
    Icms00,
    Icms02,
    Icms10,
    Icms15,
    Icms20,
    Icms30,
    Icms40,
    Icms51,
    Icms53,
    Icms60,
    Icms61,
    Icms70,
    Icms90,
    IcmsPart,
    IcmsSt,
)
from carimbo.fiscal.layouts.nfe_v4.icms_simples import (
    IcmsSn101,
    IcmsSn102,
    IcmsSn201,
    IcmsSn202,
    IcmsSn500,
    IcmsSn900,
)
from carimbo.fiscal.money import ZERO, percent
from carimbo.fiscal.parties.company import TaxRegime
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Findings, Incomplete, Problem
from carimbo.fiscal.taxes.icms import assumed_icms_rate, deferred_icms, interstate_rate, reduced_base
from carimbo.fiscal.taxes.trade import Trade

_BY_CST: dict[str, type[Icms]] = {
    "00": Icms00,
    "02": Icms02,
    "10": Icms10,
    "15": Icms15,
    "20": Icms20,
    "30": Icms30,
    "40": Icms40,
    "41": Icms40,
    "50": Icms40,
    "51": Icms51,
    "53": Icms53,
    "60": Icms60,
    "61": Icms61,
    "70": Icms70,
    "90": Icms90,
}
_BY_CSOSN: dict[str, type[Icms]] = {
    "101": IcmsSn101,
    "102": IcmsSn102,
    "103": IcmsSn102,
    "300": IcmsSn102,
    "400": IcmsSn102,
    "201": IcmsSn201,
    "202": IcmsSn202,
    "203": IcmsSn202,
    "500": IcmsSn500,
    "900": IcmsSn900,
}
_OPERATION_VALUE = "3"
_SIGNS_OF_A_TAX = frozenset({"rate", "base", "base_reduction", "deferral_rate"})
_FUNDS = [
    (f"{prefix}fcp_rate", f"{prefix}fcp_base", f"{prefix}fcp_amount") for prefix in ("", "st_", "retained_")
]
# Sales of goods whose tax an earlier seller has retained (Ajuste SINIEF 07/2001).
_RETAINED_EARLIER = frozenset({"5405", "6404"})


class IcmsTerms(NamedTuple):
    """How the ICMS of an item is taxed: everything but the amounts, which depend on its value."""

    group: type[Icms]
    fixed: dict[str, Any]
    """The codes and the values of the request."""
    amounts: Amounts
    includes_ipi: bool
    """Whether IPI is part of the base."""

    @property
    def has_base(self) -> bool:
        """Whether the group has a base, whatever the value of the item."""
        return "base" in self.fixed or "base" in self.amounts(ZERO)

    def group_of(self, value: Decimal, ipi: Decimal) -> Icms:
        """Returns the group of an item with this value, and with this IPI on top of it."""
        if ipi and self.includes_ipi:
            value += ipi
        return construct(self.group, {**self.amounts(value), **self.fixed})


class _Case(NamedTuple):
    """An item whose ICMS is decided."""

    group: type[Icms]
    given: dict[str, Any]
    item: TaxedItem
    trade: Trade
    findings: Findings


def icms_terms(body: IcmsBody | None, item: TaxedItem, trade: Trade, findings: Findings) -> IcmsTerms | None:
    """Returns how an item is taxed: by its CST or CSOSN, the values of the request, and the usual rates."""
    if body is None and trade.has_only_ibs_cbs:
        return None
    name, code = _situation(body, item, trade, findings)
    given = given_values(body)
    group = _group_of(name, code, given)
    if group is None:
        raise Incomplete(
            Problem(SCHEMA_PROBLEM, f"{item.path}.icms.{name}", f"{_shown(name, code)} não existe.")
        )
    amounts = _COMPUTED.get(group, _nothing)(_Case(group, given, item, trade, findings))
    if given:
        given = _without_empty_funds(given)
        computed = {"origin", name, *amounts(ZERO)}
        require_fields(group, given, computed, f"{item.path}.icms", lambda: _shown(name, code))
    return IcmsTerms(
        group,
        fixed={"origin": item.origin, name: code, **given},
        amounts=amounts,
        # The base includes IPI if the buyer does not resell the goods (LC 87/1996, art. 13, § 2º).
        includes_ipi=trade.buyer_is_final,
    )


def _without_empty_funds(given: dict[str, Any]) -> dict[str, Any]:
    """Returns the given values without poverty funds (FCP) of zero, which the layout leaves out."""
    for rate, base, amount in _FUNDS:
        if rate in given and not given[rate] and not given.get(amount):
            given = {name: value for name, value in given.items() if name not in (rate, base, amount)}
    return given


def _shown(name: str, code: str) -> str:
    return f"{name.upper()} {code}"


def _situation(body: IcmsBody | None, item: TaxedItem, trade: Trade, findings: Findings) -> tuple[str, str]:
    """Returns `cst` or `csosn`, and the code of the request, else the usual one."""
    if body and body.cst and body.csosn:
        raise Incomplete(Problem(SCHEMA_PROBLEM, f"{item.path}.icms", "Informe cst ou csosn, não os dois."))
    if body and body.csosn:
        return "csosn", body.csosn
    if body and body.cst:
        return "cst", body.cst

    name = "csosn" if trade.uses_csosn else "cst"
    if not has_usual_icms(item.cfop):
        raise Incomplete(missing_value(f"{item.path}.icms.{name}", f"CFOP {item.cfop}"))
    if not trade.uses_csosn:
        return name, _usual_cst(item, trade)
    csosn = usual_csosn(item.cfop, trade)
    if not item.is_sale:
        findings.add_warning(
            f"CSOSN não informado em operação que não é venda (CFOP {item.cfop}): usado o {csosn}. Confira, e"
            " informe items[].icms.csosn se for outro."
        )
    return name, csosn


def usual_csosn(cfop: str, trade: Trade) -> str:
    """Returns the CSOSN of most sales of the Simples Nacional: taxed, without credit for the buyer."""
    if trade.is_export:
        return "300"
    is_retained = cfop in _RETAINED_EARLIER and trade.company.tax_regime is not TaxRegime.MEI
    return "500" if is_retained else "102"


def _usual_cst(item: TaxedItem, trade: Trade) -> str:
    """Returns the CST "taxed in full", or "not taxed" for exports (LC 87/1996, art. 3º, II)."""
    if not item.is_sale:
        raise Incomplete(missing_value(f"{item.path}.icms.cst", "operações que não são vendas"))
    if trade.is_export:
        return "41"
    return "60" if item.cfop in _RETAINED_EARLIER else "00"


def _group_of(name: str, code: str, given: dict[str, Any]) -> type[Icms] | None:
    if name == "csosn":
        return _BY_CSOSN.get(code)
    # The same CST has another group if the tax is shared or passed on between states (MOC 7.0, N10).
    if "operation_base_share" in given or "st_state" in given:
        return IcmsPart
    if "st_destination_base" in given or "st_destination_amount" in given:
        return IcmsSt
    return _BY_CST.get(code)


def _nothing(case: _Case) -> Amounts:
    """Computes nothing: the group has no amounts, or only the caller knows them."""
    return lambda value: {}


def _own(case: _Case) -> Amounts:
    """Computes the tax of the operation itself and of the poverty fund (MOC 7.0, N15 to N17c)."""
    rate, fcp_rate = _rates(case)
    given_base: Decimal | None = case.given.get("base")
    reduction: Decimal | None = case.given.get("base_reduction")
    fund = _fund(case, fcp_rate) if fcp_rate else None

    def amounts(value: Decimal) -> dict[str, Any]:
        base = reduced_base(value, reduction) if given_base is None else given_base
        values = {"base_mode": _OPERATION_VALUE, "base": base, "rate": rate, "amount": percent(base, rate)}
        return values | fund(base) if fund else values

    return amounts


def _fund(case: _Case, rate: Decimal) -> Amounts:
    """Computes the amount of the poverty fund on the base of the tax."""
    given_base: Decimal | None = case.given.get("fcp_base")
    shows_base = has_field(case.group, "fcp_base")

    def amounts(base: Decimal) -> dict[str, Any]:
        base = base if given_base is None else given_base
        values = {"fcp_rate": rate, "fcp_amount": percent(base, rate)}
        return values | {"fcp_base": base} if shows_base else values

    return amounts


def _own_if_given(case: _Case) -> Amounts:
    """Computes the tax of the operation if the request gives any of its values; else the group omits it."""
    return _own(case) if case.given.keys() & _SIGNS_OF_A_TAX else _nothing(case)


def _deferred(case: _Case) -> Amounts:
    """Computes the tax of the operation, its deferred part and the amount due (MOC 7.0, N16a to N17)."""
    if not case.given.keys() & _SIGNS_OF_A_TAX:
        return _nothing(case)
    own = _own(case)
    deferral_rate = case.given.get("deferral_rate", Decimal(100))

    def amounts(value: Decimal) -> dict[str, Any]:
        values = own(value)
        parts = deferred_icms(values["base"], values["rate"], deferral_rate)
        return values | {
            "operation_amount": parts.operation_amount,
            "deferral_rate": deferral_rate,
            "deferral_amount": parts.deferral_amount,
            "amount": parts.amount,
        }

    return amounts


def _credit(case: _Case) -> Amounts:
    """Computes the credit that the Simples Nacional passes on to the buyer (LC 123/2006, art. 23)."""
    rate = case.given.get("credit_rate", case.trade.company.defaults.simples_credit_rate)
    if rate is None:
        return _nothing(case)
    return lambda value: {"credit_rate": rate, "credit_amount": percent(value, rate)}


def _simples_others(case: _Case) -> Amounts:
    """Computes the parts of CSOSN 900 that the request gives values for."""
    own = _own_if_given(case)
    credit = _credit(case) if "credit_rate" in case.given else _nothing(case)
    return lambda value: own(value) | credit(value)


def _rates(case: _Case) -> tuple[Decimal, Decimal | None]:
    """Returns the rates of tax and poverty fund: given, interstate by law, or the usual ones."""
    trade, fcp_rate = case.trade, case.given.get("fcp_rate")
    company = trade.company
    if "rate" in case.given:
        return case.given["rate"], fcp_rate
    if trade.is_interstate:
        return interstate_rate(company.address.state, trade.destination_state, case.item.origin), fcp_rate
    if company.defaults.icms_rate is not None:
        return company.defaults.icms_rate, fcp_rate
    path = f"{case.item.path}.icms.rate"
    usual = assumed_icms_rate(company.address.state, path, case.findings, with_fund=fcp_rate is None)
    return usual.rate, usual.fcp if fcp_rate is None else fcp_rate


_COMPUTED: dict[type[Icms], Callable[[_Case], Amounts]] = {
    Icms00: _own,
    Icms10: _own,
    Icms20: _own,
    Icms70: _own,
    Icms51: _deferred,
    Icms90: _own_if_given,
    IcmsSn900: _simples_others,
    IcmsSn101: _credit,
    IcmsSn201: _credit,
}
