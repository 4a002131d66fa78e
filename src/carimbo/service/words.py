"""The Portuguese words for stored values, the same on pages and in exported files."""

from collections.abc import Mapping, Sequence
from datetime import date

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.lifecycle import Status
from carimbo.fiscal.parties.company import IbsCbsRegime, PisCofinsRegime, TaxRegime
from carimbo.fiscal.receiving import PENDING, Role, Situation
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.actors import ActorRecord
from carimbo.service.catalog.product_bodies import ProductType
from carimbo.service.delivery.attempt import DeliveryStatus
from carimbo.service.document_types import find_document_type, received_type_like, receiving_of_type
from carimbo.service.filing.gaps import GapReason
from carimbo.service.filing.outcome import FilingStatus
from carimbo.service.issuing.routes import ContingencyMode
from carimbo.service.people.roles import MemberRole
from carimbo.service.people.sessions import SignInMethod
from carimbo.service.receiving.record import ReceivedRecord
from carimbo.service.receiving.stream_warnings import ACTIVE, BLOCKED, PARKED, REFUSED, STOPPED, WAITING
from carimbo.service.sales.body import EmitWhen
from carimbo.service.sales.record import SaleStatus
from carimbo.storage.actors import ActorKind
from carimbo.storage.imports import ImportKind, ImportState
from carimbo.storage.work import WorkKind

