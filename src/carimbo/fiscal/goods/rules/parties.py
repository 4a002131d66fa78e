"""The parties: issuer, recipient, places of pick-up and delivery, carrier."""

from collections.abc import Callable, Iterator
from operator import attrgetter

from carimbo.fiscal.address import is_no_city, is_of_another_state
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.goods.cfop import ABROAD
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.circumstances import situation_of
from carimbo.fiscal.goods.rules.rule import NFCE, NFE, DocumentCheck, GoodsRuleBook
from carimbo.fiscal.homologation import HOMOLOGATION_NAME
from carimbo.fiscal.layouts.nfe_v4.icms import Icms
from carimbo.fiscal.layouts.nfe_v4.parties import Address, Place
from carimbo.fiscal.rules import At, Severity
from carimbo.fiscal.taxes.trade import ABROAD as EXTERIOR
from carimbo.fiscal.taxpayer import is_cnpj, is_cpf


def _has_other_places(case: Case) -> bool:
    invoice = case.invoice
    return bool(invoice.pickup or invoice.delivery or invoice.transport.carrier)


RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook()
ELSEWHERE_RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(elsewhere=True)
PLACE_RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(when=_has_other_places, elsewhere=True)
READER_RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(
    when=lambda case: bool(case.invoice.authorized_readers)
)

_CONTRIBUTOR, _EXEMPT, _NO_CONTRIBUTOR = "1", "2", "9"
_SIMPLIFIED_PRINT, _NFF_EMISSION = "6", "3"
# States where nobody is a contributor exempt from registration (NT 2025.001 v1.03, E16a-30).
_WITHOUT_EXEMPT_CONTRIBUTORS = frozenset(
    {"AL", "AM", "BA", "CE", "DF", "ES", "GO", "MG", "MS", "MT", "PB", "PE", "RJ", "RN", "RS", "SE", "SP"}
)
_UNTAXED = frozenset({"40", "41", "103", "300", "400"})


def _tax_id_rule(
    code: str,
    source: str,
    kind: str,
    whose: str,
    path: str,
    party: str,
    book: GoodsRuleBook[DocumentCheck] = ELSEWHERE_RULES,
) -> None:
    is_valid = is_cnpj if kind == "CNPJ" else is_cpf
    name, party_of = kind.lower(), attrgetter(f"invoice.{party}")

    @book.rule(code, f"MOC 7.0, {source}", f"O {kind} {whose} é inválido: os dígitos não conferem.")
    def valid_tax_id(case: Case) -> At | None:
        tax_id = getattr(party_of(case), name, None)
        if tax_id is not None and not is_valid(tax_id):
            return At(f"{path}.taxId")
        return None


_tax_id_rule("207", "C02-10", "CNPJ", "do emitente", "company", "issuer")
_tax_id_rule("208", "E02-10", "CNPJ", "do destinatário", "recipient", "recipient")
_tax_id_rule("237", "E03-10", "CPF", "do destinatário", "recipient", "recipient")
_tax_id_rule("512", "F02-10", "CNPJ", "do local de retirada", "pickupAddress", "pickup", PLACE_RULES)
_tax_id_rule("540", "F02a-10", "CPF", "do local de retirada", "pickupAddress", "pickup", PLACE_RULES)
_tax_id_rule("514", "G02-10", "CNPJ", "do local de entrega", "deliveryAddress", "delivery", PLACE_RULES)
_tax_id_rule("541", "G02a-10", "CPF", "do local de entrega", "deliveryAddress", "delivery", PLACE_RULES)
_tax_id_rule("542", "X04-20", "CNPJ", "do transportador", "freight.carrier", "transport.carrier", PLACE_RULES)
_tax_id_rule("543", "X05-10", "CPF", "do transportador", "freight.carrier", "transport.carrier", PLACE_RULES)


def _reader_rule(code: str, source: str, kind: str) -> None:
    """Write the rule that nobody is told to read what is its own document."""
    name = kind.lower()
    message = f"O {kind} do destinatário não vai em authorizedReaders: ele já pode baixar o XML."

    @READER_RULES.rule(code, f"MOC 7.0, {source}", message)
    def recipient_reads_anyway(case: Case) -> Iterator[At]:
        recipient = getattr(case.recipient, name, None)
        for position, reader in enumerate(case.invoice.authorized_readers):
            if recipient and getattr(reader, name) == recipient:
                yield At(f"authorizedReaders[{position}].taxId")


_reader_rule("324", "GA02-20", "CNPJ")
_reader_rule("326", "GA03-20", "CPF")

_Place = Address | Place | None


def _city_rules(
    codes: tuple[str, str],
    sources: tuple[str, str],
    whose: str,
    path: str,
    place_of: Callable[[Case], _Place],
    book: GoodsRuleBook[DocumentCheck] = ELSEWHERE_RULES,
) -> None:
    """Write the rules that the city of an address exists, and that it is of the address's state."""

    @book.rule(codes[0], f"MOC 7.0, {sources[0]}", f"O município {whose} não existe na tabela do IBGE.")
    def city_exists(case: Case) -> At | None:
        place = place_of(case)
        if place and place.state != EXTERIOR and is_no_city(place.city_code):
            return At(f"{path}.cityCode")
        return None

    @book.rule(codes[1], f"MOC 7.0, {sources[1]}", f"O município {whose} não é da UF do endereço.")
    def city_of_its_state(case: Case) -> At | None:
        place = place_of(case)
        if place and is_of_another_state(place.city_code, place.state):
            return At(f"{path}.cityCode", f"UF: {place.state}.")
        return None


