"""Refusals of requests: each has a stable code, a message in Portuguese and details.

The kind of a code says what the caller should do; only the API maps kinds to HTTP status codes.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from pydantic import ValidationError

from carimbo.fiscal.body.messages import (
    in_portuguese,
    json_path,
    with_field_names,
    without_short_lists,
)
from carimbo.fiscal.problems import MISSING_FIELD, Problem
from carimbo.service.missing_data import describe_missing

FieldExplainer = Callable[[str, str], str]
"""Takes the path of a field and its error message; returns the message, with advice if there is any."""

_MAX_LISTED = 100
# Describing an error takes pydantic some microseconds, during which the event loop is blocked.
_MAX_DESCRIBED = 10_000


class RefusalKind(Enum):
    """The kind of a refusal."""

    MALFORMED = "the request can't be parsed"
    UNAUTHENTICATED = "the caller is unknown"
    PAYMENT_REQUIRED = "the allowance of the plan is used up"
    FORBIDDEN = "the caller is known, but has no permission"
    NOT_FOUND = "the resource does not exist, or belongs to another subscription"
    WRONG_METHOD = "the resource exists, but not with this method"
    TOO_SLOW = "the request did not arrive in time"
    CONFLICT = "the request contradicts the current state"
    TOO_LARGE = "the body exceeds the limit"
    HEAD_TOO_LARGE = "the headers exceed the limit"
    UNSUPPORTED_MEDIA = "the operation does not read this media type"
    INVALID = "the request was understood, and is invalid"
    THROTTLED = "too many requests"
    BROKEN = "an internal error"
    UNAVAILABLE = "a service that we need does not answer"


@dataclass(frozen=True)
class _Meaning:
    kind: RefusalKind
    message: str
    details: Mapping[str, Any]
    detailed: str | None = None
    """A template for the message of a refusal that has these details."""


def _entry(kind: RefusalKind, message: str, detailed: str | None = None, /, **details: Any) -> _Meaning:
    """Describes a code. `details` is an example for the documentation."""
    return _Meaning(kind, message, details, detailed)


class ErrorCode(Enum):
    """All error codes. The name of a member is the code that callers see."""

    MALFORMED_JSON = _entry(
        RefusalKind.MALFORMED, "O corpo da requisição não é um JSON válido.", line=3, column=14
    )
    MALFORMED_FORM = _entry(
        RefusalKind.MALFORMED,
        "O formulário não pôde ser lido: envie multipart/form-data em UTF-8, com file e, no certificado,"
        " password, e deixe o cliente HTTP escrever o boundary do Content-Type.",
    )
    MALFORMED_REQUEST = _entry(RefusalKind.MALFORMED, "A requisição não segue o protocolo HTTP/1.1.")
    INVALID_API_CREDENTIALS = _entry(
        RefusalKind.UNAUTHENTICATED,
        "Credenciais ausentes ou erradas: confira X-Api-Key e X-Api-Secret.",
    )
    INVALID_SIGN_IN = _entry(RefusalKind.UNAUTHENTICATED, "E-mail ou senha incorretos.")
    DOCUMENT_LIMIT_REACHED = _entry(
        RefusalKind.PAYMENT_REQUIRED,
        "O limite de documentos do plano foi atingido. Quem opera o serviço troca o plano com"
        " carimbo admin set-plan.",
        "O limite de {limit} documentos do plano foi atingido. Quem opera o serviço troca o plano com"
        " carimbo admin set-plan.",
        limit=10,
        used=10,
        resetsAt=None,
    )
    FEATURE_NOT_ENABLED = _entry(
        RefusalKind.FORBIDDEN,
        "Este recurso não está habilitado na assinatura. Quem opera o serviço o habilita com"
        " carimbo admin set-features.",
        "O recurso {feature} não está habilitado na assinatura. Quem opera o serviço o habilita com"
        " carimbo admin set-features.",
        feature="nfceEmission",
    )
    PERMISSION_DENIED = _entry(RefusalKind.FORBIDDEN, "Esta credencial não tem permissão para a operação.")
    CONFIRMATION_REQUIRED = _entry(
        RefusalKind.FORBIDDEN, "Confirme primeiro quem é você: já faz mais de 10 minutos que você entrou."
    )
    LINK_INVALID = _entry(
        RefusalKind.FORBIDDEN,
        "O link expirou ou não é válido: peça outro a quem o enviou. Na API, GET /v1/events traz um novo.",
    )
    NOT_FOUND = _entry(RefusalKind.NOT_FOUND, "Recurso não encontrado.")
    METHOD_NOT_ALLOWED = _entry(RefusalKind.WRONG_METHOD, "Este endereço não aceita o método usado.")
    REQUEST_TIMEOUT = _entry(
        RefusalKind.TOO_SLOW,
        "A requisição demorou demais para chegar inteira: envie-a de novo.",
        limitSeconds=10,
    )
    DUPLICATE_RESOURCE = _entry(
        RefusalKind.CONFLICT,
        "Já existe um registro com este valor: details diz o campo e o id do existente.",
        "Já existe um registro com este {field}: o de id {existingId}.",
        field="taxId",
        existingId="01939c2e-7d3a-7f00-8a5b-0c1d2e3f4a5b",
    )
    IDEMPOTENCY_CONFLICT = _entry(
        RefusalKind.CONFLICT,
        "A Idempotency-Key já identifica outro pedido, que tem outro externalId: envie uma que só este"
        " pedido use.",
        existingId="01939c2e-7d3a-7f00-8a5b-0c1d2e3f4a5b",
    )
    COMPANY_AMBIGUOUS = _entry(
        RefusalKind.CONFLICT, "A assinatura tem mais de uma empresa: use o caminho com o id da empresa."
    )
    INVALID_STATE = _entry(
        RefusalKind.CONFLICT,
        "O documento não está em um estado que permita a operação.",
        currentStatus="processing",
        allowed=["authorized"],
    )
    VERSION_CONFLICT = _entry(
        RefusalKind.CONFLICT,
        "O documento foi alterado por outra requisição: leia-o de novo.",
        currentVersion=3,
    )
    NUMBER_ALREADY_USED = _entry(
        RefusalKind.CONFLICT, "O número já foi usado.", documentId="01939c2e-7d3a-7f00-8a5b-0c1d2e3f4a5b"
    )
    SALE_ALREADY_INVOICED = _entry(
        RefusalKind.CONFLICT,
        "A venda já tem documento emitido: para cancelá-lo, use POST em /cancel-invoice da venda.",
    )
    PAYLOAD_TOO_LARGE = _entry(
        RefusalKind.TOO_LARGE,
        "O corpo da requisição excede o limite.",
        "O corpo da requisição excede o limite de {limitBytes} bytes.",
        limitBytes=4_194_304,
    )
    HEAD_TOO_LARGE = _entry(
        RefusalKind.HEAD_TOO_LARGE,
        "O endereço e os cabeçalhos da requisição excedem o limite.",
        "O endereço e os cabeçalhos da requisição excedem o limite de {limitBytes} bytes.",
        limitBytes=32_768,
    )
    UNSUPPORTED_MEDIA_TYPE = _entry(
        RefusalKind.UNSUPPORTED_MEDIA,
        "O Content-Type do corpo não é o que esta operação lê.",
        expected="application/json",
    )
    VALIDATION_ERROR = _entry(
        RefusalKind.INVALID,
        "Há campos inválidos na requisição.",
        fields=[{"field": "address.zipcode", "error": "CEP inválido: informe 8 dígitos."}],
    )
    CERTIFICATE_MISSING = _entry(
        RefusalKind.INVALID,
        "A empresa não tem certificado digital: envie-o com POST /v1/companies/{companyId}/certificate.",
    )
    CERTIFICATE_EXPIRED = _entry(
        RefusalKind.INVALID,
        "O certificado digital está vencido: envie um em vigor com"
        " POST /v1/companies/{companyId}/certificate.",
        expiresAt="2026-01-31T23:59:59Z",
    )
    CERTIFICATE_INVALID = _entry(RefusalKind.INVALID, "O arquivo não é um certificado A1 utilizável.")
    CERTIFICATE_PASSWORD_INVALID = _entry(RefusalKind.INVALID, "A senha do certificado está incorreta.")
    CERTIFICATE_TAX_ID_MISMATCH = _entry(
        RefusalKind.INVALID,
        "O certificado não pertence ao CNPJ da empresa.",
        companyTaxId="11222333000181",
        certificateTaxId="12ABC34501DE35",
    )
    COMPANY_NOT_READY = _entry(
        RefusalKind.INVALID,
        "Faltam dados da empresa para emitir.",
        "Faltam dados da empresa para emitir: {missing}.",
        missing=["address", "nfce.active"],
    )
    MUNICIPALITY_NOT_SUPPORTED = _entry(
        RefusalKind.INVALID, "O município não emite pelo padrão nacional da NFS-e.", cityCode="3550308"
    )
    FISCAL_RULE_VIOLATION = _entry(
        RefusalKind.INVALID,
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
    AUTHORITY_REJECTED = _entry(
        RefusalKind.INVALID,
        "A autoridade fiscal recusou o pedido.",
        authorityCode="501",
        authorityMessage="Rejeição: Prazo de Cancelamento Superior ao Previsto na Legislação",
        hint="Emita um documento de devolução.",
    )
    CANCELLATION_DEADLINE_EXCEEDED = _entry(
        RefusalKind.INVALID,
        "O prazo de cancelamento já passou.",
        deadline="2026-11-15T15:00:00Z",
        alternative="Emita um documento de devolução.",
    )
    MANIFEST_DEADLINE_EXCEEDED = _entry(
        RefusalKind.INVALID,
        "O prazo da manifestação já passou.",
        deadline="2026-11-15T15:00:00Z",
    )
    RATE_LIMIT_EXCEEDED = _entry(
        RefusalKind.THROTTLED,
        "Limite de requisições excedido: aguarde antes de tentar de novo.",
        retryAfter=2,
    )
    AUTHORITY_THROTTLED = _entry(
        RefusalKind.THROTTLED,
        "Consultar agora faria a autoridade fiscal bloquear a empresa por consumo indevido: aguarde.",
        retryAfter=3600,
    )
    INTERNAL_ERROR = _entry(
        RefusalKind.BROKEN,
        "Erro interno. Informe o identificador da requisição a quem opera o serviço.",
        requestId="01939c2e",
    )
    AUTHORITY_UNAVAILABLE = _entry(
        RefusalKind.UNAVAILABLE, "A autoridade fiscal não respondeu: tente de novo em instantes."
    )
    EMAIL_NOT_CONFIGURED = _entry(
        RefusalKind.UNAVAILABLE,
        "O envio de e-mails não está configurado nesta instalação: quem opera o serviço o configura com"
        " CARIMBO_SMTP_HOST e CARIMBO_EMAIL_FROM.",
    )
    SERVICE_UNAVAILABLE = _entry(
        RefusalKind.UNAVAILABLE, "O serviço está temporariamente indisponível. Tente de novo em instantes."
    )

    @property
    def kind(self) -> RefusalKind:
        return self.value.kind

    @property
    def message(self) -> str:
        return self.value.message

    def message_with(self, details: Mapping[str, Any]) -> str:
        """Returns the message with the details of a refusal, or the general one if details are missing."""
        template, example = self.value.detailed, self.value.details
        if template is None or not example.keys() <= details.keys():
            return self.message
        values = {
            name: describe_missing(value) if name == "missing" else value for name, value in details.items()
        }
        return str(template.format_map(values))

    @property
    def example_details(self) -> Mapping[str, Any]:
        return self.value.details


class Refusal(Exception):
    """Raised when a use case can't be completed; the API answers with its code, message and details."""

    def __init__(self, code: ErrorCode, message: str | None = None, **details: Any) -> None:
        super().__init__(code.name)
        self.code = code
        self.message = message or code.message_with(details)
        self.details: dict[str, Any] | None = details or None


