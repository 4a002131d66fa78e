"""The form in which people issue an NFS-e."""

from collections.abc import Mapping
from typing import Any

from carimbo.fiscal.body.form_layout import FieldKind, FormField, FormLayout, FormSection
from carimbo.fiscal.catalog.sale import ItemType, without_absent
from carimbo.fiscal.documents.nfse.from_sale import borrower_of
from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.issue_form import ChosenItem, IssueForm, address_fields, party_of_form
from carimbo.fiscal.parties.customer import CustomerFacts

REPLACED_ID = "replaces.documentId"
# TSCodJustSubst of the national layout.
_REPLACEMENT_REASONS = (
    ("01", "Desenquadramento do Simples Nacional"),
    ("02", "Enquadramento no Simples Nacional"),
    ("03", "Inclusão retroativa de imunidade ou isenção"),
    ("04", "Exclusão retroativa de imunidade ou isenção"),
    ("05", "Rejeição pelo tomador ou pelo intermediário"),
    ("99", "Outro motivo"),
)
_WITHHELD = (
    ("ir", "Imposto de renda"),
    ("csll", "CSLL"),
    ("pis", "PIS"),
    ("cofins", "COFINS"),
    ("inss", "INSS"),
)
_LAYOUT = FormLayout(
    body=NfseRequest,
    sections=(
        FormSection(
            title="Tomador",
            parts=(
                FormField(path="borrower.taxId", label="CPF ou CNPJ"),
                FormField(path="borrower.name", label="Nome ou razão social"),
                FormField(path="borrower.email", label="E-mail"),
                FormField(path="borrower.phone", label="Telefone"),
                FormField(path="borrower.municipalRegistration", label="Inscrição municipal"),
                *address_fields("borrower.address"),
            ),
        ),
        FormSection(
            title="Serviço",
            parts=(
                FormField(path="serviceDescription", label="Descrição do serviço"),
                FormField(path="amount", label="Valor do serviço, em reais"),
                FormField(
                    path="federalServiceCode",
                    label="Código nacional do serviço",
                    hint="Como 01.05 ou 01.05.01. Na falta, o das configurações da empresa.",
                ),
                FormField(
                    path="cityServiceCode", label="Código municipal do serviço", hint="Se o município o usa."
                ),
                FormField(path="nbs", label="NBS"),
                FormField(
                    path="iss.rate",
                    label="Alíquota do ISS, em %",
                    hint="Na falta, a das configurações da empresa.",
                ),
                FormField(path="iss.isWithheld", label="O tomador retém o ISS", blank="Não"),
                FormField(path="issueDate", label="Competência", kind=FieldKind.DAY, hint="Na falta, hoje."),
            ),
        ),
        FormSection(
            title="Onde e como o ISS é devido",
            is_open=False,
            parts=(
                FormField(
                    path="natureOfOperation",
                    label="Natureza da operação",
                    blank="Tributação no município",
                    options=(
                        ("1", "Tributação no município"),
                        ("2", "Tributação fora do município"),
                        ("3", "Isenção"),
                        ("4", "Imunidade"),
                        ("5", "Suspensa por decisão judicial"),
                        ("6", "Suspensa por processo administrativo"),
                    ),
                ),
                FormField(
                    path="serviceLocation",
                    label="Local da prestação",
                    blank="Município do prestador",
                    options=(("1", "Município do prestador"), ("2", "Município do tomador")),
                ),
                FormField(
                    path="serviceCityCode",
                    label="Código IBGE do local da prestação",
                    hint="Só se é outro município: 7 dígitos.",
                ),
                FormField(path="discounts.unconditional", label="Desconto incondicionado, em reais"),
                FormField(path="discounts.conditional", label="Desconto condicionado, em reais"),
            ),
        ),
        FormSection(
            title="Tributos federais",
            is_open=False,
            parts=tuple(
                field
                for tax, name in _WITHHELD
                for field in (
                    FormField(path=f"taxes.{tax}.rate", label=f"{name}, em %"),
                    FormField(path=f"taxes.{tax}.isWithheld", label=f"O tomador retém {name}", blank="Não"),
                )
            ),
        ),
        FormSection(
            title="Substituição",
            note="A NFS-e substituída fica cancelada quando esta é autorizada.",
            is_open=False,
            parts=(
                FormField(path=REPLACED_ID, label="Id da NFS-e substituída"),
                FormField(
                    path="replaces.reasonCode",
                    label="Motivo da substituição",
                    blank="Outro motivo",
                    options=_REPLACEMENT_REASONS,
                ),
                FormField(
                    path="replaces.reason",
                    label="Explicação do motivo",
                    kind=FieldKind.LONG_TEXT,
                    hint="De 15 a 255 caracteres; obrigatória com outro motivo.",
                ),
            ),
        ),
        FormSection(
            title="Catálogo e observações",
            is_open=False,
            parts=(
                FormField(path="sku", label="SKU no catálogo"),
                FormField(path="name", label="Nome no catálogo"),
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
    return {"borrower": party_of_form(borrower_of(customer))}


def _item(item: ChosenItem) -> Mapping[str, Any]:
    fiscal = item.fiscal
    return without_absent(
        {
            "sku": item.sku,
            "name": item.name,
            "category": item.category,
            "serviceDescription": item.name,
            "amount": item.price,
            "federalServiceCode": fiscal.get("serviceItemCode"),
            # A body with the municipal code must name the service and the ISS itself.
            "cityServiceCode": fiscal.get("cityServiceCode") if fiscal.get("iss") else None,
            "nbs": fiscal.get("nbs"),
            "iss": fiscal.get("iss"),
            "taxes": fiscal.get("taxes"),
            "ibsCbs": fiscal.get("ibsCbs"),
        }
    )


FORM = IssueForm(layout=_LAYOUT, customer=_customer, item_type=ItemType.SERVICE, item=_item)
