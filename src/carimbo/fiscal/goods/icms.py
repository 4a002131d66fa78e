"""ICMS of an item: its CST or CSOSN, the layout group of that code, and the computed amounts."""

from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

from carimbo.fiscal.goods.applicable_taxes import TaxedItem
from carimbo.fiscal.goods.cfop import has_usual_icms
from carimbo.fiscal.goods.icms_body import IcmsBody
from carimbo.fiscal.layouts.filling import fill, given_values, has_field, missing_value
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
from carimbo.fiscal.money import percent
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


class _Due(NamedTuple):
    """The input for the amounts of one ICMS group."""

    group: type[Icms]
    given: dict[str, Any]
    item: TaxedItem
    trade: Trade
    value: Decimal
    findings: Findings


def icms_group(
    body: IcmsBody | None, item: TaxedItem, trade: Trade, ipi: Decimal, findings: Findings
) -> Icms | None:
    """Returns the group of the item's CST or CSOSN: values of the request, and the rest computed."""
    if body is None and trade.has_only_ibs_cbs:
        return None
    name, code = _situation(body, item, trade, findings)
    given = given_values(body)
    group = _group_of(name, code, given)
    if group is None:
        raise Incomplete(
            Problem(SCHEMA_PROBLEM, f"{item.path}.icms.{name}", f"{_shown(name, code)} não existe.")
        )
    compute = _COMPUTED.get(group, _nothing)
    # IPI is part of the base if the buyer does not resell the goods (LC 87/1996, art. 13, § 2º).
    value = item.value + ipi if ipi and trade.buyer_is_final else item.value
    computed = compute(_Due(group, given, item, trade, value, findings))
    computed |= {"origin": item.origin, name: code}
    return fill(group, _without_empty_funds(given), f"{item.path}.icms", lambda: _shown(name, code), computed)


def _without_empty_funds(given: dict[str, Any]) -> dict[str, Any]:
    """Returns the given values without poverty funds (FCP) of zero, which the layout leaves out."""
    for rate, base, amount in _FUNDS:
        if rate in given and not given[rate] and not given.get(amount):
            given = {name: value for name, value in given.items() if name not in (rate, base, amount)}
    return given


@lru_cache
def simples_group(origin: str, csosn: str) -> Icms:
    """Returns the group of a CSOSN without amounts."""
    return IcmsSn500(origin=origin) if csosn == "500" else IcmsSn102(origin=origin, csosn=csosn)


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


def _nothing(due: _Due) -> dict[str, Any]:
    """Computes nothing: the group has no amounts, or only the caller knows them."""
    return {}


def _own(due: _Due) -> dict[str, Any]:
    """Computes the tax of the operation itself and of the poverty fund (MOC 7.0, N15 to N17c)."""
    rate, fcp_rate = _rates(due)
    base: Decimal | None = due.given.get("base")
    if base is None:
        base = reduced_base(due.value, due.given.get("base_reduction"))
    values = {"base_mode": _OPERATION_VALUE, "base": base, "rate": rate, "amount": percent(base, rate)}
    return values | _fcp(due, base, fcp_rate)


def _fcp(due: _Due, base: Decimal, rate: Decimal | None) -> dict[str, Any]:
    if not rate:
        return {}
    base = due.given.get("fcp_base", base)
    amounts = {"fcp_rate": rate, "fcp_amount": percent(base, rate)}
    return amounts | {"fcp_base": base} if has_field(due.group, "fcp_base") else amounts


def _own_if_given(due: _Due) -> dict[str, Any]:
    """Computes the tax of the operation if the request gives any of its values; else the group omits it."""
    return _own(due) if due.given.keys() & _SIGNS_OF_A_TAX else {}


def _deferred(due: _Due) -> dict[str, Any]:
    """Computes the tax of the operation, its deferred part and the amount due (MOC 7.0, N16a to N17)."""
    if not due.given.keys() & _SIGNS_OF_A_TAX:
        return {}
    values = _own(due)
    parts = deferred_icms(values["base"], values["rate"], due.given.get("deferral_rate", Decimal(100)))
    return values | {
        "operation_amount": parts.operation_amount,
        "deferral_rate": due.given.get("deferral_rate", Decimal(100)),
        "deferral_amount": parts.deferral_amount,
        "amount": parts.amount,
    }


def _credit(due: _Due) -> dict[str, Any]:
    """Computes the credit that the Simples Nacional passes on to the buyer (LC 123/2006, art. 23)."""
    rate = due.given.get("credit_rate", due.trade.company.defaults.simples_credit_rate)
    return {} if rate is None else {"credit_rate": rate, "credit_amount": percent(due.value, rate)}


def _simples_others(due: _Due) -> dict[str, Any]:
    """Computes the parts of CSOSN 900 that the request gives values for."""
    credit = _credit(due) if "credit_rate" in due.given else {}
    return _own_if_given(due) | credit


def _rates(due: _Due) -> tuple[Decimal, Decimal | None]:
    """Returns the rates of tax and poverty fund: given, interstate by law, or the usual ones."""
    trade, fcp_rate = due.trade, due.given.get("fcp_rate")
    company = trade.company
    if "rate" in due.given:
        return due.given["rate"], fcp_rate
    if trade.is_interstate:
        return interstate_rate(company.address.state, trade.destination_state, due.item.origin), fcp_rate
    if company.defaults.icms_rate is not None:
        return company.defaults.icms_rate, fcp_rate
    path = f"{due.item.path}.icms.rate"
    usual = assumed_icms_rate(company.address.state, path, due.findings, with_fund=fcp_rate is None)
    return usual.rate, usual.fcp if fcp_rate is None else fcp_rate


_COMPUTED: dict[type[Icms], Callable[[_Due], dict[str, Any]]] = {
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
