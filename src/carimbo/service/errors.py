"""Every refusal that a caller can get: a kind, a stable code and a Portuguese sentence.

Kinds say what the caller should do; only the API turns them into HTTP numbers.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from pydantic import ValidationError

from carimbo.fiscal.field_messages import in_portuguese, json_path
from carimbo.fiscal.known_fields import with_known_names
from carimbo.service.missing_data import in_words

Explain = Callable[[str, str], str]
"""Returns the message about a field, given by its path, with more about the field if there is any."""

_MOST_TOLD = 100
# Each takes pydantic some microseconds to describe, during which nobody else is served.
_MOST_DESCRIBED = 10_000


class Kind(Enum):
    """What sort of refusal it is."""

    MALFORMED = "the request can't be read"
    UNAUTHENTICATED = "who is asking is not known"
    PAYMENT_REQUIRED = "the plan is spent"
    FORBIDDEN = "known, but not allowed"
    NOT_FOUND = "no such thing, or not this subscription's"
    WRONG_METHOD = "the thing exists, the verb does not"
    TOO_SLOW = "the request did not arrive in time"
    CONFLICT = "it contradicts the present state"
    TOO_LARGE = "more than we read"
    HEAD_TOO_LARGE = "more headers than we read"
    UNSUPPORTED_MEDIA = "not the media type that is read here"
    INVALID = "understood, and wrong"
    THROTTLED = "too often"
    BROKEN = "our fault"
    UNAVAILABLE = "something that we need does not answer"


@dataclass(frozen=True)
class _Meaning:
    kind: Kind
    message: str
    details: Mapping[str, Any]
    detailed: str | None = None
    """The message of a refusal that has these details, as a template that they fill."""


def _means(kind: Kind, message: str, detailed: str | None = None, /, **details: Any) -> _Meaning:
    """Describe a code; `details` is an example of what comes with it, for the documentation."""
    return _Meaning(kind, message, details, detailed)


class Code(Enum):
    """The catalogue: the member's name is the code that callers see."""

    MALFORMED_JSON = _means(Kind.MALFORMED, "O corpo da requisição não é um JSON válido.", line=3, column=14)
    MALFORMED_FORM = _means(
        Kind.MALFORMED,
        "O formulário não pôde ser lido: envie multipart/form-data em UTF-8, com file e, no certificado,"
        " password, e deixe o cliente HTTP escrever o boundary do Content-Type.",
    )
    MALFORMED_REQUEST = _means(Kind.MALFORMED, "A requisição não segue o protocolo HTTP/1.1.")
    INVALID_API_CREDENTIALS = _means(
        Kind.UNAUTHENTICATED,
        "Credenciais ausentes ou erradas: confira X-Api-Key e X-Api-Secret.",
    )
    DOCUMENT_LIMIT_REACHED = _means(
        Kind.PAYMENT_REQUIRED,
        "O limite de documentos do plano foi atingido. Quem opera o serviço troca o plano com"
        " carimbo admin set-plan.",
        "O limite de {limit} documentos do plano foi atingido. Quem opera o serviço troca o plano com"
        " carimbo admin set-plan.",
        limit=10,
        used=10,
        resetsAt=None,
    )
    FEATURE_NOT_ENABLED = _means(
        Kind.FORBIDDEN,
        "Este recurso não está habilitado na assinatura. Quem opera o serviço o habilita com"
        " carimbo admin set-features.",
        "O recurso {feature} não está habilitado na assinatura. Quem opera o serviço o habilita com"
        " carimbo admin set-features.",
        feature="nfceEmission",
    )
    PERMISSION_DENIED = _means(Kind.FORBIDDEN, "Esta credencial não tem permissão para a operação.")
    LINK_INVALID = _means(
        Kind.FORBIDDEN,
        "O link expirou ou não é válido: peça outro a quem o enviou. Na API, GET /v1/events traz um novo.",
    )
    NOT_FOUND = _means(Kind.NOT_FOUND, "Recurso não encontrado.")
    METHOD_NOT_ALLOWED = _means(Kind.WRONG_METHOD, "Este endereço não aceita o método usado.")
    REQUEST_TIMEOUT = _means(
        Kind.TOO_SLOW, "A requisição demorou demais para chegar inteira: envie-a de novo.", limitSeconds=10
    )
    DUPLICATE_RESOURCE = _means(
        Kind.CONFLICT,
        "Já existe um registro com este valor: details diz o campo e o id do existente.",
        "Já existe um registro com este {field}: o de id {existingId}.",
        field="taxId",
        existingId="01939c2e-7d3a-7f00-8a5b-0c1d2e3f4a5b",
    )
    IDEMPOTENCY_CONFLICT = _means(
        Kind.CONFLICT,
        "A Idempotency-Key já identifica outro pedido, que tem outro externalId: envie uma que só este"
        " pedido use.",
        existingId="01939c2e-7d3a-7f00-8a5b-0c1d2e3f4a5b",
    )
    COMPANY_AMBIGUOUS = _means(
        Kind.CONFLICT, "A assinatura tem mais de uma empresa: use o caminho com o id da empresa."
    )
    INVALID_STATE = _means(
        Kind.CONFLICT,
        "O documento não está em um estado que permita a operação.",
        currentStatus="processing",
        allowed=["authorized"],
    )
    VERSION_CONFLICT = _means(
        Kind.CONFLICT, "O documento foi alterado por outra requisição: leia-o de novo.", currentVersion=3
    )
    NUMBER_ALREADY_USED = _means(
        Kind.CONFLICT, "O número já foi usado.", documentId="01939c2e-7d3a-7f00-8a5b-0c1d2e3f4a5b"
    )
    SALE_ALREADY_INVOICED = _means(
        Kind.CONFLICT,
        "A venda já tem documento emitido: para cancelá-lo, use POST em /cancel-invoice da venda.",
    )
    PAYLOAD_TOO_LARGE = _means(
        Kind.TOO_LARGE,
        "O corpo da requisição excede o limite.",
        "O corpo da requisição excede o limite de {limitBytes} bytes.",
        limitBytes=4_194_304,
    )
    HEAD_TOO_LARGE = _means(
        Kind.HEAD_TOO_LARGE,
        "O endereço e os cabeçalhos da requisição excedem o limite.",
        "O endereço e os cabeçalhos da requisição excedem o limite de {limitBytes} bytes.",
        limitBytes=32_768,
    )
    UNSUPPORTED_MEDIA_TYPE = _means(
        Kind.UNSUPPORTED_MEDIA,
        "O Content-Type do corpo não é o que esta operação lê.",
        expected="application/json",
    )
    VALIDATION_ERROR = _means(
        Kind.INVALID,
        "Há campos inválidos na requisição.",
        fields=[{"field": "address.zipcode", "error": "CEP inválido: informe 8 dígitos."}],
    )
    CERTIFICATE_MISSING = _means(
        Kind.INVALID,
        "A empresa não tem certificado digital: envie-o com POST /v1/companies/{companyId}/certificate.",
    )
    CERTIFICATE_EXPIRED = _means(
        Kind.INVALID,
        "O certificado digital está vencido: envie um em vigor com"
        " POST /v1/companies/{companyId}/certificate.",
        expiresAt="2026-01-31T23:59:59Z",
    )
    CERTIFICATE_INVALID = _means(Kind.INVALID, "O arquivo não é um certificado A1 utilizável.")
    CERTIFICATE_PASSWORD_INVALID = _means(Kind.INVALID, "A senha do certificado está incorreta.")
    CERTIFICATE_TAX_ID_MISMATCH = _means(
        Kind.INVALID,
        "O certificado não pertence ao CNPJ da empresa.",
        companyTaxId="11222333000181",
        certificateTaxId="12ABC34501DE35",
    )
    COMPANY_NOT_READY = _means(
        Kind.INVALID,
        "Faltam dados da empresa para emitir.",
        "Faltam dados da empresa para emitir: {missing}.",
        missing=["address", "nfce.active"],
    )
    MUNICIPALITY_NOT_SUPPORTED = _means(
        Kind.INVALID, "O município não emite pelo padrão nacional da NFS-e.", cityCode="3550308"
    )
    FISCAL_RULE_VIOLATION = _means(
        Kind.INVALID,
        "O documento viola regras fiscais.",
        rules=[
            {
                "code": "778",
                "field": "items[0].ncm",
                "message": "NCM inexistente.",
                "hint": "Confira o NCM do item na tabela vigente.",
            }
        ],
    )
    AUTHORITY_REJECTED = _means(
        Kind.INVALID,
        "A autoridade fiscal recusou o pedido.",
        authorityCode="501",
        authorityMessage="Rejeição: Prazo de Cancelamento Superior ao Previsto na Legislação",
        hint="Emita um documento de devolução.",
    )
    CANCELLATION_DEADLINE_EXCEEDED = _means(
        Kind.INVALID,
        "O prazo de cancelamento já passou.",
        deadline="2026-11-15T15:00:00Z",
        alternative="Emita um documento de devolução.",
    )
    RATE_LIMIT_EXCEEDED = _means(
        Kind.THROTTLED, "Limite de requisições excedido: aguarde antes de tentar de novo.", retryAfter=2
    )
    AUTHORITY_THROTTLED = _means(
        Kind.THROTTLED,
        "Consultar agora faria a autoridade fiscal bloquear a empresa por consumo indevido: aguarde.",
        retryAfter=3600,
    )
    INTERNAL_ERROR = _means(
        Kind.BROKEN,
        "Erro interno. Informe o identificador da requisição a quem opera o serviço.",
        requestId="01939c2e",
    )
    AUTHORITY_UNAVAILABLE = _means(
        Kind.UNAVAILABLE, "A autoridade fiscal não respondeu: tente de novo em instantes."
    )
    EMAIL_NOT_CONFIGURED = _means(
        Kind.UNAVAILABLE,
        "O envio de e-mails não está configurado nesta instalação: quem opera o serviço o configura com"
        " CARIMBO_SMTP_HOST e CARIMBO_EMAIL_FROM.",
    )
    SERVICE_UNAVAILABLE = _means(
        Kind.UNAVAILABLE, "O serviço está temporariamente indisponível. Tente de novo em instantes."
    )

    @property
    def kind(self) -> Kind:
        return self.value.kind

    @property
    def message(self) -> str:
        return self.value.message

    def message_with(self, details: Mapping[str, Any]) -> str:
        """Returns the message filled with the details of a refusal, or the general one if they don't fit."""
        template, example = self.value.detailed, self.value.details
        if template is None or not example.keys() <= details.keys():
            return self.message
        shown = {name: in_words(value) if name == "missing" else value for name, value in details.items()}
        return str(template.format_map(shown))

    @property
    def example_details(self) -> Mapping[str, Any]:
        return self.value.details


