"""NFeInutilizacao4: numbers that were skipped, and are given up for good."""

from contextlib import suppress
from sqlite3 import IntegrityError

from carimbo.simulator.nfe import answers
from carimbo.simulator.nfe.dialect import NAMESPACE
from carimbo.simulator.nfe.range_case import RangeCase
from carimbo.simulator.nfe.rules.inutilization import INUTILIZATION_RULES, SERVICE
from carimbo.simulator.rule import Refusal, first_broken
from carimbo.simulator.sefaz.answers import Answer, Authority, Verdict
from carimbo.simulator.sefaz.call import Call, Message
from carimbo.simulator.sefaz.details import protocol_for
from carimbo.simulator.sefaz.limits import spend
from carimbo.simulator.sefaz.protocols import next_protocol

_VOIDED = Verdict("102")
_REPEATED = "563"
_TOLD_BACK = ("cUF", "ano", "CNPJ", "mod", "serie", "nNFIni", "nNFFin")


def answer(call: Call) -> Answer:
    """Void a range of numbers."""
    case = RangeCase(call)
    if refusal := first_broken(INUTILIZATION_RULES, case, call.world.controls.rules_off):
        return _refused(case, refusal)
    number = next_protocol(call, case.asked.text("cUF"))
    # A range that was voided before gets here only with the rule 563 off.
    with suppress(IntegrityError):
        case.ledger.keep_range(case.voided(number))
    return _said(call, _VOIDED, number)


def refuse(call: Call, verdict: Verdict) -> Answer:
    """Answer without voiding anything."""
    state_code = call.root.findtext(f"{{{NAMESPACE}}}infInut/{{{NAMESPACE}}}cUF") or ""
    return _said(call, verdict, protocol_for(call, state_code) if verdict.code == _REPEATED else "")


refuse_message = refuse


def subject(message: Message) -> str:
    """Returns the Id of the range."""
    asked = message.root.find(f"{{{NAMESPACE}}}infInut")
    return "" if asked is None else asked.get("Id", "")


def _refused(case: RangeCase, refusal: Refusal) -> Answer:
    """Refuse; who repeats a range is told the protocol that it has (MOC 7.0, 5.3.5)."""
    spend(case.world, case.author, SERVICE, case.id)
    known = case.overlapping if refusal.code == _REPEATED else None
    return _said(case.call, refusal, known.protocol if known else "")


def _said(call: Call, verdict: Verdict, number: str = "") -> Answer:
    told = {
        tag: call.root.findtext(f"{{{NAMESPACE}}}infInut/{{{NAMESPACE}}}{tag}") or "" for tag in _TOLD_BACK
    }
    authority = Authority.of(call)
    told["cUF"] = authority.state(told["cUF"]).ibge
    return Answer(answers.inutilization_answer(authority, verdict, told, number), verdict.code)
