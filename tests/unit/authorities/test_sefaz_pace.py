"""Distribution, which pauses when there is nothing new, and the rate limits of all services."""

from collections.abc import Sequence
from datetime import timedelta

import nfe_answers as answers
from carimbo.authorities.nfe import NfeSefaz
from carimbo.fiscal.distribution import DistributionPage
from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.identity.certificate import AuthorityCredentials
from carimbo.fiscal.outcome import Throttled
from support import CNPJ
from unit.authorities.wire import CANCELLATION, INUTILIZED, KEY, LOST, NOON, REFUSED, Clock, Wire, document

BLOCKED = "Rejeição: Consumo Indevido"


class TestDistribution:
    PAGE = answers.distribution("138", "Documento localizado", answers.zipped(b"<nfeProc/>"))

    async def test_distribution_is_asked_of_the_national_environment(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
    ) -> None:
        wire.answer = self.PAGE
        page = await sefaz.distribution(sender, "SP", 100)
        assert isinstance(page, DistributionPage)
        assert list(page.contents()) == [b"<nfeProc/>"]
        assert (wire.path, wire.text("ultNSU")) == ("/an/nfe/NFeDistribuicaoDFe", "000000000000100")
        assert (wire.text("CNPJ"), wire.text("cUFAutor")) == (CNPJ, "35")

    async def test_distribution_request_has_two_wrapper_elements(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
    ) -> None:
        await sefaz.distribution(sender, "SP", 100)
        service = "{http://www.portalfiscal.inf.br/nfe/wsdl/NFeDistribuicaoDFe}"
        (inner,) = wire.body
        assert (wire.body.tag, inner.tag) == (f"{service}nfeDistDFeInteresse", f"{service}nfeDadosMsg")

    async def test_distribution_can_be_of_one_document(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
    ) -> None:
        await sefaz.distribution_at(sender, "SP", 7)
        assert wire.text("NSU") == "000000000000007"
        await sefaz.distribution_of_key(sender, "SP", KEY)
        assert wire.text("chNFe") == KEY

    async def test_distribution_continues_while_there_are_pages(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
    ) -> None:
        wire.answer = self.PAGE
        for _ in range(100):
            assert isinstance(await sefaz.distribution(sender, "SP", 100), DistributionPage)


def admitted(outcomes: Sequence[object]) -> int:
    return sum(not isinstance(outcome, Throttled) for outcome in outcomes)


class TestPace:
    async def test_rate_limits_are_below_those_of_the_authorities(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials
    ) -> None:
        """NT 2018.002 has 30, 40, 10, 20 and 20; NT 2014.002 has 20."""
        times = range(50)
        questions: dict[str, Sequence[object]] = {
            "send": [await sefaz.send(sender, document()) for _ in times],
            "receipt": [await sefaz.receipt(sender, KEY, answers.RECEIPT) for _ in times],
            "consult": [await sefaz.consult(sender, KEY) for _ in times],
            "event": [await sefaz.register_event(sender, CANCELLATION) for _ in times],
            "inutilize": [await sefaz.inutilize(sender, INUTILIZED) for _ in times],
            "key": [await sefaz.distribution_of_key(sender, "SP", KEY) for _ in times],
        }
        assert {name: admitted(outcomes) for name, outcomes in questions.items()} == {
            "send": 25,
            "receipt": 35,
            "consult": 9,
            "event": 15,
            "inutilize": 15,
            "key": 18,
        }

    async def test_single_documents_share_one_rate_limit(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials
    ) -> None:
        outcomes = [await sefaz.distribution_at(sender, "SP", number) for number in range(50)]
        assert admitted(outcomes) == 18

    async def test_requests_that_cannot_have_arrived_are_not_counted(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
    ) -> None:
        wire.answer = REFUSED
        assert [await sefaz.consult(sender, KEY) for _ in range(50)] == [REFUSED] * 50

    async def test_block_stops_a_service_for_an_hour(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire, clock: Clock
    ) -> None:
        wire.answer = answers.consult("656", BLOCKED)
        blocked = await sefaz.consult(sender, KEY)
        until = NOON + timedelta(hours=1)
        assert blocked == Throttled(code="656", message=BLOCKED, until=until)
        for key in (KEY, AccessKey.parse(answers.OTHER_KEY)):
            refused = await sefaz.consult(sender, key)
            assert isinstance(refused, Throttled)
            assert (refused.until, refused.message.startswith("Não enviado")) == (until, True)
        assert len(wire.sent) == 1
        clock.seconds += 3600
        wire.answer = LOST
        assert await sefaz.consult(sender, KEY) == LOST

    async def test_block_does_not_stop_other_services(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
    ) -> None:
        wire.answer = answers.consult("656", BLOCKED)
        await sefaz.consult(sender, KEY)
        wire.answer = LOST
        assert await sefaz.send(sender, document()) == LOST

    async def test_blocked_distribution_keeps_its_position(
        self, sefaz: NfeSefaz, sender: AuthorityCredentials, wire: Wire
    ) -> None:
        wire.answer = answers.distribution("656", BLOCKED)
        blocked = await sefaz.distribution(sender, "SP", 0)
        assert isinstance(blocked, Throttled)
        assert (blocked.last_nsu, blocked.until) == (150, NOON + timedelta(hours=1))
