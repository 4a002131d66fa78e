"""Whoever lives abroad, and what goes there."""

import re

from carimbo.fiscal.goods.cfop import ABROAD, TO_ANOTHER_STATE
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.circumstances import stays_in_the_country
from carimbo.fiscal.goods.rules.rule import NFE, DocumentCheck, GoodsRuleBook
from carimbo.fiscal.parties import BRAZIL_CODE
from carimbo.fiscal.rules import At, Severity
from carimbo.fiscal.tables.countries import COUNTRIES
from carimbo.fiscal.taxes.trade import ABROAD as EXTERIOR


def _is_there(case: Case) -> bool:
    """Whether anything in the document is beyond the border."""
    if case.destination == ABROAD or case.invoice.export is not None:
        return True
    buyer = case.recipient
    if buyer is None:
        return False
    return buyer.foreign_id is not None or (
        buyer.address is not None and buyer.address.country_code != BRAZIL_CODE
    )


RULES: GoodsRuleBook[DocumentCheck] = GoodsRuleBook(when=_is_there)

_OUTBOUND = "1"
_NO_CONTRIBUTOR = "9"
_COUNTRY_LENGTH = 4
_FUEL_CONSUMED_ELSEWHERE = "6667"
# MOC 7.0, E03a-60; whether letters with accents are taken is not written, so they are let through.
_FOREIGN_ID = re.compile(r"[0-9A-Za-zÀ-ÖØ-öø-ÿ:.+\-/() ]*")


@RULES.rule(
    "720",
    "MOC 7.0, E03a-10; NT 2022.002",
    "Na operação com o exterior, o destinatário é identificado por documento estrangeiro.",
    models=(NFE,),
)
def foreigner_abroad(case: Case) -> At | None:
    """An empty identification is enough."""
    if _goes_abroad(case) and case.recipient and case.recipient.foreign_id is None:
        return At("recipient.foreignId")
    return None


@RULES.rule(
    "721",
    "MOC 7.0, E03a-20",
    "Dentro do país, só o consumidor final pode ser identificado por documento estrangeiro.",
    models=(NFE,),
)
def foreigner_consumes(case: Case) -> At | None:
    """Whoever sells the goods again has a CPF or CNPJ."""
    if case.recipient and case.recipient.foreign_id and case.destination != ABROAD and not case.is_final:
        return At("recipient.foreignId")
    return None


@RULES.rule(
    "771",
    "MOC 7.0, I08-94",
    "A SEFAZ pode recusar a venda a outro estado a quem é identificado por documento estrangeiro.",
    models=(NFE,),
    severity=Severity.WARNS,
)
def foreigner_between_states(case: Case) -> At | None:
    """Only fuels are sold so, to whoever consumes them elsewhere; each state decides whether it looks."""
    if case.destination != TO_ANOTHER_STATE or case.recipient is None or case.recipient.foreign_id is None:
        return None
    cfops = {item.product.cfop for item in case.invoice.items}
    return None if cfops == {_FUEL_CONSUMED_ELSEWHERE} else At("recipient.foreignId")


@RULES.rule(
    "372",
    "MOC 7.0, E03a-60",
    "O documento estrangeiro só pode ter letras, algarismos, espaços e os sinais : . + - / ( ).",
)
def foreign_id_characters(case: Case) -> At | None:
    """Passports have few signs."""
    if case.recipient and case.recipient.foreign_id and not _FOREIGN_ID.fullmatch(case.recipient.foreign_id):
        return At("recipient.foreignId")
    return None


@RULES.rule(
    "925",
    "MOC 7.0, E03a-30",
    "O destinatário identificado por documento estrangeiro não pode ter inscrição estadual.",
)
def foreigner_without_registration(case: Case) -> At | None:
    """States register those who have a CPF or CNPJ."""
    if case.recipient and case.recipient.foreign_id and case.recipient.state_registration:
        return At("recipient.stateRegistration")
    return None


@RULES.rule(
    "727",
    "MOC 7.0, E12-10; NT 2022.002",
    "A operação é com o exterior, e o endereço do destinatário é no Brasil.",
    models=(NFE,),
)
def address_abroad(case: Case) -> At | None:
    """Goods that go abroad go to an address there."""
    if _goes_abroad(case) and case.buyer_state not in (None, EXTERIOR):
        return At("recipient.address")
    return None


@RULES.rule(
    "790",
    "MOC 7.0, E16a-20; NT 2022.002",
    "Na operação com o exterior, o destinatário é sempre não contribuinte do ICMS.",
    models=(NFE,),
)
def no_contributor_abroad(case: Case) -> At | None:
    """No state taxes who is abroad."""
    if _goes_abroad(case) and case.contribution not in (None, _NO_CONTRIBUTOR):
        return At("recipient.stateRegistration")
    return None


# The table of the Portal may have a country that ours does not.
@RULES.rule(
    "377",
    "MOC 7.0, E14-04",
    "O código do país do destinatário não está na tabela do Banco Central.",
    severity=Severity.WARNS,
)
def country_exists(case: Case) -> At | None:
    """Codes may leave out the zeros in front."""
    address = case.recipient.address if case.recipient else None
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
def exit_is_told(case: Case) -> At | None:
    """What stays in the country may leave it by no place."""
    if _is_export(case) and case.invoice.export is None and _goes_abroad(case):
        return At("export")
    return None


@RULES.rule(
    "356",
    "MOC 7.0, ZA01-20",
    "Só a exportação tem o local por onde a mercadoria sai do país.",
    models=(NFE,),
)
def only_exports_exit(case: Case) -> At | None:
    """Imports come in, and other goods stay."""
    return At("export") if case.invoice.export is not None and not _is_export(case) else None


def _is_export(case: Case) -> bool:
    return case.direction == _OUTBOUND and case.destination == ABROAD


def _goes_abroad(case: Case) -> bool:
    return case.destination == ABROAD and not stays_in_the_country(case)
