"""The authorities of NF-e and NFC-e (MOC 7.0, layout 4.00), which also judge lots later and void numbers."""

from functools import partial

from carimbo.authorities import pacing
from carimbo.authorities.endpoints import Endpoints
from carimbo.authorities.pacing import Pacing
from carimbo.authorities.routing import authorizer_of, authorizer_of_key, state_of_code
from carimbo.authorities.sefaz import Question, Sefaz
from carimbo.authorities.services import Distribution, Family, Service
from carimbo.authorities.status_board import StatusBoard
from carimbo.authorities.transport import Exchange
from carimbo.fiscal.access_key import AccessKey
from carimbo.fiscal.layouts.nfe_v4.dialect import NFE_DIALECT
from carimbo.fiscal.layouts.nfe_v4.events import Correction
from carimbo.fiscal.layouts.nfe_v4.inutilization import read_inutilization, read_inutilization_request
from carimbo.fiscal.layouts.sefaz.answers import read_receipt
from carimbo.fiscal.layouts.sefaz.messages import receipt_query
from carimbo.fiscal.outcome import Outcome
from carimbo.fiscal.sender import Sender

_RECEIPT = Service("NFeRetAutorizacao4", "nfeRetAutorizacaoLote", pacing.SAME_RECEIPT)
_INUTILIZATION = Service("NFeInutilizacao4", "nfeInutilizacaoNF", pacing.SAME_INUTILIZATION)
NFE_FAMILY = Family(
    dialect=NFE_DIALECT,
    reception=Service("NFeAutorizacao4", "nfeAutorizacaoLote", pacing.SAME_DOCUMENT),
    consult=Service("NFeConsultaProtocolo4", "nfeConsultaNF", pacing.SAME_KEY),
    # A person waits for it, and an authority that takes longer is not in good health: that is the answer.
    status=Service("NFeStatusServico4", "nfeStatusServicoNF", most_seconds=5),
    event=Service("NFeRecepcaoEvento4", "nfeRecepcaoEvento", pacing.SAME_EVENT),
    # The national environment has another name for the operation than the states.
    national_event=Service("NFeRecepcaoEvento4", "nfeRecepcaoEventoNF", pacing.SAME_EVENT),
    distribution=Distribution(
        model="55",
        pages=Service("NFeDistribuicaoDFe", "nfeDistDFeInteresse", is_wrapped=True),
        single=Service(
            "NFeDistribuicaoDFe", "nfeDistDFeInteresse", pacing.SINGLE_DISTRIBUTION, is_wrapped=True
        ),
    ),
    # The authorities of contingency take no correction letters (MOC 7.0, anexo III).
    events_of_home_only=frozenset({Correction.event_type}),
    document_missing_code="494",
)


class NfeSefaz(Sefaz):
    """Asks the authorities of NF-e and NFC-e."""

    def __init__(
        self, exchange: Exchange, endpoints: Endpoints, pacing: Pacing, board: StatusBoard | None = None
    ) -> None:
        super().__init__(NFE_FAMILY, exchange, endpoints, pacing, board)

    async def receipt(self, sender: Sender, access_key: str, receipt: str) -> Outcome:
        """Asks what became of a document of a lot that was to be judged later."""
        key = AccessKey.parse(access_key)
        message = receipt_query(NFE_DIALECT, sender.environment.code, receipt)
        question = Question(_RECEIPT, key.model, authorizer_of_key(key), receipt, key.state_code, message)
        return await self._ask(sender, question, partial(read_receipt, NFE_DIALECT, access_key=key))

    async def inutilize(self, sender: Sender, signed: bytes) -> Outcome:
        """Gives up a range of numbers, at the state's own authority: those of contingency void nothing."""
        asked = read_inutilization_request(signed)
        authorizer = authorizer_of(asked.model, state_of_code(asked.state_code).code)
        question = Question(_INUTILIZATION, asked.model, authorizer, asked.id, asked.state_code, signed)
        return await self._ask(sender, question, partial(read_inutilization, asked=asked))
