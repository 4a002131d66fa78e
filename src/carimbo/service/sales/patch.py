"""The body that changes make of a stored sale."""

from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import RootModel, ValidationError

from carimbo.fiscal.body_reading import is_blank
from carimbo.fiscal.catalog_sale import without_absent
from carimbo.service.errors import Code, Refusal, invalid_body
from carimbo.service.exact_json import merge_patch
from carimbo.service.partial_body import AS_SENT, partial_of
from carimbo.service.readable import log_unreadable
from carimbo.service.sales.body import EmitWhen, SaleBody
from carimbo.storage.sales import ShownLine, ShownSale

_PAYMENT = ("paymentMethod", "payments")
_STORED_JSON = ("payments", "nfse")
_IDENTITY = ("name", "document", "foreignId")
# Fields that a sale always has: a blank in them changes nothing, as in every PUT.
_NEVER_EMPTY = ("products", "emitWhen")


if TYPE_CHECKING:
    _Changes: TypeAlias = dict[str, Any]
else:
    _Changes = partial_of(SaleBody)


class SaleChanges(RootModel[Annotated[_Changes, AS_SENT]]):
    """The fields of a sale that change, as in the body that creates one."""


class Merging(Enum):
    """How changes join a sale; what they leave out stays in either case."""

    WHOLE = "objects replace objects"
    DEEP = "objects join objects (RFC 7396)"


def patched(
    sale: ShownSale,
    lines: Sequence[ShownLine],
    buyer_tax_id: str | None,
    patch: dict[str, Any],
    merging: Merging,
) -> SaleBody:
    """Returns the body of a sale with the fields of a patch in place of its own, or refuses it.

    Either field of payment replaces both. An object for the customer that does not say who it is completes
    the customer of the sale; one that the catalog does not know is known by a CPF or CNPJ alone.
    """
    current = _current(sale, lines, buyer_tax_id)
    patch = {name: value for name, value in patch.items() if name not in _NEVER_EMPTY or not is_blank(value)}
    if any(patch.get(name) for name in _PAYMENT):
        current = {name: value for name, value in current.items() if name not in _PAYMENT}
    told = patch.get("customer")
    if isinstance(told, dict) and not any(told.get(name) for name in _IDENTITY):
        known_as = {
            "name": sale.customer_name,
            "document": sale.customer_document or buyer_tax_id,
            "foreignId": sale.customer_foreign_id,
            "email": sale.customer_email,
        }
        patch = patch | {"customer": told | without_absent(known_as)}
    try:
        body = merge_patch(current, patch) if merging is Merging.DEEP else current | patch
        return SaleBody.model_validate(body)
    except ValidationError as invalid:
        _refuse_unreadable(sale, patch, invalid)
        raise invalid_body(invalid) from None


def _refuse_unreadable(sale: ShownSale, patch: dict[str, Any], invalid: ValidationError) -> None:
    """Refuses a change of a sale whose stored payments or `nfse` can't be read, unless it replaces them."""
    wrong = {str(error["loc"][0]) for error in invalid.errors() if error["loc"]}
    unreadable = [name for name in _STORED_JSON if name in wrong and name not in patch]
    if unreadable:
        log_unreadable("sales", sale.id, invalid)
        sentence = f"Parte da venda não pôde ser lida: envie de novo {' e '.join(unreadable)}."
        raise Refusal(Code.INVALID_STATE, sentence, currentStatus=sale.status, allowed=[])


def _current(sale: ShownSale, lines: Sequence[ShownLine], buyer_tax_id: str | None) -> dict[str, Any]:
    """Returns the body that a sale would be created with today.

    A sale that waits for no time waits to be emitted, even if its documents were to go at once at first.
    """
    due_at = sale.scheduled_emit_at if sale.is_waiting else None
    guarantee = due_at or sale.guarantee_date
    body = {
        "customer": {"document": buyer_tax_id}
        if buyer_tax_id
        else sale.customer_id and str(sale.customer_id),
        "products": [
            {"id": line.product_id, "name": line.name, "price": line.price, "quantity": line.quantity}
            for line in lines
        ],
        "saleDate": sale.sold_on.isoformat(),
        "paymentMethod": sale.payment_method,
        "payments": sale.payments,
        "emitWhen": (EmitWhen.AFTER_GUARANTEE if due_at else EmitWhen.MANUAL).value,
        "guaranteeDate": guarantee and guarantee.isoformat(),
        "sendEmail": sale.send_email,
        "externalId": sale.external_id,
        "discount": sale.discount,
        "shipping": sale.shipping,
        "nfse": sale.nfse,
        "productInvoiceType": sale.product_invoice_type,
        "notes": sale.notes,
    }
    return without_absent(body)
