"""Rules of the parties: issuer, recipient, places of pick-up and delivery, carrier."""

from collections.abc import Callable, Iterator
from operator import attrgetter

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.goods.cfop import ABROAD
from carimbo.fiscal.goods.rules.common import situation_of
from carimbo.fiscal.goods.rules.rule import (
    CONTRIBUTOR,
    EXEMPT_CONTRIBUTOR,
    NFCE,
    NFE,
    NON_CONTRIBUTOR,
    DocumentCheck,
    GoodsRuleBook,
    RuleInput,
)
from carimbo.fiscal.identity.tax_ids import is_cnpj, is_cpf
from carimbo.fiscal.layouts.filling import HOMOLOGATION_NAME
from carimbo.fiscal.layouts.nfe_v4.icms import Icms
from carimbo.fiscal.layouts.nfe_v4.parties import InvoiceAddress, PickupOrDelivery
from carimbo.fiscal.parties.address import is_no_city, is_of_another_state
from carimbo.fiscal.parties.registration import registration_mismatch
from carimbo.fiscal.rules import At, Severity
from carimbo.fiscal.taxes.trade import ABROAD as EXTERIOR


def _has_other_places(document: RuleInput) -> bool:
    invoice = document.invoice
    return bool(invoice.pickup or invoice.delivery or invoice.transport.carrier)


RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook()
EXTERNAL_RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(external=True)
PLACE_RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(when=_has_other_places, external=True)
READER_RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(
    when=lambda document: bool(document.invoice.authorized_readers)
)

_SIMPLIFIED_PRINT, _NFF_EMISSION = "6", "3"
# States where nobody is a contributor exempt from registration (NT 2025.001 v1.03, E16a-30).
_WITHOUT_EXEMPT_CONTRIBUTORS = frozenset(
    {"AL", "AM", "BA", "CE", "DF", "ES", "GO", "MG", "MS", "MT", "PB", "PE", "RJ", "RN", "RS", "SE", "SP"}
)
_UNTAXED = frozenset({"40", "41", "103", "300", "400"})


def _tax_id_rule(
    code: str,
    source: str,
    id_type: str,
    owner: str,
    path: str,
    party: str,
    book: GoodsRuleBook[DocumentCheck] = EXTERNAL_RULES,
) -> None:
    is_valid = is_cnpj if id_type == "CNPJ" else is_cpf
    name, party_of = id_type.lower(), attrgetter(f"invoice.{party}")

    @book.rule(code, f"MOC 7.0, {source}", f"O {id_type} {owner} é inválido: os dígitos não conferem.")
    def valid_tax_id(document: RuleInput) -> At | None:
        tax_id = getattr(party_of(document), name, None)
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


def _reader_rule(code: str, source: str, id_type: str) -> None:
    """Adds the rule that the recipient is not among the authorized readers."""
    name = id_type.lower()
    message = f"O {id_type} do destinatário não vai em authorizedReaders: ele já pode baixar o XML."

    @READER_RULES.rule(code, f"MOC 7.0, {source}", message)
    def recipient_reads_anyway(document: RuleInput) -> Iterator[At]:
        recipient = getattr(document.recipient, name, None)
        for position, reader in enumerate(document.invoice.authorized_readers):
            if recipient and getattr(reader, name) == recipient:
                yield At(f"authorizedReaders[{position}].taxId")


_reader_rule("324", "GA02-20", "CNPJ")
_reader_rule("326", "GA03-20", "CPF")

_Place = InvoiceAddress | PickupOrDelivery | None


def _city_rules(
    codes: tuple[str, str],
    sources: tuple[str, str],
    owner: str,
    path: str,
    place_of: Callable[[RuleInput], _Place],
    book: GoodsRuleBook[DocumentCheck] = EXTERNAL_RULES,
) -> None:
    """Adds the rules that the city of an address exists and belongs to the state of the address."""

    @book.rule(codes[0], f"MOC 7.0, {sources[0]}", f"O município {owner} não existe na tabela do IBGE.")
    def city_exists(document: RuleInput) -> At | None:
        place = place_of(document)
        if place and place.state != EXTERIOR and is_no_city(place.city_code):
            return At(f"{path}.cityCode")
        return None

    @book.rule(codes[1], f"MOC 7.0, {sources[1]}", f"O município {owner} não é da UF do endereço.")
    def city_of_its_state(document: RuleInput) -> At | None:
        place = place_of(document)
        if place and is_of_another_state(place.city_code, place.state):
            return At(f"{path}.cityCode", f"UF: {place.state}.")
        return None


def _recipient_address(document: RuleInput) -> _Place:
    return document.recipient.address if document.recipient else None


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


@EXTERNAL_RULES.rule(
    "598",
    "MOC 7.0, E04-20",
    "Em homologação, o nome do destinatário é sempre o texto fixo que diz que a nota não tem valor.",
)
def fixed_name_in_homologation(document: RuleInput) -> At | None:
    """Refuses real names in homologation; the manual does not say that an NFC-e needs a name."""
    if document.environment is not Environment.HOMOLOGATION or document.recipient is None:
        return None
    name = document.recipient.name
    nameless_receipt = name is None and document.model == NFCE
    by_nff = document.invoice.identification.emission_type == _NFF_EMISSION
    if name != HOMOLOGATION_NAME and not nameless_receipt and not by_nff:
        return At("recipient.name", f"Esperado: {HOMOLOGATION_NAME}.")
    return None


