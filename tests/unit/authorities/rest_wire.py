"""A network over which REST services are asked, that only tests see."""

import json
from collections.abc import Mapping

from carimbo.authorities.http_answer import Answer
from carimbo.authorities.transport import Question
from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.outcome import NotJudged
from unit.authorities.wire import BASE, LOST

Told = Answer | NotJudged


class RestWire:
    """Stands for the network: keeps what is asked, and answers by method and path what it was told to."""

    def __init__(self) -> None:
        self.answers: dict[str, Told] = {}
        self.asked: list[str] = []
        self.questions: list[Question] = []
        self.addresses: list[str] = []
        self.most_seconds: list[float | None] = []

    async def fetch(
        self, certificate: A1Certificate, address: str, question: Question, most_seconds: float | None
    ) -> Told:
        self.addresses.append(address.removeprefix(BASE))
        self.most_seconds.append(most_seconds)
        self.questions.append(question)
        self.asked.append(f"{question.method} {question.path}")
        return self.answers.get(self.asked[-1], LOST)

    def say(self, question: str, status: int, body: bytes) -> None:
        """Answer a question like this from now on."""
        self.answers[question] = Answer(status, body)

    @property
    def json(self) -> Mapping[str, str]:
        """The body of the last question."""
        read: Mapping[str, str] = json.loads(self.questions[-1].body)
        return read