_MONTHS = (
    "janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto", "setembro", "outubro",
    "novembro", "dezembro",
)  # fmt: skip
DOCUMENT_STATUSES: Mapping[str, str] = {
    Status.PENDING: "Rascunho",
    Status.PROCESSING: "Em processamento",
    Status.AUTHORIZED: "Autorizado",
    Status.REJECTED: "Rejeitado",
    Status.CANCELED: "Cancelado",
}
SALE_STATUSES: Mapping[str, str] = {
    SaleStatus.DRAFT: "Rascunho",
    SaleStatus.SCHEDULED: "Agendada",
    SaleStatus.PROCESSING: "Em emissão",
    SaleStatus.INVOICED: "Faturada",
    SaleStatus.PARTIALLY_INVOICED: "Faturada em parte",
    SaleStatus.FAILED: "Rejeitada",
    SaleStatus.CANCELED: "Cancelada",
}
EMISSIONS: Mapping[str, str] = {
    EmitWhen.IMMEDIATELY: "Na hora da venda",
    EmitWhen.MANUAL: "Só quando alguém mandar",
    EmitWhen.AFTER_GUARANTEE: "Depois da garantia",
}
"""When the documents of a sale are issued."""
SITUATIONS: Mapping[str, str] = {
    Situation.AUTHORIZED: "Autorizado",
    Situation.CORRECTED: "Corrigido",
    Situation.CANCELED: "Cancelado",
    Situation.DENIED: "Denegado",
}
COMPANY_ROLES: Mapping[str, str] = {
    Role.RECIPIENT: "Destinatária",
    Role.TAKER: "Tomadora",
    Role.INTERMEDIARY: "Intermediária",
    Role.SHIPPER: "Remetente",
    Role.CARRIER: "Transportadora",
    Role.AUTHORIZED: "Autorizada a ler",
    Role.ISSUER: "Emitente",
    Role.OTHER: "Outro papel",
}
"""The roles of the company in received documents."""
PERSON_ROLES: Mapping[str, str] = {
    MemberRole.OWNER: "Proprietário",
    MemberRole.ADMIN: "Administrador",
    MemberRole.ISSUER: "Emissor",
    MemberRole.ACCOUNTANT: "Contador",
    MemberRole.VIEWER: "Leitor",
}
ENVIRONMENTS: Mapping[str, str] = {
    Environment.PRODUCTION: "Produção",
    Environment.HOMOLOGATION: "Homologação",
}
EMISSION_TYPES: Mapping[str, str] = {
    EmissionType.NORMAL: "Normal",
    EmissionType.OFFLINE_MANIFEST: "Emissão sem conexão",
    EmissionType.NFF: "Nota Fiscal Fácil",
    EmissionType.EPEC: "EPEC",
    EmissionType.FS_DA: "Formulário de segurança",
    EmissionType.SVC_AN: "SEFAZ Virtual de Contingência do Ambiente Nacional",
    EmissionType.SVC_RS: "SEFAZ Virtual de Contingência do Rio Grande do Sul",
    EmissionType.SVC_SP: "SEFAZ Virtual de Contingência de São Paulo",
    EmissionType.OFFLINE: "Emissão sem conexão",
}
CONTINGENCY_MODES: Mapping[str, str] = {
    ContingencyMode.AUTOMATIC: "Automática",
    ContingencyMode.FORCED: "Forçada",
    ContingencyMode.FORBIDDEN: "Proibida",
}
ITEM_TYPES: Mapping[str, str] = {
    ProductType.SERVICE: "Serviço",
    ProductType.PRODUCT: "Produto",
    ProductType.SPLIT: "Item dividido",
}
INUTILIZATION_STATUSES: Mapping[str, str] = {
    FilingStatus.PROCESSING: "Em processamento",
    FilingStatus.AUTHORIZED: "Inutilizada",
    FilingStatus.REJECTED: "Recusada",
}
DELIVERY_STATUSES: Mapping[str, str] = {
    DeliveryStatus.PENDING: "Na fila",
    DeliveryStatus.DELIVERED: "Entregue",
    DeliveryStatus.FAILED: "Não entregue",
}
GAP_REASONS: Mapping[str, str] = {
    GapReason.NEVER_SENT: "Pulado na sequência: nenhum documento foi enviado.",
    GapReason.UNKNOWN_TO_AUTHORITY: "O documento foi assinado e não chegou à SEFAZ.",
    GapReason.ABANDONED_REJECTION: "O documento com este número foi rejeitado.",
    GapReason.UNKNOWN_FATE: "Ainda não se sabe se a SEFAZ tem um documento com este número.",
    GapReason.AUTHORIZED_TWICE: (
        "A SEFAZ autorizou o documento com este número e também o que o substituiu. O cancelamento deste não"
        " foi registrado."
    ),
}
TAX_REGIMES: Mapping[str, str] = {
    TaxRegime.SIMPLES: "Simples Nacional",
    TaxRegime.SIMPLES_EXCESS: "Simples Nacional, acima do sublimite",
    TaxRegime.NORMAL: "Regime normal (lucro presumido ou real)",
    TaxRegime.MEI: "MEI",
}
PIS_COFINS_REGIMES: Mapping[str, str] = {
    PisCofinsRegime.CUMULATIVE: "Cumulativo (0,65% e 3%)",
    PisCofinsRegime.NON_CUMULATIVE: "Não cumulativo (1,65% e 7,6%)",
}
IBS_CBS_REGIMES: Mapping[str, str] = {
    IbsCbsRegime.DAS: "Os dois no DAS",
    IbsCbsRegime.MIXED: "CBS no DAS, IBS fora dele",
    IbsCbsRegime.REGULAR: "Os dois fora do DAS",
}
STREAM_STATUSES: Mapping[str, str] = {
    ACTIVE: "Acompanhando",
    STOPPED: "Não acompanha",
    WAITING: "Parado: falta o certificado ou o ambiente",
    BLOCKED: "Bloqueado pela autoridade",
    REFUSED: "A autoridade recusou o certificado",
    PARKED: "Parado por falhas",
}
WORK_KINDS: Mapping[str, str] = {
    WorkKind.DOCUMENT: "Documento",
    WorkKind.EVENT: "Evento",
    WorkKind.INUTILIZATION: "Inutilização",
    WorkKind.SUPERSEDED: "Tentativa substituída",
    WorkKind.SALE: "Venda",
    WorkKind.MANIFESTATION: "Manifestação",
    WorkKind.RECEPTION: "Leitura de recebidos",
    WorkKind.STREAM: "Distribuição de recebidos",
    WorkKind.EMAIL: "E-mail",
    WorkKind.IMPORT: "Importação de CSV",
}
IMPORT_KINDS: Mapping[str, str] = {
    ImportKind.CUSTOMERS: "Clientes",
    ImportKind.PRODUCTS: "Produtos e serviços",
    ImportKind.SALES: "Vendas",
}
IMPORT_STATES: Mapping[str, str] = {
    ImportState.PROCESSING: "Em andamento",
    ImportState.FINISHED: "Concluída",
    ImportState.CANCELED: "Cancelada",
}
SIGN_IN_METHODS: Mapping[str, str] = {
    SignInMethod.PASSWORD: "senha",
    SignInMethod.PASSKEY: "chave de acesso",
    SignInMethod.LINK: "link",
}
UNREADABLE_COMPANY = (
    "Parte dos dados guardados desta empresa não pôde ser lida, e ela não emite assim. Avise quem opera o"
    " serviço."
)
_AUTHORITIES: Mapping[str, str] = {
    "SEFIN": "Sefin Nacional (NFS-e)",
    "SVAN": "SEFAZ Virtual do Ambiente Nacional",
    "SVRS": "SEFAZ Virtual do Rio Grande do Sul",
    "SVSP": "SEFAZ Virtual de São Paulo",
    "SVCAN": "SEFAZ Virtual de Contingência do Ambiente Nacional",
    "SVCRS": "SEFAZ Virtual de Contingência do Rio Grande do Sul",
}
_ACTORS: Mapping[str, str] = {
    ActorKind.PERSON: "uma pessoa",
    ActorKind.CREDENTIAL: "credencial da API",
    ActorKind.AGENT: "agente",
    ActorKind.SCHEDULE: "o próprio serviço",
}


