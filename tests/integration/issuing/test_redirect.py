"""An attempt that no authority has is sent by another route under its number, once it can not arrive."""

from datetime import timedelta
from typing import Any

from integration.issuing.scripted import LOST, OUT, UNKNOWN, Line, ScriptedWorker, authorizing

SECOND = timedelta(seconds=1)


async def created(worker: ScriptedWorker, *lines: Line) -> dict[str, Any]:
    worker.script.begin(*lines)
    return await worker.shop.create()


async def step(worker: ScriptedWorker, document: dict[str, Any]) -> dict[str, Any]:
    """Makes a document due and advances it once."""
    await worker.end_pause(document)
    return await worker.advance(document, steps=1)


def routes(worker: ScriptedWorker) -> list[str]:
    """Returns the emission type (tpEmis) of each request."""
    return [signed.access_key[34] for signed in worker.script.sent]


class TestAttempt:
    async def test_refused_attempt_is_redirected_at_once(self, worker: ScriptedWorker) -> None:
        document = await created(worker, OUT, authorizing())
        await step(worker, document)
        await worker.go_into_contingency()
        document = await step(worker, document)
        assert (document["status"], document["number"]) == ("authorized", 1)
        assert routes(worker) == ["1", "6"]

    async def test_attempt_that_may_still_arrive_is_not_redirected(self, worker: ScriptedWorker) -> None:
        """The time of the last request counts, not the time of issue."""
        in_flight_limit = worker.shop.system.settings.in_flight_limit
        document = await created(worker, LOST, UNKNOWN, LOST, UNKNOWN, OUT, OUT, authorizing())
        await step(worker, document)
        worker.script.passed += 2 * in_flight_limit
        await step(worker, document)
        await step(worker, document)
        await worker.go_into_contingency()
        worker.script.passed += in_flight_limit / 2
        assert (await step(worker, document))["status"] == "processing"
        assert routes(worker) == ["1"] * 4
        worker.script.passed += in_flight_limit
        document = await step(worker, document)
        assert (document["status"], document["number"]) == ("authorized", 1)
        assert routes(worker) == [*"1111", "6"]
