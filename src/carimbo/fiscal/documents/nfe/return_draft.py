"""The draft of the NF-e that returns the goods of a received one to its issuer."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from carimbo.fiscal.body.messages import json_path
from carimbo.fiscal.calendar import DatedRule, rules_on
from carimbo.fiscal.documents.nfe.document import NAME
from carimbo.fiscal.documents.nfe.received_file import invoice_in
from carimbo.fiscal.documents.nfe.request import NfeRequest, OperationDirection, Purpose
from carimbo.fiscal.documents.nfe.returned_items import ReturnedItem, returned_items
from carimbo.fiscal.goods.freight import FreightMode
from carimbo.fiscal.goods.item_body import COUNTS
from carimbo.fiscal.goods.item_taxes import deducted_icms
from carimbo.fiscal.goods.presence import Presence
from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.layouts.json_form import to_plain
from carimbo.fiscal.layouts.layout import layout_of
from carimbo.fiscal.layouts.nfe_v4.dialect import NFE_DIALECT
from carimbo.fiscal.layouts.nfe_v4.goods import ItemProduct
from carimbo.fiscal.layouts.nfe_v4.icms_simples import IcmsSn500, IcmsSn900
from carimbo.fiscal.layouts.nfe_v4.identification import Identification
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice, ItemTaxes
from carimbo.fiscal.layouts.nfe_v4.parties import Issuer
from carimbo.fiscal.layouts.reading import UnreadableDocument, read_group
from carimbo.fiscal.money import ZERO, format_amount
from carimbo.fiscal.parties.company import Company, TaxRegime
from carimbo.fiscal.receiving import ReturnDraftRequest, UnreadFile
from carimbo.fiscal.tables.geography import municipality_of_ibge
from carimbo.fiscal.tables.goods_codes import CFOPS
from carimbo.fiscal.taxes.trade import day_of_key

_NATURE = "DEVOLUCAO DE COMPRA"
# The last three digits of the CFOP: goods that were bought to be sold again, also with tax substitution.
_RESOLD, _RESOLD_WITH_SUBSTITUTION = "202", "411"
# Cooperatives, transfers, goods for export, fuels (whose sales say what the buyer does with them), fixed
# assets of others, consignments, and packages.
_RETURN_OF = {
    "131": "213", "132": "214", "159": "216", "160": "216",
    "151": "209", "152": "209", "155": "209", "156": "209", "408": "209", "409": "209",
    "501": "503", "502": "503",
    "554": "555",
    "651": "660", "652": "661", "653": "662", "654": "660", "655": "661", "656": "662", "667": "662",
    "658": "209", "659": "209",
    "917": "918", "920": "921",
}  # fmt: skip
# Goods that were not sold, and come back with a CFOP of their own (retorno), which no return may have (327).
_ENTRUSTED = frozenset({"451", "452", "663", "901", "905", "908", "912", "915", "924"})
_PURPOSES = {
    Purpose.COMPLEMENT.code: "complementar",
    Purpose.ADJUSTMENT.code: "de ajuste",
    Purpose.RETURN.code: "de devolução",
    Purpose.CREDIT.code: "de crédito",
    Purpose.DEBIT.code: "de débito",
}
_PRODUCT_FIELDS = (
    "sku", "description", "ncm", "nveCodes", "cest", "relevantScale", "manufacturerTaxId", "ipiException",
    "unit", "quantity", "unitValue", "taxableUnit", "taxableQuantity", "taxableUnitValue", "gtin",
    "taxableGtin", "barcode", "taxableBarcode", "freight", "insurance", "discount", "other",
    "importContentId", "batches", "vehicle", "medicine", "firearms", "fuel", "recopiNumber",
)  # fmt: skip
_WITH_CSOSN = frozenset({TaxRegime.SIMPLES, TaxRegime.MEI})
# Single-phase fuels have a CST in every regime.
_SINGLE_PHASE = frozenset({"02", "15", "53", "61"})
_RETAINED = frozenset({"60", "500"})
_RETAINED_FIELDS = tuple(map(to_camel, layout_of(IcmsSn500).defaults))
_OTHER_FIELDS = tuple(map(to_camel, layout_of(IcmsSn900).defaults))
_NOT_REPEATED = frozenset({"origin", "cst", "csosn", "creditRate", "creditAmount"})
# Guia Prático da EFD-Contribuições, on returned purchases.
_OTHER_EXITS = {"cst": "49"}
_EVERYTHING = ReturnDraftRequest()


def return_draft(
    xml: bytes, company: Company, request: ReturnDraftRequest = _EVERYTHING
) -> Mapping[str, Any]:
    """Returns the body of the NF-e by which the company returns goods of a whole NF-e.

    It is a draft for a person: the goods are taken as bought to be sold again, because the document does not
    say what the buyer did with them. Codes and GTIN are those of the seller, who gets the goods. Charges are
    repeated because they are part of the bases; if freight is among them, the sender hires the transport.
    Taxes are those of the document, in the form that the regime of the company requires:

    - In Simples Nacional and for MEI, ICMS has CSOSN 900 with base, rate and amounts of the document
      (Resolução CGSN 140/2018, art. 59), or 500 if it was retained earlier.
    - In the normal regime it has the CST of the document. A CSOSN becomes 60 if the tax was retained earlier,
      else 90, with the credit of the purchase as its amount if there was one. PIS and COFINS have CST 49:
      the credit is reversed in the books. IBS and CBS are repeated.
    - IPI is refunded (impostoDevol), as if the company were no contributor of IPI.

    Raises `UnreadFile` if no draft can be made, and `Incomplete` if the request does not fit the document.
    """
    part = invoice_in(xml)
    try:
        invoice = read_group(Invoice, part.element)
    except UnreadableDocument as error:
        raise UnreadFile(str(error)) from error
    _require_sale(invoice.identification)
    returned = returned_items(invoice.items, request.items)
    _require_sold(returned)
    draft = _body(invoice, returned, part.key_in_id(NFE_DIALECT.stem), company)
    try:
        NfeRequest.model_validate(draft)
    except ValidationError as invalid:
        paths = ", ".join(json_path(error["loc"]) for error in invalid.errors()[:5])
        raise UnreadFile(f"A nota tem valores que a devolução não pode repetir: {paths}.") from invalid
    return draft


def _require_sale(about: Identification) -> None:
    if about.direction != OperationDirection.OUTBOUND.code:
        raise UnreadFile("A nota é de entrada do emitente, e o rascunho só se faz de uma nota de saída.")
    if about.purpose != Purpose.NORMAL.code:
        purpose = _PURPOSES.get(about.purpose, f"de finalidade {about.purpose}")
        raise UnreadFile(f"A nota é {purpose}, e o rascunho só se faz de uma nota de finalidade normal.")


def _require_sold(returned: Sequence[ReturnedItem]) -> None:
    """Refuses goods that stay those of the issuer: they do not go back by a return."""
    for item, _ in returned:
        if item.product.cfop[1:] in _ENTRUSTED:
            raise UnreadFile(
                f"O item {item.position} foi remetido com o CFOP {item.product.cfop}, sem venda: ele volta"
                " com uma nota de finalidade normal e um CFOP de retorno, e não com uma devolução."
            )


def _body(
    invoice: Invoice, returned: Sequence[ReturnedItem], key: AccessKey, company: Company
) -> dict[str, Any]:
    charges_freight = any(item.product.freight for item, _ in returned)
    optional = {
        "governmentPurchase": _group(invoice.identification.government_purchase),
        "freight": {"mode": FreightMode.SENDER.value} if charges_freight else None,
    }
    return {
        "purpose": Purpose.RETURN.value,
        "nature": _NATURE,
        "presence": Presence.NONE.value,
        "paymentMethod": "none",
        "recipient": _recipient(invoice.issuer),
        **_present(optional),
        "items": [_item(item, key, invoice.issuer, company) for item in returned],
        "notes": _notes(invoice, returned, key),
    }


def _notes(invoice: Invoice, returned: Sequence[ReturnedItem], key: AccessKey) -> str:
    """Returns the sentence that names the returned document, as state laws require."""
    is_whole = [item for item, _ in returned] == list(invoice.items)
    amount = format_amount(invoice.totals.invoice.amount)
    return (
        f"{'Devolução' if is_whole else 'Devolução parcial'} da NF-e {key.number}, série {key.series}, de"
        f" {invoice.identification.issued_at:%d/%m/%Y}, no valor de R$ {amount}, chave de acesso {key}."
    )


def _recipient(issuer: Issuer) -> dict[str, Any]:
    """Returns the issuer of the document as a recipient."""
    address = issuer.address
    municipality = municipality_of_ibge(address.city_code)
    # The spelling of a name may differ from that of our table, which has the name of each code.
    city = {"cityCode": address.city_code} if municipality else {"city": address.city}
    lines = {
        "zipcode": address.zipcode,
        "street": address.street,
        "number": address.number,
        "complement": address.complement,
        "district": address.district,
        "state": address.state,
        **city,
    }
    values = {
        "taxId": issuer.cnpj or issuer.cpf,
        "name": issuer.name,
        "stateRegistration": issuer.state_registration,
        "phone": address.phone,
        "address": _present(lines),
    }
    return _present(values)


def _item(returned: ReturnedItem, key: AccessKey, issuer: Issuer, company: Company) -> dict[str, Any]:
    item = returned.item
    taxes = item.taxes
    values = {
        **_product(item.product),
        "cfop": _cfop(item.product.cfop, issuer, company),
        "countsInTotal": None if item.product.counts_in_total == COUNTS else False,
        "origin": getattr(taxes.icms, "origin", None),
        "icms": _icms(taxes, company),
        "returnedIpi": _returned_ipi(returned),
        "pisSt": _group(taxes.pis_st),
        "cofinsSt": _group(taxes.cofins_st),
        "referencedItem": {"accessKey": str(key), "position": item.position},
    }
    if company.tax_regime is TaxRegime.NORMAL and _has_contributions(key):
        values |= {"pis": _OTHER_EXITS, "cofins": _OTHER_EXITS}
    if company.tax_regime in _WITH_CSOSN and (deducted := deducted_icms(taxes.icms)):
        # No CSOSN has exempted ICMS, by which the price was lower.
        values["discount"] = values.get("discount", ZERO) + deducted
    if company.informs_ibs_cbs(_day_of(key)):
        values |= {"ibsCbs": _group(taxes.ibs_cbs), "selectiveTax": _group(taxes.selective_tax)}
    return _present(values)


def _product(product: ItemProduct) -> dict[str, Any]:
    values = _as_json(to_plain(product))
    # "SEM GTIN" too: the company's own catalog may have another product with the code of the seller.
    return {name: values[name] for name in _PRODUCT_FIELDS if name in values}


def _cfop(sold_with: str, issuer: Issuer, company: Company) -> str:
    """Returns the CFOP by which the buyer returns what was sold with a CFOP."""
    first = "5" if issuer.address.state == company.address.state else "6"
    row = CFOPS.rows.get(sold_with)
    operation = _RESOLD_WITH_SUBSTITUTION if row and row.is_tax_substitution else _RESOLD
    # A MEI has a single CFOP for returns (NT 2025.002, I08-141).
    is_mei = company.tax_regime is TaxRegime.MEI
    return first + (_RESOLD if is_mei else _RETURN_OF.get(sold_with[1:], operation))


def _icms(taxes: ItemTaxes, company: Company) -> dict[str, Any]:
    """Returns the ICMS of the document with the code that the regime of the company requires."""
    values = _group(taxes.icms) or {}
    code = values.get("cst") or values.get("csosn")
    has_csosn = company.tax_regime in _WITH_CSOSN
    if code in _SINGLE_PHASE or (not has_csosn and "cst" in values):
        return {name: value for name, value in values.items() if name != "origin"}
    # A MEI has no CSOSN 500 (NT 2024.001, N12a-80).
    if code in _RETAINED and company.tax_regime is not TaxRegime.MEI:
        situation = {"csosn": "500"} if has_csosn else {"cst": "60"}
        return situation | _chosen(values, _RETAINED_FIELDS)
    if has_csosn:
        return {"csosn": "900"} | _chosen(values, _OTHER_FIELDS)
    credit = {"rate": values.get("creditRate"), "amount": values.get("creditAmount")}
    return {"cst": "90"} | (_present(credit) if credit["amount"] else {}) | _chosen(values, _OTHER_FIELDS)


def _chosen(values: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: values[name] for name in names if name in values and name not in _NOT_REPEATED}


def _returned_ipi(returned: ReturnedItem) -> dict[str, Any] | None:
    ipi = returned.item.taxes.ipi
    amount = getattr(ipi.taxation, "amount", None) if ipi else None
    return {"returnedShare": returned.percentage, "amount": amount} if amount else None


def _has_contributions(key: AccessKey) -> bool:
    """Returns whether PIS and COFINS existed when the goods were sold."""
    return DatedRule.PIS_COFINS_ENDED not in rules_on(_day_of(key), NAME)


def _day_of(key: AccessKey) -> date:
    day = day_of_key(key)
    if day is None:
        raise UnreadFile("A chave de acesso não tem um mês válido.")
    return day


def _group(group: Any) -> dict[str, Any] | None:
    """Returns a group of the layout as a body has it; None if there is none."""
    return None if group is None else _as_json(to_plain(group))


def _as_json(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _as_json(inner) for name, inner in value.items()}
    if isinstance(value, tuple):
        return list(map(_as_json, value))
    return value.isoformat() if isinstance(value, date) else value


def _present(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