def word_for(words: Mapping[str, str], value: str | None) -> str | None:
    """Returns the word for a value; the value itself if it has none, as in a row of a newer release."""
    return None if value is None else words.get(value, value)


def enumeration(names: Sequence[str], conjunction: str = "e") -> str:
    """Returns names as in a sentence: `NF-e, NFC-e e CT-e`."""
    return f" {conjunction} ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def emission_type_name(emission_type: str) -> str:
    """Returns how a document was issued in contingency."""
    return EMISSION_TYPES.get(emission_type, emission_type)


def month_name(month: date) -> str:
    """Returns a month as `novembro de 2026`."""
    return f"{_MONTHS[month.month - 1]} de {month.year}"


def actor_name(actor: ActorRecord) -> str:
    """Returns the name of an actor, or the words for its kind if it has none."""
    return actor.name or _ACTORS.get(actor.kind, str(actor.kind))


def authority_name(authorizer: str) -> str:
    """Returns the name of an authority; those of a state have its letters."""
    return _AUTHORITIES.get(authorizer, f"SEFAZ {authorizer}")


def feature_name(feature: str) -> str:
    """Returns the name of the first type that a feature of a subscription allows to issue."""
    titles = (document_type.title for document_type in DOCUMENT_TYPES if document_type.feature == feature)
    return next(titles, feature)


def manifestation_words(document_type: DocumentType) -> Mapping[str, str]:
    """Returns the words for what a company can say about received documents of a type."""
    kinds = receiving_of_type(document_type).responses
    return {PENDING: "Sem manifestação"} | {kind.name: kind.description for kind in kinds}


def manifestation_word(received: ReceivedRecord) -> str:
    """Returns what a company said about a received document, or that it need not say anything."""
    named = find_document_type(received.type)
    document_type = named and received_type_like(named)
    if document_type is None:
        return received.status
    if received.status == PENDING and received.role != receiving_of_type(document_type).responds_as:
        return "Não cabe manifestação"
    return manifestation_words(document_type).get(received.status, received.status)
