"""The form of the fiscal fields of a service in the catalog."""

from carimbo.fiscal.body.form_layout import FormField, FormSection
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_SITUATIONS

_UNSAID = "Não informado"
_FEDERAL_TAXES = (
    ("ir", "Imposto de renda"),
    ("csll", "CSLL"),
    ("pis", "PIS"),
    ("cofins", "COFINS"),
    ("inss", "INSS"),
)


def service_sections() -> tuple[FormSection, ...]:
    """Returns the sections of the form, with the codes of the tables that the operator uses now."""
    return (
        FormSection(
            title="Códigos",
            parts=(
                FormField(
                    path="serviceItemCode",
                    label="Item da lista de serviços",
                    hint="Como 01.05, ou o código nacional, como 01.05.01. Na falta, o da empresa.",
                ),
                FormField(
                    path="cityServiceCode", label="Código municipal do serviço", hint="Se o município o usa."
                ),
                FormField(path="nbs", label="NBS", hint="Na falta, o da empresa."),
                FormField(path="cnaeCode", label="CNAE", hint="O padrão nacional não o leva."),
            ),
        ),
        FormSection(
            title="ISS",
            note="Na falta, o das configurações da empresa.",
            parts=(
                FormField(path="iss.rate", label="Alíquota do ISS, em %"),
                FormField(path="iss.isWithheld", label="O tomador retém o ISS", blank=_UNSAID),
            ),
            is_open=False,
        ),
        FormSection(title="Tributos federais e retenções", parts=_federal_taxes(), is_open=False),
        FormSection(title="IBS e CBS", note=_IBS_CBS_NOTE, parts=_ibs_cbs(), is_open=False),
    )


_IBS_CBS_NOTE = "Na falta, os padrões, no regime normal, e nada nos outros."


def _federal_taxes() -> tuple[FormField, ...]:
    withheld = (
        field
        for tax, name in _FEDERAL_TAXES
        for field in (
            FormField(path=f"taxes.{tax}.rate", label=f"{name}, em %"),
            FormField(path=f"taxes.{tax}.isWithheld", label=f"O tomador retém {name}", blank=_UNSAID),
        )
    )
    return (
        *withheld,
        FormField(path="taxes.ownDebit.cst", label="CST de PIS e COFINS, no débito próprio"),
        FormField(path="taxes.ownDebit.pisRate", label="PIS do débito próprio, em %"),
        FormField(path="taxes.ownDebit.cofinsRate", label="COFINS do débito próprio, em %"),
    )


def _ibs_cbs() -> tuple[FormField, ...]:
    situations = tuple((row.code, f"{row.code}, {row.name}") for row in IBS_CBS_SITUATIONS.values())
    return (
        FormField(path="ibsCbs.cst", label="CST do IBS e da CBS", options=situations),
        FormField(
            path="ibsCbs.taxClassCode", label="Classificação tributária", hint="Os 6 dígitos de cClassTrib."
        ),
        FormField(
            path="ibsCbs.operationIndicator", label="Indicador da operação", hint="Os 6 dígitos de cIndOp."
        ),
        FormField(
            path="ibsCbs.operationType",
            label="Tipo da operação",
            hint="De 1 a 5, só nos itens 10.05, 15.09, 17.12 e 25.05.",
        ),
        FormField(path="ibsCbs.personalUse", label="É de uso ou consumo pessoal"),
    )