def not_found(message: str) -> Refusal:
    """Returns a refusal with a message that says what was not found."""
    return Refusal(ErrorCode.NOT_FOUND, message)


def _unexplained(path: str, message: str) -> str:
    return message


def invalid_fields(
    errors: Sequence[Any], body: Any = None, explain: FieldExplainer = _unexplained
) -> Refusal:
    """Returns the refusal of invalid fields, from pydantic's errors, with paths in the names of the JSON.

    `body` is the type that was validated: its fields are suggested in place of unknown ones.
    """
    fields = []
    errors = without_short_lists(errors)
    for error in errors[:_MAX_LISTED]:
        path = json_path(error["loc"]) or "body"
        message = in_portuguese(with_field_names(error, body))
        fields.append({"field": path, "error": explain(path, message)})
    if len(fields) == len(errors):
        return Refusal(ErrorCode.VALIDATION_ERROR, fields=fields)
    sentence = f"Há {len(errors)} campos inválidos na requisição; estes são os {len(fields)} primeiros."
    return Refusal(ErrorCode.VALIDATION_ERROR, sentence, fields=fields, omitted=len(errors) - len(fields))


def refuse_countless_errors(invalid: ValidationError) -> None:
    """Refuses a body as a whole if it has too many errors to describe them all in reasonable time."""
    count = invalid.error_count()
    if count > _MAX_DESCRIBED:
        raise invalid_field("body", f"Há {count} erros, demais para listar: confira a estrutura do corpo.")


