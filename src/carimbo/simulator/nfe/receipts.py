"""NFeRetAutorizacao4: what became of a lot of several documents."""

import re
from datetime import timedelta
from typing import Any

from carimbo.fiscal.tables.authorizers import states_of
from carimbo.fiscal.tables.states import state_of_ibge
from carimbo.simulator.nfe import answers
from carimbo.simulator.rule import Rule, first_broken
from carimbo.simulator.sefaz.answers import Answer, Authority, Verdict
from carimbo.simulator.sefaz.call import Call, Message
from carimbo.simulator.sefaz.limits import is_spent, spend
from carimbo.simulator.sefaz.protocols import next_receipt
from carimbo.simulator.store import moment_of, moment_text

QUESTIONS_ABOUT_A_RECEIPT = 40
"""Within an hour."""
_SERVICE = "NFeRetAutorizacao4"
_RECEIPT = re.compile(r"[0-9]{15}")
_UNREADABLE = "0" * 15
"""What a receipt is told as that cannot be read (MOC 7.0, BR04a)."""


def keep_lot(call: Call, state_code: str, protocols: str) -> str:
    """Keep the protocols of a lot until they are asked for; the number of its receipt."""
    number = next_receipt(call, state_code)
    ready_at = call.world.now + timedelta(seconds=call.world.controls.lot_seconds)
    call.world.store.connection.execute(
        "insert into lots values (?, ?, ?, ?, ?)",
        (call.place.environment, number, call.place.authorizer, moment_text(ready_at), protocols.encode()),
    )
    return number


def answer(call: Call) -> Answer:
    """Tell the protocols of a lot, once it is processed."""
    number = subject(call)
    if refusal := first_broken(RECEIPT_RULES, call, call.world.controls.rules_off):
        return refuse(call, refusal)
    spend(call.world, call.taxpayer, _SERVICE, number)
    lot = _lot(call, number)
    if lot is None:
        return refuse(call, Verdict("106"))
    if call.world.now < moment_of(lot["ready_at"]):
        return refuse(call, Verdict("105"))
    said = answers.receipt_answer(
        Authority.of(call), Verdict("104"), number, _state_code(call), bytes(lot["protocols"]).decode()
    )
    return Answer(said, "104")


def refuse(call: Call, verdict: Verdict) -> Answer:
    """Answer without protocols."""
    number = subject(call)
    if not _RECEIPT.fullmatch(number):
        number = _UNREADABLE
    return Answer(
        answers.receipt_answer(Authority.of(call), verdict, number, _state_code(call)), verdict.code
    )


refuse_message = refuse


def subject(message: Message) -> str:
    """Returns the number of the receipt."""
    return message.text_at("nRec")


def receipt_of_another_state(call: Call) -> bool:
    """MOC 7.0, E02."""
    state = state_of_ibge(subject(call)[:2])
    return state is None or state.code not in states_of(
        call.dialect.model_at(call.place), call.place.authorizer
    )


def asked_too_often(call: Call) -> bool:
    """NT 2018.002: 40 questions about one receipt in an hour."""
    return is_spent(call.world, call.taxpayer, _SERVICE, subject(call), QUESTIONS_ABOUT_A_RECEIPT)


def _lot(call: Call, number: str) -> Any:
    query = "select * from lots where environment = ? and receipt = ? and authorizer = ?"
    where = (call.place.environment, number, call.place.authorizer)
    return call.world.store.connection.execute(query, where).fetchone()


def _state_code(call: Call) -> str:
    return Authority.of(call).state(subject(call)[:2]).ibge


RECEIPT_RULES: tuple[Rule[Call], ...] = (
    Rule("656", asked_too_often),
    Rule("248", receipt_of_another_state),
)
