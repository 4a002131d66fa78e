"""The forms of a company's registration, and of its registration in a state."""

from carimbo.fiscal.body.form_layout import FormField, FormLayout, FormList, FormSection
from carimbo.service.companies.company_bodies import CompanyChanges, NewCompany
from carimbo.service.companies.state_registrations import NewStateRegistration
from carimbo.service.words import IBS_CBS_REGIMES, PIS_COFINS_REGIMES, TAX_REGIMES

_LATER = "Informar depois"
_NAMES = (
    FormField(path="legalName", label="Razão social", is_required=True),
    FormField(path="tradeName", label="Nome fantasia"),
)
_TAXES = FormSection(
    title="Tributação",
    parts=(
        FormField(
            path="taxRegime",
            label="Regime tributário",
            options=tuple(TAX_REGIMES.items()),
            blank=_LATER,
            hint="Sem ele a empresa não emite.",
        ),
        FormField(path="cnaeCode", label="CNAE principal", hint="Sete dígitos, como 4751-2/01."),
        FormField(path="municipalRegistration", label="Inscrição municipal"),
        FormField(
            path="pisCofinsRegime",
            label="PIS e COFINS",
            options=tuple(PIS_COFINS_REGIMES.items()),
            blank=_LATER,
            hint="Para o regime normal.",
        ),
        FormField(
            path="simplesRate",
            label="Alíquota do Simples Nacional (%)",
            hint="A alíquota efetiva, com vírgula: 6 ou 7,25.",
        ),
        FormField(
            path="simplesIssRegime",
            label="Apuração no Simples Nacional",
            options=(
                ("1", "Tributos federais e ISS pelo Simples"),
                ("2", "Federais pelo Simples, ISS por fora"),
                ("3", "Federais e ISS por fora do Simples"),
            ),
            blank=_LATER,
        ),
    ),
)
_ADDRESS = FormSection(
    title="Endereço",
    note="Sem o endereço inteiro a empresa não emite.",
    parts=(
        FormField(path="address.zipcode", label="CEP"),
        FormField(path="address.street", label="Logradouro", hint="Rua, avenida, praça…"),
        FormField(path="address.number", label="Número", hint="S/N se não houver."),
        FormField(path="address.complement", label="Complemento"),
        FormField(path="address.district", label="Bairro"),
        FormField(path="address.city", label="Município"),
        FormField(path="address.state", label="UF", blank="Escolha"),
        FormField(
            path="address.cityCode",
            label="Código IBGE do município",
            hint="Só se o município não for encontrado pelo nome.",
        ),
    ),
)
_CONTACT = FormSection(
    title="Contato",
    parts=(FormField(path="email", label="E-mail"), FormField(path="phone", label="Telefone")),
)
IBS_CBS_OPTIONS = FormList(
    path="ibsCbsRegime",
    title="Regime de IBS e CBS por semestre",
    singular="opção",
    fields=(
        FormField(path="halfYear", label="Semestre", hint="Como 2027-1: o primeiro de 2027."),
        FormField(path="regime", label="Regime", options=tuple(IBS_CBS_REGIMES.items()), blank="Escolha"),
    ),
)
_REFORM = FormSection(
    title="IBS e CBS",
    note=(
        "Só para empresas do Simples Nacional, a partir de 2027. Um semestre sem opção fica com os dois no"
        " DAS. Para tirar uma opção, deixe os dois campos em branco."
    ),
    parts=(IBS_CBS_OPTIONS,),
    is_open=False,
)
NEW_COMPANY_FORM = FormLayout(
    body=NewCompany,
    sections=(
        FormSection(
            title="Empresa",
            parts=(
                FormField(path="taxId", label="CNPJ", hint="O mesmo do certificado. Não muda depois."),
                *_NAMES,
            ),
        ),
        _TAXES,
        _ADDRESS,
        _CONTACT,
    ),
)
COMPANY_FORM = FormLayout(
    body=CompanyChanges,
    sections=(FormSection(title="Empresa", parts=_NAMES), _TAXES, _ADDRESS, _CONTACT, _REFORM),
)
STATE_REGISTRATION_FORM = FormLayout(
    body=NewStateRegistration,
    sections=(
        FormSection(
            title="Inscrição estadual",
            parts=(
                FormField(path="state", label="UF"),
                FormField(path="number", label="Número", hint="Só os dígitos, ou com a pontuação da UF."),
                FormField(
                    path="isDefault",
                    label="Usar como padrão",
                    blank="Só se for a primeira",
                    hint="Marca uma delas para quem lê. Nos documentos vai sempre a da UF da empresa.",
                ),
            ),
        ),
    ),
)
