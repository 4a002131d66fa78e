"""The form of a sale: the labels of its fields, and the body that shows a stored sale."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from carimbo.fiscal.body.form_layout import FieldKind, FormField, FormLayout, FormList, FormSection
from carimbo.fiscal.catalog.sale import ItemType, without_absent
from carimbo.fiscal.event_forms import JUSTIFICATION, event_form
from carimbo.fiscal.goods.payments import Term
from carimbo.fiscal.issue_form import ChosenItem, address_fields
from carimbo.fiscal.local_time import beginning_of, local_day
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.fiscal.tables.payment_methods import PAYMENT_METHODS, find_payment_method
from carimbo.service.sales.body import USUAL_PAYMENT, SaleBody
from carimbo.service.sales.change import ChangeableSale
from carimbo.service.sales.emit import SaleCancellation
from carimbo.service.words import EMISSIONS

ITEMS_TITLE = "O que é vendido"
CUSTOMER = "customer"
"""The field with the id of a customer of the catalog, or with the data of another buyer."""
LINES = FormList(
    path="products",
    title="Itens",
    singular="item",
    fields=(
        FormField(path="sku", label="SKU", hint="De um item do catálogo."),
        FormField(path="quantity", label="Quantidade", hint="Na falta, 1."),
        FormField(path="price", label="Preço, em reais", hint="De uma unidade. Na falta, o do catálogo."),
        FormField(path="name", label="Nome nesta venda", hint="Na falta, o do catálogo."),
    ),
)
CANCELLATION_FORM = event_form(
    SaleCancellation,
    JUSTIFICATION,
    FormField(
        path="reasonCode",
        label="Motivo",
        options=(("1", "Erro na emissão"), ("2", "Serviço não prestado"), ("9", "Outros")),
        blank="Não informado",
    ),
)


def sale_form(*, has_customer: bool, is_new: bool) -> FormLayout:
    """Returns the form of a sale to a customer of the catalog, or to somebody else."""
    methods = tuple((method.code, method.name) for method in PAYMENT_METHODS.values())
    return FormLayout(
        body=SaleBody,
        sections=(
            *(_CATALOG_CUSTOMER if has_customer else _OTHER_BUYER),
            FormSection(title=ITEMS_TITLE, parts=(LINES,)),
            FormSection(title="Pagamento e emissão", parts=_terms(methods)),
            FormSection(
                title="Vários pagamentos", note=_PAYMENTS_NOTE, parts=(_payments(methods),), is_open=False
            ),
            FormSection(title="Desconto, frete e observações", parts=_details(is_new=is_new), is_open=False),
            FormSection(title="Descrição e local dos serviços", parts=_SERVICE_NOTE, is_open=False),
        ),
    )


_CATALOG_CUSTOMER = (FormSection(title="Cliente", parts=(FormField(path=CUSTOMER, label="Cliente"),)),)
_OTHER_BUYER = (
    FormSection(
        title="Cliente",
        note="Quem ainda não está no catálogo entra nele com a venda. Ao consumidor, na NFC-e, basta o CPF.",
        parts=(
            FormField(path="customer.name", label="Nome ou razão social"),
            FormField(path="customer.document", label="CPF ou CNPJ"),
            FormField(path="customer.email", label="E-mail"),
            FormField(path="customer.phone", label="Telefone"),
        ),
    ),
    FormSection(title="Endereço do cliente", parts=address_fields("customer.address"), is_open=False),
)
_PAYMENTS_NOTE = "Em lugar do meio de pagamento acima. Somam o total dos documentos, com o IPI."
_TERMS = ((Term.CASH.value, "À vista"), (Term.INSTALLMENTS.value, "A prazo"))
_SERVICE_NOTE = (
    FormField(path="nfse.discrimination", label="Descrição do serviço", hint="Na falta, os nomes dos itens."),
    FormField(
        path="nfse.competenceDate", label="Competência", kind=FieldKind.DAY, hint="Na falta, a da emissão."
    ),
    FormField(
        path="nfse.serviceLocation",
        label="Local da prestação",
        options=(("1", "Município do prestador"), ("2", "Município do tomador")),
    ),
    FormField(
        path="nfse.cityIbge",
        label="Código IBGE do local da prestação",
        hint="Só se é outro município: 7 dígitos.",
    ),
)


def _terms(methods: tuple[tuple[str, str], ...]) -> tuple[FormField, ...]:
    usual = find_payment_method(USUAL_PAYMENT)
    goods = tuple(
        (document_type.name, document_type.title)
        for document_type in DOCUMENT_TYPES
        if document_type.catalog_sale and document_type.catalog_sale.item_type is ItemType.PRODUCT
    )
    return (
        FormField(
            path="paymentMethod",
            label="Meio de pagamento",
            options=methods,
            blank=usual.name if usual else "Não informado",
        ),
        FormField(path="emitWhen", label="Quando emitir", options=tuple(EMISSIONS.items()), is_required=True),
        FormField(
            path="guaranteeDate",
            label="Emitir em",
            kind=FieldKind.DAY,
            hint="Depois da garantia. Na falta, pela maior garantia dos itens.",
        ),
        FormField(
            path="productInvoiceType",
            label="Documento dos produtos",
            options=goods,
            blank="O padrão da empresa",
        ),
        FormField(path="sendEmail", label="E-mail ao cliente", blank="Como na configuração da empresa"),
        FormField(path="saleDate", label="Data da venda", kind=FieldKind.DAY, hint="Na falta, hoje."),
    )


def _payments(methods: tuple[tuple[str, str], ...]) -> FormList:
    fields = (
        FormField(path="method", label="Meio", options=methods, blank="Escolha"),
        FormField(path="amount", label="Valor, em reais"),
        FormField(path="term", label="Prazo", options=_TERMS, blank="Não informado"),
        FormField(path="description", label="Descrição", hint="Obrigatória em outros meios."),
    )
    return FormList(path="payments", title="Pagamentos", singular="pagamento", fields=fields)


def _details(*, is_new: bool) -> tuple[FormField, ...]:
    external_id = FormField(
        path="externalId",
        label="Número no seu sistema",
        hint="O mesmo número não registra outra venda.",
    )
    return (
        FormField(path="discount", label="Desconto, em reais", hint="Repartido pelos itens."),
        FormField(path="shipping", label="Frete, em reais", hint="Repartido pelos produtos."),
        FormField(path="notes", label="Observações", hint="Saem nos documentos da venda."),
        # It identifies the sale, and can't be changed.
        *((external_id,) if is_new else ()),
    )


def line_of(item: ChosenItem) -> Mapping[str, Any]:
    """Returns the entry of the list that an item of the catalog fills."""
    return without_absent({"sku": item.sku, "name": item.name, "quantity": 1, "price": item.price})


def typed_sale(current: ChangeableSale, state: str) -> dict[str, Any]:
    """Returns a stored sale as the body that its form shows."""
    body, method = current.body, find_payment_method(current.sale.payment_method or "")
    shown: dict[str, Any] = {
        "products": [
            {
                # Items have their SKU, except deleted ones: another item may have that SKU by now.
                **({"id": line.product_id} if line.is_deleted else {"sku": line.sku}),
                "name": line.name,
                "price": line.price.normalize(),
                "quantity": line.quantity.normalize(),
            }
            for line in current.lines
        ],
        "paymentMethod": method.code if method else body.get("paymentMethod"),
        "guaranteeDate": _shown_day(current.sale.scheduled_emit_at, state) or body.get("guaranteeDate"),
        "discount": current.sale.discount or None,
        "shipping": current.sale.shipping or None,
        "externalId": None,
    }
    return without_absent(body | shown)


def _shown_day(scheduled: datetime | None, state: str) -> str | None:
    """Returns the day of a sale that is scheduled for its beginning; None for any other moment."""
    day = local_day(scheduled, state) if scheduled else None
    return day.isoformat() if day and beginning_of(day, state) == scheduled else None
