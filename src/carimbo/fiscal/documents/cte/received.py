"""CT-e of other issuers, and what their taker can declare about them.

One sequence distributes CT-e and CT-e OS.
"""

from dataclasses import replace
from datetime import timedelta
from functools import partial

from carimbo.fiscal.body.fields import Body
from carimbo.fiscal.documents.cte.received_content import amounts, details
from carimbo.fiscal.documents.cte.received_file import SCHEMAS_OF_ROOTS, read
from carimbo.fiscal.event_forms import JUSTIFICATION, event_form
from carimbo.fiscal.layouts.cte_v4.dialect import CTE_DIALECT, DISAGREEMENT, DISAGREEMENT_CANCELLATION
from carimbo.fiscal.layouts.sefaz.distribution import read_distribution
from carimbo.fiscal.received_signatures import check_issuer_signature
from carimbo.fiscal.receiving import Receiving, ResponseKind, ResponseRoute, Role
from carimbo.fiscal.transport.disagreement import DisagreementRequest, disagree, withdraw_disagreement
from carimbo.fiscal.transport.events import registered

_DISAGREED = "disagreed"
_TERM = timedelta(days=45)
_TOO_LATE = frozenset({"787"})
_MAX_EVENTS = 20
_PATH = "/disagreement"


class WithdrawalRequest(Body):
    """The withdrawal of the newest disagreement, which has no fields."""


RECEIVING = Receiving(
    service="cte",
    collection="received-ctes",
    event_prefix="receivedCte",
    read_page=partial(read_distribution, CTE_DIALECT),
    read=read,
    imported_schemas=SCHEMAS_OF_ROOTS,
    unknown_nsu_codes=frozenset({"589"}),
    check_signatures=partial(check_issuer_signature, ("CTe", "CTeOS", "CTeSimp")),
    responds_as=Role.TAKER,
    responses=(
        ResponseKind(
            name=_DISAGREED,
            code=DISAGREEMENT,
            description="Prestação do serviço em desacordo",
            action="Registrar desacordo",
            explanation=(
                "A empresa diz à SEFAZ que o serviço não foi prestado como o CT-e diz, e com isso o"
                " transportador pode substituí-lo."
            ),
            form=event_form(DisagreementRequest, replace(JUSTIFICATION, label="O que difere do combinado")),
            request=DisagreementRequest,
            route=ResponseRoute("POST", _PATH, "disagreeWith", "Registra a prestação em desacordo"),
            issue=disagree,
            registered=registered,
            denies=True,
            max_events=_MAX_EVENTS,
            within=_TERM,
            late_codes=_TOO_LATE,
        ),
        ResponseKind(
            name="withdrawn",
            code=DISAGREEMENT_CANCELLATION,
            description="Cancelamento da prestação do serviço em desacordo",
            action="Cancelar o desacordo",
            explanation="A empresa retira o seu desacordo mais recente com o serviço deste CT-e.",
            form=event_form(WithdrawalRequest),
            request=WithdrawalRequest,
            route=ResponseRoute("DELETE", _PATH, "withdrawDisagreementWith", "Cancela o desacordo"),
            issue=withdraw_disagreement,
            registered=registered,
            max_events=_MAX_EVENTS,
            undoes=_DISAGREED,
        ),
    ),
    warned_days=10,
    details=details,
    amounts=amounts,
)