@EXTERNAL_RULES.rule(
    "718",
    "MOC 7.0, C18-10",
    "A NFC-e não leva inscrição estadual de substituto tributário.",
    models=(NFCE,),
)
def no_tax_substitute(document: RuleInput) -> At | None:
    """Refuses the registration of a tax substitute in an NFC-e, which is the last sale of the goods."""
    if document.invoice.issuer.st_state_registration is not None:
        return At("company.stateRegistrations")
    return None


@EXTERNAL_RULES.rule("719", "MOC 7.0, E01-10", "A NF-e precisa de destinatário.", models=(NFE,))
def has_a_recipient(document: RuleInput) -> At | None:
    """Refuses an NF-e without a recipient."""
    if document.recipient is None and not _is_simplified(document):
        return At("recipient")
    return None


@RULES.rule("724", "MOC 7.0, E04-10", "A NF-e precisa do nome do destinatário.", models=(NFE,))
def recipient_has_a_name(document: RuleInput) -> At | None:
    """Refuses a recipient without a name."""
    return At("recipient.name") if document.recipient and not document.recipient.name else None


@RULES.rule("726", "MOC 7.0, E05-10", "A NF-e precisa do endereço do destinatário.", models=(NFE,))
def recipient_has_an_address(document: RuleInput) -> At | None:
    """Refuses a recipient without an address, also abroad."""
    if document.recipient and document.recipient.address is None and not _is_simplified(document):
        return At("recipient.address")
    return None


def _is_simplified(document: RuleInput) -> bool:
    """Returns whether an NF-e is printed as a receipt; NT 2026.002 may not demand a recipient of it."""
    return document.invoice.identification.print_format == _SIMPLIFIED_PRINT


@RULES.rule(
    "232",
    "MOC 7.0, 5E17-50",
    "O destinatário com CNPJ e sem inscrição estadual foi tratado como não contribuinte do ICMS; "
    "se ele tiver inscrição, a SEFAZ recusa a nota.",
    models=(NFE,),
    severity=Severity.WARNS,
)
def company_without_registration(document: RuleInput) -> At | None:
    """Warns of a company without a registration: only the authority knows whether it has one."""
    if (
        document.contribution == NON_CONTRIBUTOR
        and document.recipient
        and document.recipient.cnpj
        and document.recipient.state_registration is None
        and document.destination != ABROAD
    ):
        return At("recipient.stateRegistration")
    return None


@RULES.rule(
    "728",
    "MOC 7.0, E17-20",
    "O destinatário contribuinte do ICMS precisa de inscrição estadual.",
    models=(NFE,),
)
def contributor_is_registered(document: RuleInput) -> At | None:
    """Refuses a contributor without a state registration."""
    if (
        document.contribution == CONTRIBUTOR
        and document.recipient
        and document.recipient.state_registration is None
    ):
        return At("recipient.stateRegistration")
    return None


@RULES.rule(
    "791",
    "MOC 7.0, E17-30",
    "O destinatário isento de inscrição estadual não pode informar uma.",
    models=(NFE,),
)
def exempt_is_not_registered(document: RuleInput) -> At | None:
    """Refuses a registration of an exempt contributor; non-contributors may have one."""
    if (
        document.contribution == EXEMPT_CONTRIBUTOR
        and document.recipient
        and document.recipient.state_registration is not None
    ):
        return At("recipient.stateRegistration")
    return None


@RULES.rule(
    "805",
    "NT 2025.001, E16a-30",
    "A UF do destinatário não admite contribuinte isento de inscrição estadual.",
    models=(NFE,),
)
def state_has_exempt_contributors(document: RuleInput) -> At | None:
    """Refuses exempt contributors in states without them, unless goods have substitution or no tax."""
    if (
        document.contribution == EXEMPT_CONTRIBUTOR
        and document.destination != ABROAD
        and document.buyer_state in _WITHOUT_EXEMPT_CONTRIBUTORS
        and not any(_needs_no_registration(item.taxes.icms) for item in document.invoice.items)
    ):
        return At("recipient.stateRegistration", f"UF: {document.buyer_state}.")
    return None


def _needs_no_registration(icms: Icms | None) -> bool:
    amounts = (getattr(icms, name, None) for name in ("st_amount", "retained_amount"))
    return situation_of(icms) in _UNTAXED or any(amount is not None for amount in amounts)


REGISTRATION_RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook()


@REGISTRATION_RULES.rule(
    "209",
    "NT 2026.007, C17-20",
    "A inscrição estadual do emitente não é válida no estado dele.",
)
def issuer_registration_is_valid(document: RuleInput) -> At | None:
    """Refuses a registration of the issuer that is not valid in its state."""
    return registration_mismatch(
        document.invoice.issuer.state_registration, document.seller_state, "company.stateRegistrations"
    )


@REGISTRATION_RULES.rule(
    "210",
    "MOC 7.0, E17-50",
    "A inscrição estadual do destinatário não é válida no estado dele.",
    models=(NFE,),
)
def recipient_registration_is_valid(document: RuleInput) -> At | None:
    """Refuses a registration of the recipient that is not valid in its state; abroad has none (rule 792)."""
    if document.recipient is None or document.buyer_state in (None, "EX"):
        return None
    return registration_mismatch(
        document.recipient.state_registration, document.buyer_state, "recipient.stateRegistration"
    )
