"""Rules of foreign recipients and of exports."""

import re

from carimbo.fiscal.goods.cfop import ABROAD, TO_ANOTHER_STATE
from carimbo.fiscal.goods.rules.common import stays_in_the_country
from carimbo.fiscal.goods.rules.rule import (
    NFE,
    NON_CONTRIBUTOR,
    OUTBOUND,
    DocumentCheck,
    GoodsRuleBook,
    RuleInput,
)
from carimbo.fiscal.parties.recipient import BRAZIL_CODE
from carimbo.fiscal.rules import At, Severity
from carimbo.fiscal.tables.geography import COUNTRIES
from carimbo.fiscal.taxes.trade import ABROAD as EXTERIOR


def _is_foreign(document: RuleInput) -> bool:
    """Returns whether destination, export data, identification or address is foreign."""
    if document.destination == ABROAD or document.invoice.export is not None:
        return True
    buyer = document.recipient
    if buyer is None:
        return False
    return buyer.foreign_id is not None or (
        buyer.address is not None and buyer.address.country_code != BRAZIL_CODE
    )


RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(when=_is_foreign)

_COUNTRY_LENGTH = 4
_FUEL_CONSUMED_ELSEWHERE = "6667"
# MOC 7.0, E03a-60; it does not mention letters with accents, so they are accepted.
_FOREIGN_ID = re.compile(r"[0-9A-Za-zÀ-ÖØ-öø-ÿ:.+\-/() ]*")


@RULES.rule(
    "720",
    "MOC 7.0, E03a-10; NT 2022.002",
    "Na operação com o exterior, o destinatário é identificado por documento estrangeiro.",
    models=(NFE,),
)
def foreigner_abroad(document: RuleInput) -> At | None:
    """Refuses foreign trade without a foreign id of the recipient; an empty one is enough."""
    if _goes_abroad(document) and document.recipient and document.recipient.foreign_id is None:
        return At("recipient.foreignId")
    return None


@RULES.rule(
    "721",
    "MOC 7.0, E03a-20",
    "Dentro do país, só o consumidor final pode ser identificado por documento estrangeiro.",
    models=(NFE,),
)
def foreigner_consumes(document: RuleInput) -> At | None:
    """Refuses a foreign id within the country, except for final consumers."""
    if (
        document.recipient
        and document.recipient.foreign_id
        and document.destination != ABROAD
        and not document.is_final
    ):
        return At("recipient.foreignId")
    return None


@RULES.rule(
    "771",
    "MOC 7.0, I08-94",
    "A SEFAZ pode recusar a venda a outro estado a quem é identificado por documento estrangeiro.",
    models=(NFE,),
    severity=Severity.WARNS,
)
def foreigner_between_states(document: RuleInput) -> At | None:
    """Warns of a foreign id in interstate sales of other goods than fuels; each state decides on this."""
    if (
        document.destination != TO_ANOTHER_STATE
        or document.recipient is None
        or document.recipient.foreign_id is None
    ):
        return None
    cfops = {item.product.cfop for item in document.invoice.items}
    return None if cfops == {_FUEL_CONSUMED_ELSEWHERE} else At("recipient.foreignId")


@RULES.rule(
    "372",
    "MOC 7.0, E03a-60",
    "O documento estrangeiro só pode ter letras, algarismos, espaços e os sinais : . + - / ( ).",
)
def foreign_id_characters(document: RuleInput) -> At | None:
    """Refuses other characters in a foreign id."""
    if (
        document.recipient
        and document.recipient.foreign_id
        and not _FOREIGN_ID.fullmatch(document.recipient.foreign_id)
    ):
        return At("recipient.foreignId")
    return None


@RULES.rule(
    "925",
    "MOC 7.0, E03a-30",
    "O destinatário identificado por documento estrangeiro não pode ter inscrição estadual.",
)
def foreigner_without_registration(document: RuleInput) -> At | None:
    """Refuses a state registration of a recipient with a foreign id."""
    if document.recipient and document.recipient.foreign_id and document.recipient.state_registration:
        return At("recipient.stateRegistration")
    return None


@RULES.rule(
    "727",
    "MOC 7.0, E12-10; NT 2022.002",
    "A operação é com o exterior, e o endereço do destinatário é no Brasil.",
    models=(NFE,),
)
def address_abroad(document: RuleInput) -> At | None:
    """Refuses foreign trade with an address in Brazil."""
    if _goes_abroad(document) and document.buyer_state not in (None, EXTERIOR):
        return At("recipient.address")
    return None


@RULES.rule(
    "790",
    "MOC 7.0, E16a-20; NT 2022.002",
    "Na operação com o exterior, o destinatário é sempre não contribuinte do ICMS.",
    models=(NFE,),
)
def no_contributor_abroad(document: RuleInput) -> At | None:
    """Refuses foreign trade with a contributor of ICMS."""
    if _goes_abroad(document) and document.contribution not in (None, NON_CONTRIBUTOR):
        return At("recipient.stateRegistration")
    return None


# The table of the Portal may have countries that ours lacks.
@RULES.rule(
    "377",
    "MOC 7.0, E14-04",
    "O código do país do destinatário não está na tabela do Banco Central.",
    severity=Severity.WARNS,
)
def country_exists(document: RuleInput) -> At | None:
    """Warns of an unknown country code; leading zeros may be missing."""
    address = document.recipient.address if document.recipient else None
    code = address.country_code if address else None
    if code not in (None, BRAZIL_CODE) and code.zfill(_COUNTRY_LENGTH) not in COUNTRIES.rows:
        return At("recipient.address.countryCode")
    return None


@RULES.rule(
    "355",
    "MOC 7.0, ZA01-10",
    "A exportação precisa do local por onde a mercadoria sai do país.",
    models=(NFE,),
)
def export_has_a_place_of_exit(document: RuleInput) -> At | None:
    """Refuses exports without a place of exit, unless the goods stay in the country."""
    if _is_export(document) and document.invoice.export is None and _goes_abroad(document):
        return At("export")
    return None


@RULES.rule(
    "356",
    "MOC 7.0, ZA01-20",
    "Só a exportação tem o local por onde a mercadoria sai do país.",
    models=(NFE,),
)
def only_exports_have_a_place_of_exit(document: RuleInput) -> At | None:
    """Refuses a place of exit in documents that are not exports."""
    return At("export") if document.invoice.export is not None and not _is_export(document) else None


def _is_export(document: RuleInput) -> bool:
    return document.direction == OUTBOUND and document.destination == ABROAD


def _goes_abroad(document: RuleInput) -> bool:
    return document.destination == ABROAD and not stays_in_the_country(document)
