"""Whatever workers and people do at once, the authority is not asked too early and no number is lost."""

from itertools import product
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from carimbo.storage.stream_steps import MAX_SINGLE_CALLS
from unit.service.stream_authority import DAY, HOUR, ModelAuthority, document_id
from unit.service.stream_model import Installation
from unit.service.stream_numbers import numbers_of_gaps
from unit.service.stream_row import LEASE

Event = tuple[Any, ...]
"""The name of a method of `Installation`, and its arguments."""
Kind = list[Event]
"""Events of one kind; one of them is drawn."""

WORKERS = range(3)
UNCOUNTED = ("refused", "outage", "not accepted", "593", "215")
# Most questions are answered: several answers in a row are needed before anything interesting happens.
FATES = (*["arrives"] * 9, "lost", "lost", "lagging", *UNCOUNTED)
ASKS: Kind = list(product(("ask", "ask_page", "ask_page", "turn"), WORKERS, FATES))
SERIES: Kind = [
    *product(["ask"], WORKERS, ("arrives", "arrives", "lost"), (3, 20, 40)),
    ("ask", 0, "lagging", 3),
]
STEPS: Kind = [*product(["step"], WORKERS, FATES), *[("kill", worker) for worker in WORKERS] * 3]
FREEZES: Kind = list(product(["freeze"], WORKERS, FATES, (2, 3, 4)))
DOCUMENTS: Kind = [*product(["distribute"], (1, 5, 30)), *product(["distribute_few"], (40,), (20, 1000))]
WAITS: Kind = [*product(["wait"], (1, 30, 61, 150, 3599, 3700)), ("wait_days", 1), ("wait_days", 91)]
# What people do at any moment.
REQUESTS: Kind = [*[("sync",)] * 4, ("replace_certificate",), ("stop",)]
OTHER_READER: Kind = [
    ("let_other_reader_read", 35),
    ("let_other_reader_ask", 0),
    ("let_other_reader_ask", -7),
]
NAMES: Kind = list(product(["name_number"], (True, False)))
# What else the authority and other programs do, and the hourly work.
OTHERS: Kind = [
    *product(["let_other_program_ask_single"], (3, 25)),
    *product(["forget"], (5, 20)),
    *product(["restart"], (1, 5, 30)),
    *[("give_up_gaps",)] * 3,
]
ALONE = [*[ASKS] * 8, *[SERIES] * 2, *[STEPS, FREEZES, DOCUMENTS] * 3, *[REQUESTS, WAITS] * 2, NAMES]
ALL = [*ALONE, *[OTHER_READER, OTHERS] * 3]
ANSWERED: Kind = list(product(("ask", "ask_page", "turn"), WORKERS, ["arrives"] * 5 + list(UNCOUNTED)))
"""Questions whose answers arrive, if the authority counts them."""


def events_of(kinds: list[Kind], least: int, most: int) -> st.SearchStrategy[list[Event]]:
    return st.lists(st.sampled_from(kinds).flatmap(st.sampled_from), min_size=least, max_size=most)


def installation_of(read_before: int, page_size: int, *, is_lenient: bool, jitter: float) -> Installation:
    """Returns an installation, and an authority from which another program has read so many documents."""
    authority = ModelAuthority(size=read_before, page_size=page_size, is_lenient=is_lenient)
    if read_before and not is_lenient:
        authority.returned = read_before
    return Installation(authority, jitter=jitter)


jitters = st.floats(min_value=0, max_value=1)
installations = st.builds(
    installation_of,
    st.sampled_from([0, 0, 20, 60]),
    st.sampled_from([10, 50]),
    is_lenient=st.sampled_from([False, False, True]),
    jitter=jitters,
)
only_readers = st.builds(
    installation_of, st.just(0), st.sampled_from([10, 50]), is_lenient=st.booleans(), jitter=jitters
)


def act(installation: Installation, happened: list[Event]) -> None:
    for name, *arguments in happened:
        getattr(installation, name)(*arguments)