class Refusal(Exception):
    """A use case can't go on, and the caller is told why."""

    def __init__(self, code: Code, message: str | None = None, **details: Any) -> None:
        super().__init__(code.name)
        self.code = code
        self.message = message or code.message_with(details)
        self.details: dict[str, Any] | None = details or None


def not_found(message: str) -> Refusal:
    """Refuse with a sentence that says what is missing."""
    return Refusal(Code.NOT_FOUND, message)


def _as_it_is(path: str, message: str) -> str:
    return message


def invalid_fields(errors: Sequence[Any], body: Any = None, explain: Explain = _as_it_is) -> Refusal:
    """Refuse the fields that pydantic found wrong, by their paths in the caller's own names.

    `body` is the type that was validated: its fields are suggested in place of unknown ones.
    """
    fields = []
    for error in errors[:_MOST_TOLD]:
        path = json_path(error["loc"]) or "body"
        message = in_portuguese(with_known_names(error, body))
        fields.append({"field": path, "error": explain(path, message)})
    if len(fields) == len(errors):
        return Refusal(Code.VALIDATION_ERROR, fields=fields)
    sentence = f"Há {len(errors)} campos inválidos na requisição; estes são os {len(fields)} primeiros."
    return Refusal(Code.VALIDATION_ERROR, sentence, fields=fields, omitted=len(errors) - len(fields))


def refuse_chaos(invalid: ValidationError) -> None:
    """Refuse as a whole a body in which more is wrong than can be described in good time."""
    wrong = invalid.error_count()
    if wrong > _MOST_DESCRIBED:
        raise invalid_field("body", f"Há {wrong} erros, demais para listar: confira a estrutura do corpo.")


def invalid_body(invalid: ValidationError, body: Any = None, explain: Explain = _as_it_is) -> Refusal:
    """Refuse a body by the fields that are wrong in it."""
    refuse_chaos(invalid)
    return invalid_fields(invalid.errors(), body, explain)


def invalid_field(path: str, error: str) -> Refusal:
    """Refuse one field by its dotted path, for what only the stored state can tell."""
    return Refusal(Code.VALIDATION_ERROR, fields=[{"field": path, "error": error}])
