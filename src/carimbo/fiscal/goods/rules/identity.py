"""What a document is, by whom and when it is issued."""

from datetime import timedelta

from carimbo.fiscal.access_key import check_digit, is_allowed_numeric_code
from carimbo.fiscal.address import is_no_city, is_of_another_state
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.rule import NFCE, NFE, DocumentCheck, GoodsRuleBook
from carimbo.fiscal.rules import At, Severity
from carimbo.fiscal.software import STATES_DEMANDING_RESPONSIBLE

RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook()
ELSEWHERE_RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(elsewhere=True)

_CLOCK_TOLERANCE = timedelta(minutes=5)
_LATEST_SURELY_TAKEN = timedelta(days=30)
# Issued in the presence of an authority: normal, and the two virtual contingencies (SVC).
_ONLINE = frozenset({"1", "6", "7"})
# The authority's own site issues these series, and its CNPJ is in their keys (MOC 7.0, A03-10).
_SERIES_OF_AUTHORITIES = range(890, 900)
_ISSUED_BY_AUTHORITIES = frozenset({"1", "2"})
_EIGHT_DIGITS = 99_999_999
_OUTBOUND = "1"


@ELSEWHERE_RULES.rule(
    "226", "MOC 7.0, B02-10; NT 2026.007", "O código da UF do documento não é o da UF do emitente."
)
def state_of_the_issuer(case: Case) -> At | None:
    """An issuer without registration, of IBS and CBS only, may be authorised by another state."""
    may_be_elsewhere = case.model == NFE and case.invoice.issuer.state_registration is None
    code = case.invoice.identification.state_code
    if is_of_another_state(code, case.seller_state) and not may_be_elsewhere:
        return At("company.address.state")
    return None


@RULES.rule(
    "228",
    "NT 2025.001, B09-20",
    "A data de emissão tem mais de 30 dias, e a SEFAZ de alguns estados já não aceita a nota.",
    models=(NFE,),
    severity=Severity.WARNS,
)
def issued_lately(case: Case) -> At | None:
    """Each state sets its own limit, and contingencies have none."""
    identification = case.invoice.identification
    if case.now - identification.issued_at > _LATEST_SURELY_TAKEN and identification.emission_type in _ONLINE:
        return At("issueDate")
    return None


@RULES.rule("703", "MOC 7.0, B09-10", "A data de emissão está no futuro.")
def not_issued_in_the_future(case: Case) -> At | None:
    """Clocks may differ by five minutes."""
    if case.invoice.identification.issued_at - case.now > _CLOCK_TOLERANCE:
        return At("issueDate")
    return None


@RULES.rule(
    "704",
    "NT 2026.002, B09-40",
    "A NFC-e em emissão normal tem de ser emitida na hora, e a data de emissão passou há mais de 5 minutos.",
    models=(NFCE,),
)
def receipt_issued_now(case: Case) -> At | None:
    """Only a receipt of the offline contingency comes later."""
    identification = case.invoice.identification
    if case.now - identification.issued_at > _CLOCK_TOLERANCE and identification.emission_type in _ONLINE:
        return At("issueDate")
    return None


# Each authority decides whether it looks at when goods leave, and at how old a contingency is.
@RULES.rule(
    "504",
    "MOC 7.0, B10-20",
    "A saída é daqui a mais de 30 dias, e a SEFAZ pode recusar a nota.",
    models=(NFE,),
    severity=Severity.WARNS,
)
def goods_leave_soon(case: Case) -> At | None:
    """Goods go with the document, or not long after."""
    departed_at = case.invoice.identification.departed_at
    return At("departedAt") if departed_at and departed_at - case.now > _LATEST_SURELY_TAKEN else None


