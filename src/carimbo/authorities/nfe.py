"""The authorities of NF-e and NFC-e (MOC 7.0, layout 4.00), with lot receipts and inutilization."""

from functools import partial

from carimbo.authorities import pacing
from carimbo.authorities.endpoints import Endpoints, authorizer_of, authorizer_of_key, state_of_code
from carimbo.authorities.pacing import Pacing, StatusCache
from carimbo.authorities.sefaz import Distribution, Sefaz, SefazFamily, SefazRequest, SoapService
from carimbo.authorities.transport import SendSoap
from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.identity.certificate import AuthorityCredentials
from carimbo.fiscal.layouts.nfe_v4.dialect import NFE_DIALECT
from carimbo.fiscal.layouts.nfe_v4.inutilization import read_inutilization, read_inutilization_request
from carimbo.fiscal.layouts.sefaz.answers import read_receipt
from carimbo.fiscal.layouts.sefaz.messages import receipt_query
from carimbo.fiscal.outcome import Outcome

_RECEIPT = SoapService("NFeRetAutorizacao4", "nfeRetAutorizacaoLote", pacing.MAX_SAME_RECEIPT)
_INUTILIZATION = SoapService("NFeInutilizacao4", "nfeInutilizacaoNF", pacing.MAX_SAME_INUTILIZATION)
NFE_FAMILY = SefazFamily(
    dialect=NFE_DIALECT,
    reception=SoapService("NFeAutorizacao4", "nfeAutorizacaoLote", pacing.MAX_SAME_DOCUMENT),
    consult=SoapService("NFeConsultaProtocolo4", "nfeConsultaNF", pacing.MAX_SAME_KEY),
    # A person waits for the status, and an authority that takes longer counts as unhealthy.
    status=SoapService("NFeStatusServico4", "nfeStatusServicoNF", max_seconds=5),
    event=SoapService("NFeRecepcaoEvento4", "nfeRecepcaoEvento", pacing.MAX_SAME_EVENT),
    # The operation has another name in the national environment than in the states.
    national_event=SoapService("NFeRecepcaoEvento4", "nfeRecepcaoEventoNF", pacing.MAX_SAME_EVENT),
    distribution=Distribution(
        model="55",
        pages=SoapService("NFeDistribuicaoDFe", "nfeDistDFeInteresse", is_wrapped=True),
        single=SoapService(
            "NFeDistribuicaoDFe", "nfeDistDFeInteresse", pacing.MAX_SINGLE_DISTRIBUTION, is_wrapped=True
        ),
    ),
    document_missing_code="494",
)


class NfeSefaz(Sefaz):
    """Asks the authorities of NF-e and NFC-e."""

    def __init__(
        self,
        send_soap: SendSoap,
        endpoints: Endpoints,
        pacing: Pacing,
        status_cache: StatusCache | None = None,
    ) -> None:
        super().__init__(NFE_FAMILY, send_soap, endpoints, pacing, status_cache)

    async def receipt(self, sender: AuthorityCredentials, access_key: str, receipt: str) -> Outcome:
        """Asks for the outcome of a document in a lot that the authority processes later."""
        key = AccessKey.parse(access_key)
        message = receipt_query(NFE_DIALECT, sender.environment.code, receipt)
        request = SefazRequest(_RECEIPT, key.model, authorizer_of_key(key), receipt, key.state_code, message)
        return await self._ask(sender, request, partial(read_receipt, NFE_DIALECT, access_key=key))

    async def inutilize(self, sender: AuthorityCredentials, signed: bytes) -> Outcome:
        """Voids a range of numbers, at the normal authority of the state: contingency authorities do not."""
        requested = read_inutilization_request(signed)
        authorizer = authorizer_of(requested.model, state_of_code(requested.state_code).code)
        request = SefazRequest(
            _INUTILIZATION, requested.model, authorizer, requested.id, requested.state_code, signed
        )
        return await self._ask(sender, request, partial(read_inutilization, requested=requested))
