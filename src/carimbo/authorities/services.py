"""The services of NF-e and NFC-e (MOC 7.0, layout 4.00): names in SOAP, and how often they are asked."""

from dataclasses import dataclass

from carimbo.authorities import pacing
from carimbo.fiscal import soap


@dataclass(frozen=True, slots=True)
class Service:
    """A service by its official name, with the operation that we call."""

    name: str
    operation: str
    most_hourly: int | None = None
    """Calls about the same subject."""
    most_seconds: float | None = None
    """For the whole exchange; None where the usual patience is right."""
    is_wrapped: bool = False
    """Whether the message stands in an element of the operation's name, as in the distribution."""

    @property
    def namespace(self) -> str:
        """Namespace of the wrapper."""
        return f"http://www.portalfiscal.inf.br/nfe/wsdl/{self.name}"

    @property
    def action(self) -> str:
        """SOAP action, which some hosts find the operation by."""
        return f"{self.namespace}/{self.operation}"

    def envelope(self, message: bytes) -> bytes:
        """The message as this service takes it."""
        if self.is_wrapped:
            return soap.envelope(
                self.namespace, b"<nfeDadosMsg>" + message + b"</nfeDadosMsg>", self.operation
            )
        return soap.envelope(self.namespace, message)


AUTHORIZATION = Service("NFeAutorizacao4", "nfeAutorizacaoLote", pacing.SAME_DOCUMENT)
RECEIPT = Service("NFeRetAutorizacao4", "nfeRetAutorizacaoLote", pacing.SAME_RECEIPT)
CONSULT = Service("NFeConsultaProtocolo4", "nfeConsultaNF", pacing.SAME_KEY)
# A person waits for it, and an authority that takes longer is not in good health: that is the answer.
STATUS = Service("NFeStatusServico4", "nfeStatusServicoNF", most_seconds=5)
INUTILIZATION = Service("NFeInutilizacao4", "nfeInutilizacaoNF", pacing.SAME_INUTILIZATION)
EVENT = Service("NFeRecepcaoEvento4", "nfeRecepcaoEvento", pacing.SAME_EVENT)
# The national environment has another name for the operation than the states.
NATIONAL_EVENT = Service("NFeRecepcaoEvento4", "nfeRecepcaoEventoNF", pacing.SAME_EVENT)
DISTRIBUTION = Service("NFeDistribuicaoDFe", "nfeDistDFeInteresse", is_wrapped=True)
SINGLE_DISTRIBUTION = Service(
    "NFeDistribuicaoDFe", "nfeDistDFeInteresse", pacing.SINGLE_DISTRIBUTION, is_wrapped=True
)