def require_limits_kept(installation: Installation) -> None:
    """Fails if a question came within an hour of an answer that forbids it, or if there were too many."""
    pages, singles = installation.page_questions, installation.single_questions
    for rest in installation.rests:
        assert [moment for moment in pages if rest < moment < rest + HOUR] == []
    for block in installation.known_blocks:
        assert [moment for moment in pages + singles if block < moment < block + HOUR] == []
    # A worker may send a question as late as its lease ends.
    for moments, window in ((installation.single_calls, HOUR), (singles, HOUR - LEASE)):
        later = moments[MAX_SINGLE_CALLS:]
        assert [end for begin, end in zip(moments, later, strict=False) if end - begin < window] == []


def require_no_number_lost(installation: Installation) -> None:
    """Fails if a document up to our number is neither here nor asked for, without a reason."""
    stream, numbers, authority = installation.stream, installation.numbers, installation.authority
    assert sorted(numbers_of_gaps(stream)) == sorted(numbers.owed)
    assert all(gap.ask_at <= installation.now + DAY for gap in stream.open_gaps)
    assert sum(gap.missing for gap in stream.gaps.values()) == numbers.missing
    if installation.sequence != authority.sequence:
        return
    assert not numbers.without_document & authority.present
    for nsu in authority.present - numbers.owed.keys() - numbers.given_up:
        assert nsu > stream.progress.last_nsu or document_id(authority.sequence, nsu) in stream.journal


@settings(max_examples=250)
@given(installations, events_of(ALL, 20, 60))
def test_no_question_comes_too_early_and_no_number_is_lost(
    installation: Installation, happened: list[Event]
) -> None:
    act(installation, happened)
    require_limits_kept(installation)
    require_no_number_lost(installation)


@settings(max_examples=120)
@given(installations, events_of(ALL, 10, 40))
def test_stream_catches_up_once_nothing_disturbs_it(
    installation: Installation, happened: list[Event]
) -> None:
    act(installation, happened)
    took = installation.catch_up()
    assert installation.is_caught_up
    # A number that has never got an answer is asked for once a day.
    assert took < 4 * DAY + installation.authority.size * HOUR / MAX_SINGLE_CALLS
    require_limits_kept(installation)
    require_no_number_lost(installation)


@settings(max_examples=80)
@given(
    only_readers.filter(lambda installation: not installation.authority.is_lenient),
    st.lists(st.tuples(st.sampled_from([5, 25, 70]), events_of(ALL, 0, 15)), min_size=2, max_size=3),
)
def test_all_numbers_of_a_new_sequence_come(
    installation: Installation, sequences: list[tuple[int, list[Event]]]
) -> None:
    for other_reader_has, happened in sequences:
        installation.distribute_few(40, 20)
        # Each sequence has a gap that begins with 1.
        installation.let_other_reader_have(other_reader_has)
        installation.sync()
        installation.ask_page(0, "arrives")
        installation.give_up_gaps()
        act(installation, happened)
        installation.catch_up()
        require_no_number_lost(installation)
        installation.wait_days(91)
        # Only a number that the new sequence does not have shows that there is one.
        installation.distribute(2)
        installation.catch_up()
        before = installation.sequence
        installation.restart(40)
        installation.notice_restart()
        assert installation.sequence == before + 1
    require_limits_kept(installation)


@settings(max_examples=80)
@given(only_readers, events_of([ANSWERED, ANSWERED, WAITS, DOCUMENTS, REQUESTS], 20, 60))
def test_only_reader_is_never_blocked_while_its_answers_arrive(
    installation: Installation, happened: list[Event]
) -> None:
    # A page passes over these numbers: more than may be asked for one by one in an hour.
    installation.distribute_few(60, 1000)
    installation.ask(0, "arrives", 30)
    act(installation, happened)
    assert installation.blocks == 0


@settings(max_examples=100)
@given(only_readers, events_of([ASKS, DOCUMENTS, NAMES], 20, 40))
def test_nobody_else_is_blamed_for_lost_answers(installation: Installation, happened: list[Event]) -> None:
    act(installation, happened)
    assert installation.blamed == 0


def test_lost_first_answer_is_remembered_through_a_block_that_names_no_number() -> None:
    installation = installation_of(0, 10, is_lenient=True, jitter=0)
    happened = [
        ("distribute", 10),
        ("ask", 0, "lost"),
        ("wait", 1800),
        ("let_other_program_ask_single", 21),
        ("name_number", False),
        ("ask_page", 0, "arrives"),
        ("ask_page", 0, "arrives"),
    ]
    act(installation, happened)
    assert installation.blocks == 1
    require_no_number_lost(installation)
