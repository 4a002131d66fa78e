"""The form of the fiscal fields of goods in the catalog."""

from carimbo.fiscal.body.form_layout import FormField, FormSection
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_SITUATIONS
from carimbo.fiscal.tables.taxes import TAX_SITUATIONS, Tax

_FIRST_SALE_OF_IPI, _FIRST_PURCHASE, _OTHER = "50", "50", "99"
_ORIGINS = (
    ("0", "0, nacional"),
    ("1", "1, estrangeira, importada direto"),
    ("2", "2, estrangeira, comprada no Brasil"),
    ("3", "3, nacional, com mais de 40% de conteúdo importado"),
    ("4", "4, nacional, por processo produtivo básico"),
    ("5", "5, nacional, com até 40% de conteúdo importado"),
    ("6", "6, estrangeira, importada direto, sem similar nacional"),
    ("7", "7, estrangeira, comprada no Brasil, sem similar nacional"),
    ("8", "8, nacional, com mais de 70% de conteúdo importado"),
)
# Tables of modBC and modBCST (MOC 7.0, N13 and N18).
_BASE_MODES = (
    ("0", "0, margem de valor agregado"),
    ("1", "1, pauta"),
    ("2", "2, preço tabelado"),
    ("3", "3, valor da operação"),
)
_ST_BASE_MODES = (
    ("0", "0, preço tabelado ou máximo sugerido"),
    ("1", "1, lista negativa"),
    ("2", "2, lista positiva"),
    ("3", "3, lista neutra"),
    ("4", "4, margem de valor agregado"),
    ("5", "5, pauta"),
    ("6", "6, valor da operação"),
)
_YES_OR_NO = (("1", "Sim"), ("0", "Não"))


def goods_sections() -> tuple[FormSection, ...]:
    """Returns the sections of the form, with the codes of the tables that the operator uses now."""
    return (
        _codes(),
        FormSection(title="ICMS", note=_ICMS_NOTE, parts=_icms(), is_open=False),
        FormSection(title="ICMS por substituição tributária", parts=_substitution(), is_open=False),
        FormSection(title="ICMS monofásico, de combustíveis", parts=_single_phase(), is_open=False),
        FormSection(title="PIS", note=_PIS_NOTE, parts=_contribution("pis", "PIS"), is_open=False),
        FormSection(title="COFINS", note=_PIS_NOTE, parts=_contribution("cofins", "COFINS"), is_open=False),
        FormSection(title="IPI", note="Na falta, a nota não o leva.", parts=_ipi(), is_open=False),
        FormSection(title="IBS e CBS", note=_IBS_CBS_NOTE, parts=_ibs_cbs(), is_open=False),
    )


_ICMS_NOTE = "Na falta, o da venda comum: CSOSN 102 no Simples e no MEI, CST 00 nos outros regimes."
_PIS_NOTE = "Na falta, CST 01 no regime normal e 49 nos outros."
_IBS_CBS_NOTE = "Na falta, tributação integral no regime normal e nada nos outros."


def _situations(tax: Tax) -> tuple[tuple[str, str], ...]:
    rows = TAX_SITUATIONS.values()
    return tuple((row.code, f"{row.code}, {row.name}") for row in rows if row.tax is tax)


def _codes() -> FormSection:
    return FormSection(
        title="Códigos",
        parts=(
            FormField(path="ncm", label="NCM", hint="8 dígitos; 00000000 no que não é mercadoria."),
            FormField(
                path="cfop",
                label="CFOP",
                hint="Da venda na UF: começa por 5. Na falta, o padrão da empresa.",
            ),
            FormField(path="cest", label="CEST", hint="7 dígitos, se há substituição tributária."),
            FormField(path="gtin", label="GTIN (código de barras)", hint="Na falta, SEM GTIN."),
            FormField(path="unit", label="Unidade", hint="Como UN, KG ou CX. Na falta, UN."),
            FormField(
                path="origin",
                label="Origem da mercadoria",
                options=_ORIGINS,
                blank="A padrão da empresa",
            ),
            FormField(path="benefitCode", label="Código de benefício fiscal", hint="Da UF, ou SEM CBENEF."),
        ),
    )


def _icms() -> tuple[FormField, ...]:
    return (
        FormField(
            path="icms.cst",
            label="CST do ICMS",
            hint="No regime normal.",
            options=_situations(Tax.ICMS),
        ),
        FormField(
            path="icms.csosn",
            label="CSOSN",
            hint="No Simples Nacional.",
            options=_situations(Tax.ICMS_SIMPLES),
        ),
        FormField(
            path="icms.rate",
            label="Alíquota do ICMS, em %",
            hint="A interna: para outra UF vale a interestadual.",
        ),
        FormField(path="icms.creditRate", label="Alíquota de crédito do Simples Nacional, em %"),
        FormField(path="icms.baseMode", label="Modalidade da base do ICMS", options=_BASE_MODES),
        FormField(path="icms.baseReduction", label="Redução da base do ICMS, em %"),
        FormField(path="icms.baseReductionBenefitCode", label="Código de benefício da redução da base"),
        FormField(path="icms.deferralRate", label="Diferimento do ICMS, em %"),
        FormField(path="icms.fcpRate", label="FCP, em %"),
        FormField(path="icms.fcpDeferralRate", label="Diferimento do FCP, em %"),
        FormField(path="icms.exemptionReason", label="Motivo da desoneração", hint="O código de motDesICMS."),
        FormField(
            path="icms.exemptionIsDeducted",
            label="A desoneração deduz do valor do item",
            options=_YES_OR_NO,
        ),
        FormField(path="icms.effectiveBaseReduction", label="Redução da base efetiva, em %"),
        FormField(path="icms.effectiveRate", label="Alíquota efetiva, em %"),
    )


