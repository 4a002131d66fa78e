"""The NFS-e family: REST and JSON resources of the Sefin Nacional and its data environment."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast
from urllib.parse import parse_qsl

from carimbo.fiscal.tables.statuses import NFSE_STATUSES
from carimbo.simulator.family import CallReply, IncomingCall, RequestContext, ServicePath
from carimbo.simulator.http import TEXT, Reply, Request
from carimbo.simulator.ledger import StoredDocument
from carimbo.simulator.nfse import answers
from carimbo.simulator.nfse.answers import ErrorEntry
from carimbo.simulator.nfse.call import (
    NAMESPACE,
    NOTHING_POSTED,
    PostedXml,
    ResourceCall,
    is_json,
    packed_text,
    unpack_posted,
)
from carimbo.simulator.nfse.resources import MatchedResource, resources_at, resources_of
from carimbo.simulator.nfse.rule_sets import RULE_CODES
from carimbo.simulator.nfse.rules.certificates import SENDER_RULES
from carimbo.simulator.nfse.stored_notes import is_key
from carimbo.simulator.rules import AuthorityVerdict, first_broken
from carimbo.simulator.trust import JudgedCertificate, judged_certificate

_METHODS = frozenset({"GET", "HEAD", "POST"})
_OUT_OF_SERVICE = frozenset({"108", "109"})
# The longest Id, that of an event, has 59 characters; the journal need not hold longer texts.
_MAX_SUBJECT_LENGTH = 100
_SUBJECTS = ("id", "chave", "municipio", "nsu")
"""The parameters of paths that the journal shows as subject."""
_RECIPIENT, _NAME = f"{{{NAMESPACE}}}toma", f"{{{NAMESPACE}}}xNome"
_FREE_TEXTS = [f"{{{NAMESPACE}}}{tag}" for tag in ("xDescServ", "xInfComp", "xMotivo")]
_NO_REVOCATION_LIST = "E1206"
"""The certificate could not be checked now; the same request may succeed later."""
_NOT_JSON = Reply(415, b"Unsupported Media Type", TEXT)
_FAILED = {
    "erros": [
        {
            "Codigo": "RNG9999",
            "Descricao": answers.UNCATALOGED,
            "Complemento": "Ocorreu um erro inesperado.",
        }
    ]
}


@dataclass(frozen=True, slots=True)
class RequestedResource:
    """The resource that a request addresses, with the XML that it posts and its query."""

    matched: MatchedResource
    posted: PostedXml
    query: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ServiceFamily:
    """Service notes (NFS-e)."""

    name: str = "nfse"

    @property
    def methods(self) -> frozenset[str]:
        """The methods of its resources."""
        return _METHODS

    @property
    def codes(self) -> frozenset[str]:
        """The codes of every rule."""
        return RULE_CODES

    def describe(self, service_path: ServicePath, address: str) -> Reply | None:
        """Returns the list of the resources of a service."""
        named = [] if service_path.rest else [resource.name for resource in resources_of(service_path)]
        return Reply(200, "\n".join((*named, "")).encode(), TEXT) if named else None

    def read_call(self, service_path: ServicePath, request: Request) -> IncomingCall | CallReply | None:
        """Finds the resource of a request and unpacks the posted XML."""
        matches = {match.resource.method: match for match in resources_at(service_path)}
        if not matches:
            return None
        if request.method not in matches:
            return CallReply(Reply(405), "", f"Este endereço aceita só {', '.join(matches)}.")

        matched = matches[request.method]
        field = matched.resource.field
        query = {name.lower(): value for name, value in parse_qsl(request.query)}
        if not field:
            return _incoming_call(RequestedResource(matched, NOTHING_POSTED, query))
        if not is_json(request):
            return CallReply(_NOT_JSON, "", "O corpo não diz que é JSON.")
        packed = packed_text(request, field)
        if packed is None:
            return answers.wrong_request({field: ["The field is required."]})
        return _incoming_call(RequestedResource(matched, unpack_posted(packed), query))

    def answer(
        self, service_path: ServicePath, incoming: IncomingCall, request: Request, context: RequestContext
    ) -> CallReply:
        """Checks the certificate of the connection, then lets the resource answer."""
        requested = cast(RequestedResource, incoming.message)
        sender = judged_certificate(request.certificate) if request.certificate else None
        call = _call(requested, service_path, context, sender)
        refusal = first_broken(SENDER_RULES, call, context.controls.rules_off)
        resource = requested.matched.resource
        if refusal:
            status = 400 if refusal.code == _NO_REVOCATION_LIST else 403
            return resource.reject(call, [ErrorEntry.of(refusal)], status)
        return resource.answer(call)

    def refuse(
        self, service_path: ServicePath, incoming: IncomingCall, code: str, context: RequestContext
    ) -> CallReply:
        """Answers with a code; for the codes of an outage the gateway answers."""
        if code in _OUT_OF_SERVICE:
            return answers.out_of_service(code)
        requested = cast(RequestedResource, incoming.message)
        return requested.matched.resource.reject(
            _call(requested, service_path, context), [ErrorEntry.of(AuthorityVerdict(code))]
        )

    def can_refuse_with(self, code: str) -> bool:
        """Returns whether a code is an NFS-e error (`E...`) or means that the authority is out of service."""
        return code in _OUT_OF_SERVICE or (code.startswith("E") and code in NFSE_STATUSES)

    def fail(self) -> Reply:
        """Returns an unexpected error, in JSON."""
        return answers.reply(500, _FAILED)

    def archived_document(self, document: StoredDocument) -> bytes | None:
        """Returns the `NFSe` of a document, or None if it is not an NFS-e."""
        return document.protocol_xml if is_key(document.access_key) else None


def _incoming_call(requested: RequestedResource) -> IncomingCall:
    parameters, posted = requested.matched.parameters, requested.posted
    named = next((parameters[name] for name in _SUBJECTS if name in parameters), "")
    return IncomingCall(
        service=requested.matched.resource.name,
        subject=(posted.id or named)[:_MAX_SUBJECT_LENGTH],
        texts=tuple(_texts(posted)),
        message=requested,
        keys=tuple(key for key in parameters.values() if is_key(key)),
    )


def _texts(posted: PostedXml) -> Iterator[str]:
    """Yields the free texts, which may hold triggers: taker's name, description, notes, reasons."""
    if posted.root is None:
        return
    for node in posted.root.iter(_RECIPIENT, *_FREE_TEXTS):
        text = node.findtext(_NAME) if node.tag == _RECIPIENT else node.text
        if text:
            yield text


def _call(
    requested: RequestedResource,
    service_path: ServicePath,
    context: RequestContext,
    sender: JudgedCertificate | None = None,
) -> ResourceCall:
    return ResourceCall(
        service_path=service_path,
        context=context,
        sender=sender,
        parameters=requested.matched.parameters,
        query=requested.query,
        posted=requested.posted,
    )


NFSE = ServiceFamily()