def _recipient_address(case: Case) -> _Place:
    return case.recipient.address if case.recipient else None


_issuer_address = attrgetter("invoice.issuer.address")
_pickup, _delivery = attrgetter("invoice.pickup"), attrgetter("invoice.delivery")

_city_rules(("272", "273"), ("C10-10", "C10-20"), "do emitente", "company.address", _issuer_address)
_city_rules(("274", "275"), ("E10-10", "E10-20"), "do destinatário", "recipient.address", _recipient_address)
_city_rules(
    ("276", "277"), ("F07-20", "F07-30"), "do local de retirada", "pickupAddress", _pickup, PLACE_RULES
)
_city_rules(
    ("278", "279"), ("G07-20", "G07-30"), "do local de entrega", "deliveryAddress", _delivery, PLACE_RULES
)


@ELSEWHERE_RULES.rule(
    "598",
    "MOC 7.0, E04-20",
    "Em homologação, o nome do destinatário é sempre o texto fixo que diz que a nota não tem valor.",
)
def nobody_in_homologation(case: Case) -> At | None:
    """No real name stands in a test; that a receipt without any is refused is not written."""
    if case.environment is not Environment.HOMOLOGATION or case.recipient is None:
        return None
    name = case.recipient.name
    nameless_receipt = name is None and case.model == NFCE
    by_nff = case.invoice.identification.emission_type == _NFF_EMISSION
    if name != HOMOLOGATION_NAME and not nameless_receipt and not by_nff:
        return At("recipient.name", f"Esperado: {HOMOLOGATION_NAME}.")
    return None


@ELSEWHERE_RULES.rule(
    "718",
    "MOC 7.0, C18-10",
    "A NFC-e não leva inscrição estadual de substituto tributário.",
    models=(NFCE,),
)
def no_substitute(case: Case) -> At | None:
    """A receipt ends the chain: there are no next sales to pay for."""
    if case.invoice.issuer.st_state_registration is not None:
        return At("company.stateRegistrations")
    return None


@ELSEWHERE_RULES.rule("719", "MOC 7.0, E01-10", "A NF-e precisa de destinatário.", models=(NFE,))
def has_a_recipient(case: Case) -> At | None:
    """An NF-e names who receives the goods."""
    if case.recipient is None and not _is_simplified(case):
        return At("recipient")
    return None


@RULES.rule("724", "MOC 7.0, E04-10", "A NF-e precisa do nome do destinatário.", models=(NFE,))
def recipient_has_a_name(case: Case) -> At | None:
    """Whoever receives the goods is called by a name; in tests it is the fixed one."""
    return At("recipient.name") if case.recipient and not case.recipient.name else None


@RULES.rule("726", "MOC 7.0, E05-10", "A NF-e precisa do endereço do destinatário.", models=(NFE,))
def recipient_has_an_address(case: Case) -> At | None:
    """Abroad too."""
    if case.recipient and case.recipient.address is None and not _is_simplified(case):
        return At("recipient.address")
    return None


def _is_simplified(case: Case) -> bool:
    """Whether an NF-e is printed like a receipt; of those a recipient is not surely asked (NT 2026.002)."""
    return case.invoice.identification.print_format == _SIMPLIFIED_PRINT


@RULES.rule(
    "232",
    "MOC 7.0, 5E17-50",
    "O destinatário com CNPJ e sem inscrição estadual foi tratado como não contribuinte do ICMS; "
    "se ele tiver inscrição, a SEFAZ recusa a nota.",
    models=(NFE,),
    severity=Severity.WARNS,
)
def company_without_registration(case: Case) -> At | None:
    """Only the authority's registry knows whether there is a registration."""
    if (
        case.contribution == _NO_CONTRIBUTOR
        and case.recipient
        and case.recipient.cnpj
        and case.recipient.state_registration is None
        and case.destination != ABROAD
    ):
        return At("recipient.stateRegistration")
    return None


@RULES.rule(
    "728",
    "MOC 7.0, E17-20",
    "O destinatário contribuinte do ICMS precisa de inscrição estadual.",
    models=(NFE,),
)
def contributor_is_registered(case: Case) -> At | None:
    """Being a contributor means being registered."""
    if case.contribution == _CONTRIBUTOR and case.recipient and case.recipient.state_registration is None:
        return At("recipient.stateRegistration")
    return None


@RULES.rule(
    "791",
    "MOC 7.0, E17-30",
    "O destinatário isento de inscrição estadual não pode informar uma.",
    models=(NFE,),
)
def exempt_is_not_registered(case: Case) -> At | None:
    """Being exempt means having no number; who does not contribute may have one."""
    if case.contribution == _EXEMPT and case.recipient and case.recipient.state_registration is not None:
        return At("recipient.stateRegistration")
    return None


@RULES.rule(
    "805",
    "NT 2025.001, E16a-30",
    "A UF do destinatário não admite contribuinte isento de inscrição estadual.",
    models=(NFE,),
)
def state_has_exempt_contributors(case: Case) -> At | None:
    """Goods with substitution or without tax are sold to them all the same."""
    if (
        case.contribution == _EXEMPT
        and case.destination != ABROAD
        and case.buyer_state in _WITHOUT_EXEMPT_CONTRIBUTORS
        and not any(_needs_no_registration(item.taxes.icms) for item in case.invoice.items)
    ):
        return At("recipient.stateRegistration", f"UF: {case.buyer_state}.")
    return None


def _needs_no_registration(icms: Icms | None) -> bool:
    amounts = (getattr(icms, name, None) for name in ("st_amount", "retained_amount"))
    return situation_of(icms) in _UNTAXED or any(amount is not None for amount in amounts)
