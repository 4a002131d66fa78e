"""Where anyone may see an NFS-e by its key."""

from carimbo.fiscal.environment import Environment

_HOSTS = {
    Environment.PRODUCTION.code: "www.nfse.gov.br",
    Environment.HOMOLOGATION.code: "www.producaorestrita.nfse.gov.br",
}


def consult_address(access_key: str, environment: str) -> str:
    """The address that the QR code holds (NT 008, 2.4.5)."""
    return f"https://{_HOSTS[environment]}/ConsultaPublica/?tpc=1&chave={access_key}"