def _substitution() -> tuple[FormField, ...]:
    return (
        FormField(path="icms.stBaseMode", label="Modalidade da base da substituição", options=_ST_BASE_MODES),
        FormField(path="icms.stMva", label="Margem de valor agregado, em %"),
        FormField(path="icms.stBaseReduction", label="Redução da base da substituição, em %"),
        FormField(path="icms.stRate", label="Alíquota da substituição, em %"),
        FormField(path="icms.stFcpRate", label="FCP da substituição, em %"),
        FormField(
            path="icms.stExemptionReason",
            label="Motivo da desoneração da substituição",
            hint="O código de motDesICMSST.",
        ),
        FormField(path="icms.retainedRate", label="Alíquota do consumidor final, com FCP, em %"),
        FormField(path="icms.retainedFcpRate", label="FCP retido antes, em %"),
        FormField(path="icms.operationBaseShare", label="Base da operação própria na partilha, em %"),
        FormField(path="icms.stState", label="UF a que a substituição é devida, na partilha"),
    )


def _single_phase() -> tuple[FormField, ...]:
    return (
        FormField(path="icms.singlePhaseRate", label="Alíquota ad rem, em R$ por unidade"),
        FormField(
            path="icms.singlePhaseWithholdingRate", label="Alíquota ad rem com retenção, em R$ por unidade"
        ),
        FormField(path="icms.singlePhaseRateReduction", label="Redução da alíquota ad rem, em %"),
        FormField(
            path="icms.singlePhaseRateReductionReason",
            label="Motivo da redução da alíquota ad rem",
            hint="O código de motRedAdRem.",
        ),
        FormField(path="icms.singlePhaseDeferralRate", label="Alíquota ad rem diferida, em R$ por unidade"),
        FormField(
            path="icms.singlePhaseRetainedRate", label="Alíquota ad rem retida antes, em R$ por unidade"
        ),
    )


def _contribution(path: str, name: str) -> tuple[FormField, ...]:
    # An item of the catalog is sold: the codes of purchases are left out.
    situations = tuple(
        (code, words)
        for code, words in _situations(Tax.PIS_COFINS)
        if code < _FIRST_PURCHASE or code == _OTHER
    )
    return (
        FormField(path=f"{path}.cst", label=f"CST de {name}", options=situations),
        FormField(path=f"{path}.rate", label=f"Alíquota de {name}, em %"),
        FormField(path=f"{path}.unitRate", label=f"{name}, em R$ por unidade"),
    )


def _ipi() -> tuple[FormField, ...]:
    situations = tuple(row for row in _situations(Tax.IPI) if row[0] >= _FIRST_SALE_OF_IPI)
    return (
        FormField(path="ipi.cst", label="CST do IPI", options=situations, blank="Sem IPI"),
        FormField(path="ipi.rate", label="Alíquota do IPI, em %"),
        FormField(path="ipi.unitRate", label="IPI, em R$ por unidade"),
        FormField(path="ipi.frameworkCode", label="Enquadramento legal do IPI", hint="Na falta, 999."),
        FormField(path="ipi.producerTaxId", label="CNPJ do produtor"),
        FormField(path="ipi.sealCode", label="Código do selo de controle"),
    )


def _ibs_cbs() -> tuple[FormField, ...]:
    situations = tuple((row.code, f"{row.code}, {row.name}") for row in IBS_CBS_SITUATIONS.values())
    shares = (("state", "IBS do estado"), ("city", "IBS do município"), ("cbs", "CBS"))
    return (
        FormField(path="ibsCbs.cst", label="CST do IBS e da CBS", options=situations),
        FormField(
            path="ibsCbs.taxClassCode", label="Classificação tributária", hint="Os 6 dígitos de cClassTrib."
        ),
        FormField(path="ibsCbs.isDonation", label="É doação", options=(("1", "Sim"),), blank="Não"),
        *(
            field
            for path, name in shares
            for field in (
                FormField(path=f"ibsCbs.{path}.rate", label=f"{name}, em %"),
                FormField(path=f"ibsCbs.{path}.deferral.rate", label=f"Diferimento: {name}, em %"),
                FormField(path=f"ibsCbs.{path}.reduction.rate", label=f"Redução da alíquota: {name}, em %"),
                FormField(
                    path=f"ibsCbs.{path}.reduction.effectiveRate",
                    label=f"Alíquota depois da redução: {name}, em %",
                ),
            )
        ),
    )
