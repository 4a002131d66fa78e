"""Whatever workers and people do at once, the authority is not asked too early and no number is lost."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from unit.service.stream_model import HOUR, Installation, ModelAuthority

Event = tuple[Any, ...]
"""The name of a method of `Installation`, and its arguments."""

# Most questions are answered: several answers in a row are needed before anything interesting happens.
fates = st.sampled_from(["arrives"] * 6 + ["lost", "lost", "refused", "outage", "not accepted"])
workers = st.integers(0, 2)
waits = st.tuples(st.just("wait"), st.sampled_from([1, 30, 61, 150, 3599, 3700]))
distributions = st.tuples(st.just("distribute"), st.integers(1, 70))
# What people do at any moment.
requests = st.sampled_from([("sync",), ("sync",), ("stop",), ("replace_certificate",)])
events = st.sampled_from(
    ["ask"] * 4 + ["step"] * 4 + ["turn", "wait", "distribute", "other"] + ["request"] * 2
).flatmap(
    {
        "request": requests,
        "ask": st.tuples(st.just("ask"), workers, fates),
        "step": st.tuples(st.just("step"), workers, fates),
        "turn": st.tuples(st.just("turn"), workers, fates),
        "wait": waits,
        "distribute": distributions,
        "other": st.one_of(
            st.tuples(st.just("kill"), workers),
            st.tuples(st.just("name_number"), st.booleans()),
            st.tuples(st.just("let_other_reader_ask"), st.sampled_from([0, 0, 0, -7])),
        ),
    }.__getitem__
)
jitters = st.floats(min_value=0, max_value=1)


def act(installation: Installation, event: Event) -> None:
    name, *arguments = event
    getattr(installation, name)(*arguments)


def require_rules_kept(installation: Installation) -> None:
    """Fails if a question came within an hour of an answer that forbids it, or if a number is lost."""
    stream = installation.stream
    assert set(range(1, stream.progress.last_nsu + 1)) <= stream.numbers
    for rest in installation.rests:
        assert [moment for moment in installation.questions if rest < moment < rest + HOUR] == []


@settings(max_examples=300)
@given(st.lists(events, min_size=20, max_size=60), jitters, st.integers(1, 50))
def test_no_question_comes_within_the_hour_and_no_number_is_lost(
    happened: list[Event], jitter: float, page_size: int
) -> None:
    installation = Installation(ModelAuthority(page_size=page_size), jitter=jitter)
    for event in happened:
        act(installation, event)
    require_rules_kept(installation)


@settings(max_examples=120)
@given(st.lists(events, min_size=10, max_size=40), jitters)
def test_stream_catches_up_once_nothing_disturbs_it(happened: list[Event], jitter: float) -> None:
    installation = Installation(ModelAuthority(size=200), jitter=jitter)
    calm = [("name_number", True), ("replace_certificate",), ("sync",), *[("ask", 0, "arrives")] * 30]
    for event in [*happened, *calm]:
        act(installation, event)
    require_rules_kept(installation)
    assert installation.stream.numbers == set(range(1, installation.authority.size + 1))
    assert not installation.stream.is_parked


answered = st.tuples(
    st.sampled_from(["ask", "turn"]),
    workers,
    st.sampled_from(["arrives", "arrives", "refused", "outage", "not accepted"]),
)


@settings(max_examples=120)
@given(
    st.lists(st.one_of(answered, answered, waits, distributions, requests), min_size=10, max_size=60), jitters
)
def test_only_reader_is_never_blocked_while_its_answers_arrive(happened: list[Event], jitter: float) -> None:
    installation = Installation(ModelAuthority(page_size=7), jitter=jitter)
    for event in happened:
        act(installation, event)
    assert installation.blocks == 0
