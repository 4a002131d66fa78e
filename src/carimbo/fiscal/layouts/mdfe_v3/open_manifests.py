"""The query of a company's open manifests (MDFeConsNaoEnc), and its answer."""

from carimbo.fiscal.identity.tax_ids import is_cpf
from carimbo.fiscal.layouts.mdfe_v3.dialect import MDFE_DIALECT
from carimbo.fiscal.layouts.sefaz.answer_part import PROTOCOL, SefazPart, find_judged_answer
from carimbo.fiscal.layouts.sefaz.messages import message
from carimbo.fiscal.layouts.sefaz.verdicts import refused_question
from carimbo.fiscal.open_documents import OpenDocument
from carimbo.fiscal.outcome import NotJudged, Throttled, Unavailable
from carimbo.fiscal.tables.statuses import Action

_SERVICE = "<xServ>CONSULTAR NÃO ENCERRADOS</xServ>"


def open_manifests_query(environment: str, tax_id: str) -> bytes:
    """Asks for the open manifests of an issuer."""
    tag = "CPF" if is_cpf(tax_id) else "CNPJ"
    content = f"<tpAmb>{environment}</tpAmb>{_SERVICE}<{tag}>{tax_id}</{tag}>"
    return message(MDFE_DIALECT, "consMDFeNaoEnc", content.encode())


def read_open_manifests(body: bytes) -> tuple[OpenDocument, ...] | Unavailable | Throttled | NotJudged:
    """Reads the open manifests of an issuer; those without key or protocol are left out."""
    answer = find_judged_answer(MDFE_DIALECT, body, "retConsMDFeNaoEnc")
    if isinstance(answer, NotJudged):
        return answer
    if answer.action is Action.NOTHING_FOUND:
        return ()
    if answer.action is not Action.FOUND:
        return refused_question(answer)
    manifests = map(_open_manifest, answer.parts("infMDFe"))
    return tuple(manifest for manifest in manifests if manifest)


def _open_manifest(part: SefazPart) -> OpenDocument | None:
    key, protocol = part.access_key, part.matching("nProt", PROTOCOL)
    return OpenDocument(key, protocol) if key and protocol else None