def invalid_body(
    invalid: ValidationError, body: Any = None, explain: FieldExplainer = _unexplained
) -> Refusal:
    """Returns the refusal of a body with its invalid fields."""
    refuse_countless_errors(invalid)
    return invalid_fields(invalid.errors(), body, explain)


def invalid_field(path: str, error: str) -> Refusal:
    """Returns the refusal of one field by its dotted path, for checks that need the database."""
    return Refusal(ErrorCode.VALIDATION_ERROR, fields=[{"field": path, "error": error}])


def require_no_problems(problems: Iterable[Problem]) -> None:
    """Raises a refusal if there are problems.

    It lists the missing fields, if any, with the broken rules beside them; else it is the first problem that
    is an API error code by itself; else it lists all broken rules.
    """
    broken = tuple(problems)
    fields = [
        {"field": problem.path, "error": problem.message, **dict(problem.facts)}
        for problem in broken
        if problem.code == MISSING_FIELD
    ]
    if fields:
        others = [problem for problem in broken if problem.code != MISSING_FIELD]
        details: dict[str, Any] = {"rules": broken_rules(others)} if others else {}
        raise Refusal(ErrorCode.VALIDATION_ERROR, fields=fields, **details)
    for problem in broken:
        if problem.code in ErrorCode.__members__:
            raise Refusal(ErrorCode[problem.code], problem.message, **dict(problem.facts))
    if broken:
        raise Refusal(ErrorCode.FISCAL_RULE_VIOLATION, rules=broken_rules(broken))


def broken_rules(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    """Returns broken rules in the form of `details.rules`."""
    return [
        {
            "code": problem.code,
            "field": problem.path,
            "message": problem.message,
            "hint": problem.hint,
            **dict(problem.facts),
        }
        for problem in problems
    ]
