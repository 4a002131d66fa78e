"""The form in which people issue an NF-e."""

from collections.abc import Mapping
from typing import Any

from carimbo.fiscal.body.form_layout import FieldKind, FormField, FormLayout, FormList, FormSection
from carimbo.fiscal.catalog.sale import ItemType, without_absent
from carimbo.fiscal.documents.nfe.from_sale import recipient_of
from carimbo.fiscal.documents.nfe.request import Destination, NfeRequest, OperationDirection, Purpose
from carimbo.fiscal.goods.freight import FreightMode
from carimbo.fiscal.goods.presence import Presence
from carimbo.fiscal.issue_form import ChosenItem, IssueForm, address_fields, party_of_form
from carimbo.fiscal.parties.customer import CustomerFacts
from carimbo.fiscal.parties.recipient import Contribution
from carimbo.fiscal.tables.payment_methods import PAYMENT_METHODS

_ITEMS = FormList(
    path="items",
    title="Itens",
    singular="item",
    fields=(
        FormField(path="description", label="Descrição"),
        FormField(path="quantity", label="Quantidade"),
        FormField(path="unitValue", label="Preço da unidade, em reais"),
        FormField(path="unit", label="Unidade", hint="Por exemplo UN, KG ou CX."),
        FormField(path="sku", label="SKU", hint="Com o SKU de um item do catálogo, o que falta vem dele."),
        FormField(path="ncm", label="NCM", hint="8 dígitos."),
        FormField(path="cfop", label="CFOP"),
        FormField(path="discount", label="Desconto, em reais"),
        FormField(path="icms.cst", label="CST do ICMS", hint="No regime normal."),
        FormField(path="icms.csosn", label="CSOSN", hint="No Simples Nacional."),
        FormField(path="icms.rate", label="Alíquota do ICMS, em %"),
    ),
)
_LAYOUT = FormLayout(
    body=NfeRequest,
    sections=(
        FormSection(
            title="Destinatário",
            parts=(
                FormField(path="recipient.taxId", label="CPF ou CNPJ"),
                FormField(path="recipient.name", label="Nome ou razão social"),
                FormField(path="recipient.email", label="E-mail"),
                FormField(path="recipient.phone", label="Telefone"),
                FormField(path="recipient.stateRegistration", label="Inscrição estadual", hint="Ou ISENTO."),
                FormField(
                    path="recipient.icmsContribution",
                    label="Contribuinte do ICMS",
                    blank="Pela inscrição estadual",
                    options=(
                        (Contribution.CONTRIBUTOR, "Contribuinte"),
                        (Contribution.EXEMPT, "Contribuinte isento de inscrição"),
                        (Contribution.NONE, "Não contribuinte"),
                    ),
                ),
                *address_fields("recipient.address"),
            ),
        ),
        FormSection(title="O que é vendido", parts=(_ITEMS,)),
        FormSection(
            title="Operação",
            parts=(
                FormField(path="nature", label="Natureza da operação", hint="Na falta, venda de mercadoria."),
                FormField(
                    path="operation",
                    label="Tipo da operação",
                    blank="Saída",
                    options=((OperationDirection.OUTBOUND, "Saída"), (OperationDirection.INBOUND, "Entrada")),
                ),
                FormField(
                    path="purpose",
                    label="Finalidade",
                    blank="Normal",
                    options=(
                        (Purpose.NORMAL, "Normal"),
                        (Purpose.COMPLEMENT, "Complementar"),
                        (Purpose.ADJUSTMENT, "Ajuste"),
                        (Purpose.RETURN, "Devolução"),
                        (Purpose.CREDIT, "Nota de crédito"),
                        (Purpose.DEBIT, "Nota de débito"),
                    ),
                ),
                FormField(
                    path="presence",
                    label="Presença do comprador",
                    blank="A usual da empresa",
                    options=(
                        (Presence.IN_PERSON, "Presencial"),
                        (Presence.INTERNET, "Pela internet"),
                        (Presence.PHONE, "Por telefone"),
                        (Presence.DELIVERY, "Entrega em domicílio"),
                        (Presence.OUTSIDE, "Presencial, fora da loja"),
                        (Presence.OTHER, "A distância, de outro modo"),
                        (Presence.NONE, "Não se aplica"),
                    ),
                ),
                FormField(path="finalConsumer", label="Consumidor final"),
                FormField(
                    path="destination",
                    label="Destino",
                    blank="Pelos endereços",
                    options=(
                        (Destination.INTERNAL, "Na mesma UF"),
                        (Destination.INTERSTATE, "Em outra UF"),
                        (Destination.ABROAD, "No exterior"),
                    ),
                ),
                FormField(
                    path="paymentMethod",
                    label="Meio de pagamento",
                    blank="O usual da empresa",
                    options=tuple((method.code, method.name) for method in PAYMENT_METHODS.rows.values()),
                ),
                FormField(path="discount", label="Desconto no total, em reais"),
            ),
        ),
        FormSection(
            title="Frete e despesas",
            is_open=False,
            parts=(
                FormField(
                    path="freight.mode",
                    label="Frete por conta de",
                    blank="Sem frete",
                    options=(
                        (FreightMode.SENDER, "Remetente"),
                        (FreightMode.RECIPIENT, "Destinatário"),
                        (FreightMode.THIRD_PARTY, "Terceiros"),
                        (FreightMode.OWN_BY_SENDER, "Transporte próprio do remetente"),
                        (FreightMode.OWN_BY_RECIPIENT, "Transporte próprio do destinatário"),
                        (FreightMode.NONE, "Sem frete"),
                    ),
                ),
                FormField(path="freight.amount", label="Frete, em reais"),
                FormField(path="insurance", label="Seguro, em reais"),
                FormField(path="other", label="Outras despesas, em reais"),
            ),
        ),
        FormSection(
            title="Datas e observações",
            is_open=False,
            parts=(
                FormField(
                    path="departedAt",
                    label="Saída ou entrada da mercadoria",
                    kind=FieldKind.MOMENT,
                    hint="Não pode ser antes da emissão.",
                ),
                FormField(path="notes", label="Informações complementares"),
                FormField(
                    path="externalId",
                    label="Número no seu sistema",
                    hint="O mesmo número não emite uma segunda nota.",
                ),
            ),
        ),
    ),
)


def _customer(customer: CustomerFacts) -> Mapping[str, Any]:
    return {"recipient": party_of_form(recipient_of(customer))}


def _item(item: ChosenItem) -> Mapping[str, Any]:
    # The other fiscal fields come from the catalog by the SKU when the document is issued.
    return without_absent(
        {
            "sku": item.sku,
            "description": item.name,
            "quantity": 1,
            "unitValue": item.price,
            "unit": item.fiscal.get("unit"),
            "ncm": item.fiscal.get("ncm"),
        }
    )


FORM = IssueForm(layout=_LAYOUT, customer=_customer, item_type=ItemType.PRODUCT, item=_item, items=_ITEMS)
