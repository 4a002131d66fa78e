"""An attempt that no authority has goes another way under its number, once none can get it any more."""

from datetime import timedelta
from typing import Any

from integration.issuing.scripted import LOST, OUT, UNKNOWN, Line, Play, authorizing

SECOND = timedelta(seconds=1)


async def created(play: Play, *lines: Line) -> dict[str, Any]:
    play.script.begin(*lines)
    return await play.shop.create()


async def step(play: Play, document: dict[str, Any]) -> dict[str, Any]:
    """Advance a document once, as if its pause were over."""
    await play.hasten(document)
    return await play.perform(document, steps=1)


def ways(play: Play) -> list[str]:
    """The way that each sending went (tpEmis)."""
    return [signed.access_key[34] for signed in play.script.sent]


class TestAttempt:
    async def test_that_was_refused_at_the_door_goes_at_once(self, play: Play) -> None:
        document = await created(play, OUT, authorizing())
        await step(play, document)
        await play.go_into_contingency()
        document = await step(play, document)
        assert (document["status"], document["number"]) == ("authorized", 1)
        assert ways(play) == ["1", "6"]

    async def test_that_was_just_given_up_may_be_on_its_way(self, play: Play) -> None:
        """However long ago it was issued: what counts is when it was sent again."""
        latest = play.shop.floor.settings.latest_arrival
        document = await created(play, LOST, UNKNOWN, LOST, UNKNOWN, OUT, OUT, authorizing())
        await step(play, document)
        play.script.passed += 2 * latest
        await step(play, document)
        await step(play, document)
        await play.go_into_contingency()
        play.script.passed += latest - 5 * SECOND
        assert (await step(play, document))["status"] == "processing"
        assert ways(play) == ["1"] * 4
        play.script.passed += 10 * SECOND
        document = await step(play, document)
        assert (document["status"], document["number"]) == ("authorized", 1)
        assert ways(play) == [*"1111", "6"]