@RULES.rule(
    "506",
    "MOC 7.0, B10-40",
    "A saída é anterior à emissão, e a SEFAZ pode recusar a nota.",
    models=(NFE,),
    severity=Severity.WARNS,
)
def goods_leave_with_the_document(case: Case) -> At | None:
    """What comes in may have come before."""
    departed_at = case.invoice.identification.departed_at
    if departed_at and departed_at < case.invoice.identification.issued_at and case.direction == _OUTBOUND:
        return At("departedAt")
    return None


@RULES.rule("558", "MOC 7.0, B28-30", "A contingência começa no futuro.")
def contingency_has_begun(case: Case) -> At | None:
    """Clocks may differ by five minutes here too."""
    started_at = case.invoice.identification.contingency_started_at
    return At("contingency.startedAt") if started_at and started_at - case.now > _CLOCK_TOLERANCE else None


@RULES.rule(
    "569",
    "MOC 7.0, B28-40",
    "A contingência começou mais de 30 dias antes da emissão, e a SEFAZ pode recusar a nota.",
    severity=Severity.WARNS,
)
def contingency_is_recent(case: Case) -> At | None:
    """No connection is lost for months."""
    identification = case.invoice.identification
    started_at = identification.contingency_started_at
    if started_at and identification.issued_at - started_at > _LATEST_SURELY_TAKEN:
        return At("contingency.startedAt")
    return None


@ELSEWHERE_RULES.rule(
    "253", "MOC 7.0, B23-10", "O dígito verificador do documento não é o da chave que os campos dele formam."
)
def check_digit_of_the_key(case: Case) -> At | None:
    """`cDV` is computed from the other parts of the key."""
    identification = case.invoice.identification
    if identification.series in _SERIES_OF_AUTHORITIES:
        return None
    if check_digit(case.key_without_digit) != identification.check_digit:
        return At("accessKey")
    return None


@ELSEWHERE_RULES.rule("502", "MOC 7.0, A03-10", "A chave de acesso não corresponde aos campos do documento.")
def key_of_the_fields(case: Case) -> At | None:
    """`Id` repeats what the fields say, `cDV` too."""
    identification = case.invoice.identification
    if identification.series in _SERIES_OF_AUTHORITIES:
        return None
    if case.invoice.id != f"NFe{case.key_without_digit}{identification.check_digit}":
        return At("accessKey")
    return None


@ELSEWHERE_RULES.rule("270", "MOC 7.0, B12-10", "O município do fato gerador não existe na tabela do IBGE.")
def taxable_city_exists(case: Case) -> At | None:
    """`cMunFG` is a municipality."""
    if is_no_city(case.invoice.identification.taxable_city_code):
        return At("company.address.cityCode")
    return None


@ELSEWHERE_RULES.rule("271", "MOC 7.0, B12-20", "O município do fato gerador não é da UF do emitente.")
def taxable_city_of_the_state(case: Case) -> At | None:
    """ICMS arises where the issuer is, wherever the goods go."""
    if is_of_another_state(case.invoice.identification.taxable_city_code, case.seller_state):
        return At("company.address.cityCode")
    return None


@ELSEWHERE_RULES.rule(
    "897",
    "NT 2019.001, B03-10",
    "O código numérico do documento é trivial ou repete o número dele.",
    models=(NFE,),
)
def unguessable_key(case: Case) -> At | None:
    """Nobody should guess the key of someone else's document."""
    identification = case.invoice.identification
    # Compared as numbers: none of nine digits equals a code of eight.
    number = identification.number if identification.number <= _EIGHT_DIGITS else 0
    if not is_allowed_numeric_code(identification.numeric_code, number):
        return At("numericCode")
    return None


@RULES.rule("972", "NT 2018.005, ZD01-10", "A UF do emitente exige os dados do responsável técnico.")
def technical_responsible(case: Case) -> At | None:
    """Each state decides whether someone has to answer for the software."""
    if (
        case.invoice.technical_responsible is None
        and case.seller_state in STATES_DEMANDING_RESPONSIBLE
        and case.invoice.identification.issuing_process not in _ISSUED_BY_AUTHORITIES
    ):
        return At("technicalResponsible")
    return None
