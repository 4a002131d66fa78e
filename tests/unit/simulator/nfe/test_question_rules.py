"""Each rule about questions and lots, broken by one change of a message that is taken."""

from datetime import timedelta

import pytest

from carimbo.simulator.nfe.receipts import QUESTIONS_ABOUT_A_RECEIPT
from carimbo.simulator.nfe.rules.distribution import DISTRIBUTIONS_OF_KEYS, OF_KEY
from carimbo.simulator.sefaz import limits
from carimbo.simulator.sefaz.limits import CONSULTS_OF_A_KEY, spend
from support import CNPJ
from unit.fiscal.goods.support import BUYER_CNPJ
from unit.simulator.mutating import nfce, nfe, says
from unit.simulator.nfe.asking import (
    Asked,
    Breaking,
    about,
    impossible,
    nothing_new,
    person,
    registered,
    several,
    wanted,
    with_part,
    with_wrong_digit,
)
from unit.simulator.nfe.counter import CONSULT, DISTRIBUTION, RECEIPT, Counter, place
from unit.simulator.nfe.registrar import Registrar

WRONG_CNPJ, WRONG_CPF, OTHER_CPF = "11222333000182", "52998224700", "11144477735"
NO_REGISTRATION, NO_NUMBER = "000000000000", "000000000"
AMONG_RECEIPTS = place(CONSULT, family="nfce")


def company(registrar: Registrar) -> Counter:
    return registrar.company


def spent(registrar: Registrar, taxpayer: str, service: str, subject: str, times: int) -> None:
    for _ in range(times):
        spend(registrar.company.world, taxpayer, service, subject)


def consulted_often(registrar: Registrar) -> None:
    [kept] = registrar.company.ledger.documents()
    spent(registrar, CNPJ, limits.CONSULT, kept.access_key, CONSULTS_OF_A_KEY)


def many_keys_asked_for(registrar: Registrar) -> None:
    spent(registrar, BUYER_CNPJ, DISTRIBUTION, OF_KEY, DISTRIBUTIONS_OF_KEYS)


def receipt_asked_for_often(registrar: Registrar) -> None:
    spent(registrar, CNPJ, RECEIPT, "351000000000001", QUESTIONS_ABOUT_A_RECEIPT)


def told_that_there_is_nothing(registrar: Registrar) -> None:
    asked = nothing_new(registrar)
    assert asked.by.ask(asked.place, asked.message).code == "137"


def canceled(registrar: Registrar) -> None:
    registrar.change("update documents set status = 'canceled'")


def nothing_kept(registrar: Registrar) -> None:
    registrar.change("delete from documents")


def nobody_registered(registrar: Registrar) -> None:
    registrar.change("delete from contributors")


def receipt_of_rio(registrar: Registrar) -> None:
    registrar.change("update lots set receipt = '331000000000001'")


def sold_to_another(registrar: Registrar) -> Asked:
    registrar.change("delete from documents")
    return wanted(registrar, registrar.company.authorised(nfe(registrar.company.signer)).access_key)


def lot_of_both_models(registrar: Registrar) -> Asked:
    signer = registrar.company.signer
    return several(registrar, nfe(signer), nfce(signer))


CONSULTS = [
    Breaking("656", "consult", prepare=consulted_often),
    impossible("226", "consult", with_part(0, "33")),
    impossible("226", "consult", with_part(0, "99")),
    impossible("236", "consult", with_wrong_digit),
    impossible("615", "consult", with_part(2, "27")),
    impossible("616", "consult", with_part(4, "13")),
    impossible("617", "consult", with_part(6, WRONG_CNPJ)),
    impossible("618", "consult", with_part(20, "57")),
    impossible("619", "consult", with_part(25, NO_NUMBER)),
    impossible("450", "consult", with_part(20, "65")),
    Breaking("775", "consult", where=AMONG_RECEIPTS),
    impossible("526", "consult", with_part(4, "04")),
    Breaking("562", "consult", about(with_part(35, "12345699")), also_off={"613"}),
    Breaking("561", "consult", about(with_part(4, "10")), also_off={"613"}),
    Breaking("613", "consult", about(with_part(34, "9"))),
]
DISTRIBUTIONS = [
    Breaking("489", "nothing_new", says("CNPJ", WRONG_CNPJ)),
    Breaking("490", "nothing_for_a_person", says("CPF", WRONG_CPF), by=person(WRONG_CPF)),
    Breaking("593", "nothing_new", says("CNPJ", BUYER_CNPJ)),
    Breaking("472", "nothing_for_a_person", says("CPF", OTHER_CPF)),
    Breaking("656", "nothing_new", prepare=told_that_there_is_nothing),
    Breaking("656", "invoice_wanted", prepare=many_keys_asked_for),
    Breaking("589", "nothing_new", says("distNSU/ultNSU", "000000000000004")),
    impossible("236", "invoice_wanted", with_wrong_digit),
    impossible("614", "invoice_wanted", with_part(0, "99")),
    impossible("615", "invoice_wanted", with_part(2, "27")),
    impossible("616", "invoice_wanted", with_part(4, "13")),
    impossible("617", "invoice_wanted", with_part(6, WRONG_CNPJ)),
    impossible("618", "invoice_wanted", with_part(20, "57")),
    impossible("619", "invoice_wanted", with_part(25, NO_NUMBER)),
    impossible("450", "invoice_wanted", with_part(20, "65")),
    Breaking("217", "invoice_wanted", prepare=nothing_kept, answer="137"),
    Breaking("632", "invoice_wanted", later=timedelta(days=91)),
    Breaking("641", "invoice_wanted", says("CNPJ", CNPJ), by=company),
    Breaking("640", "invoice_wanted", make=sold_to_another),
    Breaking("653", "invoice_wanted", prepare=canceled),
]
LOTS = [
    Breaking("452", "lot_of_one", says("indSinc", "0")),
    Breaking("764", "lot_of_two", says("indSinc", "1")),
    Breaking("765", "lot_of_two", make=lot_of_both_models),
]
EVENT_LOTS = [Breaking("215", "lot_of_events", says("idLote", "um"))]
RECEIPTS = [
    Breaking("656", "receipt", prepare=receipt_asked_for_often),
    Breaking("248", "receipt", says("nRec", "331000000000001"), prepare=receipt_of_rio),
]
STATUSES = [Breaking("289", "status", says("cUF", "33"))]
REGISTERS = [
    Breaking("215", "company", says("infCons/xServ", "CONSULTA")),
    Breaking("265", "company", says("infCons/UF", "RJ"), prepare=registered("RJ")),
    Breaking("258", "company", says("infCons/CNPJ", WRONG_CNPJ), prepare=registered(tax_id=WRONG_CNPJ)),
    Breaking("259", "company", prepare=nobody_registered),
    Breaking(
        "260",
        "registration",
        says("infCons/IE", NO_REGISTRATION),
        prepare=registered(registration=NO_REGISTRATION),
    ),
    Breaking("261", "registration", prepare=nobody_registered),
    Breaking("263", "person", says("infCons/CPF", WRONG_CPF), prepare=registered(tax_id=WRONG_CPF)),
    Breaking("264", "person", prepare=nobody_registered),
]
BREAKINGS = [*CONSULTS, *DISTRIBUTIONS, *LOTS, *EVENT_LOTS, *RECEIPTS, *STATUSES, *REGISTERS]


class TestQuestionRules:
    @pytest.mark.parametrize("breaking", BREAKINGS, ids=str)
    def test_a_broken_rule_alone_refuses(self, breaking: Breaking, registrar: Registrar) -> None:
        breaking.prove(registrar)
