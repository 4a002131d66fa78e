"""Rules of the identification of a document: its key, its issuer, and the time of its issue."""

from datetime import timedelta

from carimbo.fiscal.goods.rules.rule import NFCE, NFE, OUTBOUND, DocumentCheck, GoodsRuleBook, RuleInput
from carimbo.fiscal.identity.access_key import check_digit, is_allowed_numeric_code
from carimbo.fiscal.issuance import STATES_DEMANDING_RESPONSIBLE
from carimbo.fiscal.parties.address import is_no_city, is_of_another_state
from carimbo.fiscal.rules import At, Severity

RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook()
EXTERNAL_RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(external=True)

_CLOCK_TOLERANCE = timedelta(minutes=5)
_LATEST_SURELY_TAKEN = timedelta(days=30)
# Issued online: normal, and the two virtual contingencies (SVC).
_ONLINE = frozenset({"1", "6", "7"})
# Series that the site of the authority issues, with its own CNPJ in the keys (MOC 7.0, A03-10).
_SERIES_OF_AUTHORITIES = range(890, 900)
_ISSUED_BY_AUTHORITIES = frozenset({"1", "2"})
_EIGHT_DIGITS = 99_999_999


@EXTERNAL_RULES.rule(
    "226", "MOC 7.0, B02-10; NT 2026.007", "O código da UF do documento não é o da UF do emitente."
)
def state_of_the_issuer(document: RuleInput) -> At | None:
    """Refuses the code of another state; issuers without registration (IBS and CBS only) may have one."""
    may_be_another_state = document.model == NFE and document.invoice.issuer.state_registration is None
    code = document.invoice.identification.state_code
    if is_of_another_state(code, document.seller_state) and not may_be_another_state:
        return At("company.address.state")
    return None


@RULES.rule(
    "228",
    "NT 2025.001, B09-20",
    "A data de emissão tem mais de 30 dias, e a SEFAZ de alguns estados já não aceita a nota.",
    models=(NFE,),
    severity=Severity.WARNS,
)
def issued_recently(document: RuleInput) -> At | None:
    """Warns of a date of issue more than 30 days ago; each state sets its limit, contingencies have none."""
    identification = document.invoice.identification
    if (
        document.now - identification.issued_at > _LATEST_SURELY_TAKEN
        and identification.emission_type in _ONLINE
    ):
        return At("issueDate")
    return None


@RULES.rule("703", "MOC 7.0, B09-10", "A data de emissão está no futuro.")
def not_issued_in_the_future(document: RuleInput) -> At | None:
    """Refuses a date of issue in the future; clocks may differ by five minutes."""
    if document.invoice.identification.issued_at - document.now > _CLOCK_TOLERANCE:
        return At("issueDate")
    return None


@RULES.rule(
    "704",
    "NT 2026.002, B09-40",
    "A NFC-e em emissão normal tem de ser emitida na hora, e a data de emissão passou há mais de 5 minutos.",
    models=(NFCE,),
)
def receipt_issued_now(document: RuleInput) -> At | None:
    """Refuses an NFC-e issued more than five minutes ago, except in the offline contingency."""
    identification = document.invoice.identification
    if document.now - identification.issued_at > _CLOCK_TOLERANCE and identification.emission_type in _ONLINE:
        return At("issueDate")
    return None


# Each authority decides whether it checks the time of departure and the age of a contingency.
@RULES.rule(
    "504",
    "MOC 7.0, B10-20",
    "A saída é daqui a mais de 30 dias, e a SEFAZ pode recusar a nota.",
    models=(NFE,),
    severity=Severity.WARNS,
)
def goods_leave_soon(document: RuleInput) -> At | None:
    """Warns of a departure in more than 30 days."""
    departed_at = document.invoice.identification.departed_at
    return At("departedAt") if departed_at and departed_at - document.now > _LATEST_SURELY_TAKEN else None


@RULES.rule(
    "506",
    "MOC 7.0, B10-40",
    "A saída é anterior à emissão, e a SEFAZ pode recusar a nota.",
    models=(NFE,),
    severity=Severity.WARNS,
)
def goods_leave_with_the_document(document: RuleInput) -> At | None:
    """Warns of a departure before the issue; inbound goods may have come before."""
    departed_at = document.invoice.identification.departed_at
    if (
        departed_at
        and departed_at < document.invoice.identification.issued_at
        and document.direction == OUTBOUND
    ):
        return At("departedAt")
    return None


