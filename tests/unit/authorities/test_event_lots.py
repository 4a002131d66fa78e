"""Lots of events at the national environment: each event gets the answer that is about it, or none."""

import pytest

import nfe_answers as answers
from carimbo.authorities.nfe import NfeSefaz
from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.identity.certificate import AuthorityCredentials
from carimbo.fiscal.layouts.nfe_v4.events import OperationAcknowledged
from carimbo.fiscal.layouts.sefaz.events import NATIONAL_ORGAN
from carimbo.fiscal.outcome import Authorized, Duplicate, NotJudged, Outcome, Rejected, Throttled
from unit.authorities.wire import ACKNOWLEDGEMENT, KEY, LOST, Wire, event
from unit.fiscal.keys import with_parts

OTHER_KEY, THIRD_KEY = with_parts(KEY, number=777), with_parts(KEY, number=778)
LOT = [
    ACKNOWLEDGEMENT,
    *(event(OperationAcknowledged(), NATIONAL_ORGAN, key) for key in (OTHER_KEY, THIRD_KEY)),
]
REGISTERED = "Evento registrado e vinculado a NF-e"


def receipt(code: str, text: str, key: AccessKey | None) -> str:
    return answers.event_receipt(code, text, key=key, event_type=answers.ACKNOWLEDGEMENT)


async def outcomes(sefaz: NfeSefaz, sender: AuthorityCredentials) -> tuple[Outcome, ...]:
    """Sends the lot, and returns the outcome of each event."""
    answer = await sefaz.register_events(sender, LOT)
    assert isinstance(answer, tuple)
    return answer


async def test_lot_goes_to_the_national_environment_as_one_message(
    sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
) -> None:
    await sefaz.register_events(sender, LOT)
    ((path, _, envelope),) = wire.sent
    assert path == "/an/nfe/NFeRecepcaoEvento4"
    assert all(signed in envelope for signed in LOT)


async def test_answers_in_another_order_are_given_to_their_events(
    sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
) -> None:
    wire.answer = answers.processed_events(
        receipt("650", "Rejeição: NF-e cancelada", THIRD_KEY),
        receipt("135", REGISTERED, KEY),
        receipt("573", "Rejeição: Duplicidade de Evento", OTHER_KEY),
    )
    first, second, third = await outcomes(sefaz, sender)
    assert isinstance(first, Authorized)
    assert isinstance(second, Duplicate)
    assert isinstance(third, Rejected)
    assert third.code == "650"
    assert KEY in first.protocol_xml.decode()
    assert third.answer_xml is not None
    assert THIRD_KEY in third.answer_xml.decode()


async def test_event_that_the_answer_does_not_name_is_not_judged(
    sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
) -> None:
    wire.answer = answers.processed_events(
        receipt("135", REGISTERED, KEY), receipt("135", REGISTERED, THIRD_KEY)
    )
    first, second, third = await outcomes(sefaz, sender)
    assert isinstance(first, Authorized)
    assert isinstance(third, Authorized)
    assert isinstance(second, NotJudged)
    assert second.may_have_arrived


async def test_two_answers_about_one_event_judge_it_not_and_leave_the_others_alone(
    sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
) -> None:
    wire.answer = answers.processed_events(
        receipt("135", REGISTERED, KEY),
        receipt("650", "Rejeição: NF-e cancelada", KEY),
        receipt("135", REGISTERED, OTHER_KEY),
        receipt("135", REGISTERED, THIRD_KEY),
    )
    assert [type(outcome) for outcome in await outcomes(sefaz, sender)] == [NotJudged, Authorized, Authorized]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (answers.event_lot("215", "Rejeição: Falha no schema XML"), Rejected),
        (answers.event_lot("656", "Rejeição: Consumo Indevido"), Throttled),
        (answers.event_lot("128", "Lote de Evento Processado")[:-9], NotJudged),
        (LOST, NotJudged),
    ],
    ids=["refused", "blocked", "cut", "lost"],
)
async def test_lot_that_is_not_processed_has_one_outcome(
    sefaz: NfeSefaz,
    sender: AuthorityCredentials,
    wire: Wire,
    answer: str | NotJudged,
    expected: type[Outcome],
) -> None:
    wire.answer = answer
    assert type(await sefaz.register_events(sender, LOT)) is expected


async def test_refusal_that_names_no_document_is_given_to_none_of_several_events(
    sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
) -> None:
    anonymous = answers.event_receipt("650", "Rejeição", key=None, event_type=None, sequence=None)
    wire.answer = answers.processed_events(anonymous)
    assert {type(outcome) for outcome in await outcomes(sefaz, sender)} == {NotJudged}
