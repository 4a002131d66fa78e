"""Makes the draft of the document that returns the goods of a received one."""

from carimbo.fiscal.problems import Incomplete, Problem
from carimbo.fiscal.receiving import ReturnDraftRequest, Situation, UnreadFile
from carimbo.service.contexts import IssuingContext
from carimbo.service.errors import ErrorCode, Refusal, broken_rules
from carimbo.service.issuing.accept import Accepted, DocumentOrder, accept
from carimbo.service.json_values import write_json
from carimbo.service.receiving.queries import ReceivedReference, require_received
from carimbo.service.receiving.whole_xml import require_whole_xml
from carimbo.storage.companies import CompanyRow
from carimbo.storage.subscriptions import Subscription

_NOT_BOUGHT = "Só se devolve o que a empresa comprou, em uma nota que não foi cancelada nem denegada."
_OTHER_ENVIRONMENT = "O documento é do outro ambiente: nele a empresa não emite agora."
_BY_HAND = (
    "Se é uma devolução, emita-a com POST …/nfe: purpose return e, em cada item, items[].referencedItem com a"
    " chave (accessKey) e o número do item (position) da nota."
)


async def draft_return(
    context: IssuingContext,
    subscription: Subscription,
    company: CompanyRow,
    which: ReceivedReference,
    chosen: ReturnDraftRequest,
    idempotency_key: str | None,
) -> Accepted:
    """Stores the draft of a return, which a person reviews, changes and emits. Raises Refusal."""
    document_type = which.document_type
    return_draft = which.receiving.return_draft
    if return_draft is None:
        raise LookupError(f"{document_type.name} has no returns")
    async with context.database.autocommit(subscription.id) as tenant:
        row = await require_received(tenant, which)
        xml = await require_whole_xml(tenant, row)
    if row.role != which.receiving.responds_as or not Situation(row.situation).is_valid:
        raise Refusal(ErrorCode.INVALID_STATE, _NOT_BOUGHT, currentStatus=row.status, allowed=[])
    snapshot = await context.snapshots.of(subscription.id, company.id, company.revision)
    if row.environment != snapshot.environment_of(document_type):
        raise Refusal(ErrorCode.INVALID_STATE, _OTHER_ENVIRONMENT, currentStatus=row.status, allowed=[])
    try:
        body = return_draft(xml, snapshot.company, chosen)
        request = document_type.issuing.request.model_validate(body)
    except UnreadFile as error:
        problem = Problem("RETURN_NOT_POSSIBLE", "id", str(error), _BY_HAND)
        raise Refusal(ErrorCode.FISCAL_RULE_VIOLATION, rules=broken_rules((problem,))) from error
    except Incomplete as incomplete:
        fields = [{"field": problem.path, "error": problem.message} for problem in incomplete.problems]
        raise Refusal(ErrorCode.VALIDATION_ERROR, fields=fields) from incomplete
    order = DocumentOrder(
        subscription,
        company,
        document_type,
        request,
        write_json(body),
        idempotency_key,
        is_draft=True,
    )
    return await accept(context, order)
