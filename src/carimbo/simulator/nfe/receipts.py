"""NFeRetAutorizacao4: the result of a lot of several documents."""

import re
from datetime import timedelta

from carimbo.fiscal.tables.authorities import states_of
from carimbo.fiscal.tables.geography import state_of_ibge
from carimbo.simulator.limits import count_use, limit_reached
from carimbo.simulator.nfe import answers
from carimbo.simulator.rules import AuthorityVerdict, RejectionRule, first_broken
from carimbo.simulator.sefaz.answers import AnsweringAuthority, ServiceAnswer, next_receipt
from carimbo.simulator.sefaz.call import Message, ServiceCall
from carimbo.simulator.store import timestamp_of, timestamp_text

QUESTIONS_ABOUT_A_RECEIPT = 40
"""Within an hour."""
_SERVICE = "NFeRetAutorizacao4"
_RECEIPT = re.compile(r"[0-9]{15}")
_UNREADABLE = "0" * 15
"""The receipt in the answer if the one in the question is invalid (MOC 7.0, BR04a)."""


def keep_lot(call: ServiceCall, state_code: str, protocols: str) -> str:
    """Stores the protocols of a lot until a client asks for them; returns the number of its receipt."""
    number = next_receipt(call, state_code)
    ready_at = call.context.now + timedelta(seconds=call.context.controls.lot_seconds)
    call.context.store.connection.execute(
        "insert into lots values (?, ?, ?, ?, ?)",
        (
            call.service_path.environment,
            number,
            call.service_path.authorizer,
            timestamp_text(ready_at),
            protocols.encode(),
        ),
    )
    return number


def receipt_of_another_state(call: ServiceCall) -> bool:
    """MOC 7.0, E02."""
    state = state_of_ibge(_receipt(call)[:2])
    model = call.dialect.model_at(call.service_path)
    return state is None or state.code not in states_of(model, call.service_path.authorizer)


def asked_too_often(call: ServiceCall) -> bool:
    """NT 2018.002: 40 questions about one receipt in an hour."""
    return limit_reached(call.context, call.taxpayer, _SERVICE, _receipt(call), QUESTIONS_ABOUT_A_RECEIPT)


def _receipt(message: Message) -> str:
    return message.text_at("nRec")


RECEIPT_RULES: tuple[RejectionRule[ServiceCall], ...] = (
    RejectionRule("656", asked_too_often),
    RejectionRule("248", receipt_of_another_state),
)


class ReceiptService:
    """Answers with the protocols of a lot."""

    def answer(self, call: ServiceCall) -> ServiceAnswer:
        """Returns the protocols of a lot, once it is processed."""
        number = _receipt(call)
        if refusal := first_broken(RECEIPT_RULES, call, call.context.controls.rules_off):
            return self.refuse(call, refusal)

        count_use(call.context, call.taxpayer, _SERVICE, number)
        lot = call.context.store.connection.execute(
            "select * from lots where environment = ? and receipt = ? and authorizer = ?",
            (call.service_path.environment, number, call.service_path.authorizer),
        ).fetchone()
        if lot is None:
            return self.refuse(call, AuthorityVerdict("106"))
        if call.context.now < timestamp_of(lot["ready_at"]):
            return self.refuse(call, AuthorityVerdict("105"))
        return _answer_with(call, AuthorityVerdict("104"), number, bytes(lot["protocols"]).decode())

    def refuse(self, call: ServiceCall, verdict: AuthorityVerdict) -> ServiceAnswer:
        """Answers without protocols."""
        number = _receipt(call)
        return _answer_with(call, verdict, number if _RECEIPT.fullmatch(number) else _UNREADABLE)

    refuse_message = refuse

    def subject(self, message: Message) -> str:
        """Returns the number of the receipt."""
        return _receipt(message)


def _answer_with(
    call: ServiceCall, verdict: AuthorityVerdict, number: str, protocols: str = ""
) -> ServiceAnswer:
    authority = AnsweringAuthority.of(call)
    state_code = authority.state(_receipt(call)[:2]).ibge
    xml = answers.receipt_answer(authority, verdict, number, state_code, protocols)
    return ServiceAnswer(xml, verdict.code)
