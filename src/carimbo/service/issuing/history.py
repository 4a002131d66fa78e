"""What the history of a document records of each question to the authority."""

from carimbo.fiscal.lifecycle import Happening, Status
from carimbo.fiscal.outcome import Outcome, went_out
from carimbo.service.issuing.case import Case
from carimbo.service.issuing.conclude import told
from carimbo.service.issuing.decision import Decision
from carimbo.service.last_answer import refused_certificate
from carimbo.storage.document_events import NewEvent
from carimbo.storage.emissions import LastAnswer


def question_events(case: Case, happening: Happening, outcome: Outcome, decision: Decision) -> list[NewEvent]:
    """Returns the events of a question, with the answer unless that is a verdict, which has its own event."""
    if answer := refused_certificate(outcome):
        return _refused_certificate(case, happening, answer)
    if not went_out(outcome):
        return []
    has_own_event = happening is Happening.TRANSMITTED and decision is outcome
    return [told(happening, Status.PROCESSING, None if has_own_event else outcome)]


def _refused_certificate(case: Case, happening: Happening, answer: LastAnswer) -> list[NewEvent]:
    """Returns the event of a certificate that the authority does not accept: once, and not at every retry."""
    if case.emission.answer_code == answer.code:
        return []
    return [
        NewEvent(
            type=happening,
            status=Status.PROCESSING,
            authority_code=answer.code,
            authority_message=answer.message,
        )
    ]