@RULES.rule("558", "MOC 7.0, B28-30", "A contingência começa no futuro.")
def contingency_has_begun(document: RuleInput) -> At | None:
    """Refuses a start of contingency in the future; clocks may differ by five minutes."""
    started_at = document.invoice.identification.contingency_started_at
    return (
        At("contingency.startedAt") if started_at and started_at - document.now > _CLOCK_TOLERANCE else None
    )


@RULES.rule(
    "569",
    "MOC 7.0, B28-40",
    "A contingência começou mais de 30 dias antes da emissão, e a SEFAZ pode recusar a nota.",
    severity=Severity.WARNS,
)
def contingency_is_recent(document: RuleInput) -> At | None:
    """Warns of a contingency that began more than 30 days before the issue."""
    identification = document.invoice.identification
    started_at = identification.contingency_started_at
    if started_at and identification.issued_at - started_at > _LATEST_SURELY_TAKEN:
        return At("contingency.startedAt")
    return None


@EXTERNAL_RULES.rule(
    "253", "MOC 7.0, B23-10", "O dígito verificador do documento não é o da chave que os campos dele formam."
)
def check_digit_of_the_key(document: RuleInput) -> At | None:
    """Refuses a check digit (`cDV`) that does not fit the other parts of the key."""
    identification = document.invoice.identification
    if identification.series in _SERIES_OF_AUTHORITIES:
        return None
    if check_digit(document.key_without_digit) != identification.check_digit:
        return At("accessKey")
    return None


@EXTERNAL_RULES.rule("502", "MOC 7.0, A03-10", "A chave de acesso não corresponde aos campos do documento.")
def key_of_the_fields(document: RuleInput) -> At | None:
    """Refuses an access key (`Id`) that does not match the fields of the document."""
    identification = document.invoice.identification
    if identification.series in _SERIES_OF_AUTHORITIES:
        return None
    if document.invoice.id != f"NFe{document.key_without_digit}{identification.check_digit}":
        return At("accessKey")
    return None


@EXTERNAL_RULES.rule("270", "MOC 7.0, B12-10", "O município do fato gerador não existe na tabela do IBGE.")
def taxable_city_exists(document: RuleInput) -> At | None:
    """Refuses a taxable city (`cMunFG`) that does not exist."""
    if is_no_city(document.invoice.identification.taxable_city_code):
        return At("company.address.cityCode")
    return None


@EXTERNAL_RULES.rule("271", "MOC 7.0, B12-20", "O município do fato gerador não é da UF do emitente.")
def taxable_city_of_the_state(document: RuleInput) -> At | None:
    """Refuses a taxable city outside the state of the issuer, where ICMS is always due."""
    if is_of_another_state(document.invoice.identification.taxable_city_code, document.seller_state):
        return At("company.address.cityCode")
    return None


@EXTERNAL_RULES.rule(
    "897",
    "NT 2019.001, B03-10",
    "O código numérico do documento é trivial ou repete o número dele.",
    models=(NFE,),
)
def unguessable_key(document: RuleInput) -> At | None:
    """Refuses a trivial numeric code, which would make the key easy to guess."""
    identification = document.invoice.identification
    # Numbers of nine digits can't equal a code of eight.
    number = identification.number if identification.number <= _EIGHT_DIGITS else 0
    if not is_allowed_numeric_code(identification.numeric_code, number):
        return At("numericCode")
    return None


@RULES.rule("972", "NT 2018.005, ZD01-10", "A UF do emitente exige os dados do responsável técnico.")
def technical_responsible(document: RuleInput) -> At | None:
    """Refuses documents without a technical responsible in the states that demand one."""
    if (
        document.invoice.technical_responsible is None
        and document.seller_state in STATES_DEMANDING_RESPONSIBLE
        and document.invoice.identification.issuing_process not in _ISSUED_BY_AUTHORITIES
    ):
        return At("technicalResponsible")
    return None
