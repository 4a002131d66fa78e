"""Pages have words for every value that the code can store."""

from collections.abc import Iterable
from enum import StrEnum

import pytest

from carimbo.dashboard import shown
from carimbo.dashboard.pages import (
    audit,
    certificate,
    company_start,
    documents,
    exports,
    numbering,
    people,
    received,
    received_document,
    sales,
    webhooks,
)
from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.lifecycle import HistoryEntry, Status
from carimbo.fiscal.parties.company import IbsCbsRegime, PisCofinsRegime, TaxRegime
from carimbo.fiscal.receiving import Role, Situation
from carimbo.service import words
from carimbo.service.catalog.product_bodies import ProductType
from carimbo.service.company_status.certificate_expiry import CertificateState
from carimbo.service.company_status.contingency_form import CONTINGENCY_CHOICES
from carimbo.service.company_status.first_steps import StepState
from carimbo.service.delivery.attempt import DeliveryStatus
from carimbo.service.delivery.emails import AskedBy, AttemptOutcome, EmailStatus
from carimbo.service.exports.links import ExportState
from carimbo.service.exports.month import ExportContent
from carimbo.service.filing.gaps import GapReason
from carimbo.service.filing.outcome import FilingStatus
from carimbo.service.issuing.routes import ContingencyMode
from carimbo.service.people.roles import MemberRole
from carimbo.service.people.sessions import SignInMethod
from carimbo.service.receiving.record import Origin
from carimbo.service.receiving.stream_warnings import StreamWarningCode
from carimbo.service.sales.body import EmitWhen
from carimbo.service.sales.record import SaleStatus
from carimbo.storage.actors import ActorKind
from carimbo.storage.audit import AuditAction
from carimbo.storage.work import WorkKind

COMPLETE: tuple[tuple[Iterable[StrEnum], Iterable[str]], ...] = (
    (Status, words.DOCUMENT_STATUSES),
    (Status, shown._STATUSES),
    (Status, dict(documents._STATUSES)),
    (HistoryEntry, shown._ENTRIES),
    (SaleStatus, words.SALE_STATUSES),
    (SaleStatus, sales.STATUSES),
    (EmitWhen, words.EMISSIONS),
    (Situation, words.SITUATIONS),
    (Situation, received.SITUATION_BADGES),
    (StreamWarningCode, received._WARNINGS),
    (Origin, received_document._ORIGINS),
    (FilingStatus, received_document._OUTCOMES),
    (FilingStatus, words.INUTILIZATION_STATUSES),
    (FilingStatus, numbering._STATUSES),
    (Role, words.COMPANY_ROLES),
    (MemberRole, words.PERSON_ROLES),
    (MemberRole, people.ROLES),
    (Environment, words.ENVIRONMENTS),
    (EmissionType, words.EMISSION_TYPES),
    (ContingencyMode, words.CONTINGENCY_MODES),
    (StepState, company_start._BADGES),
    (ContingencyMode, CONTINGENCY_CHOICES),
    (CertificateState, certificate.CERTIFICATE_BADGES),
    (TaxRegime, words.TAX_REGIMES),
    (PisCofinsRegime, words.PIS_COFINS_REGIMES),
    (IbsCbsRegime, words.IBS_CBS_REGIMES),
    (ProductType, words.ITEM_TYPES),
    (DeliveryStatus, words.DELIVERY_STATUSES),
    (DeliveryStatus, webhooks.DELIVERY_BADGES),
    (EmailStatus, documents._EMAILS),
    (AskedBy, documents._ASKED_BY),
    (AttemptOutcome, documents._OUTCOMES),
    (ExportContent, exports.CONTENTS),
    (ExportState, exports._STATES),
    (GapReason, words.GAP_REASONS),
    # A probe is the check of a worker, which no page shows.
    ([kind for kind in WorkKind if kind is not WorkKind.PROBE], words.WORK_KINDS),
    (SignInMethod, words.SIGN_IN_METHODS),
    (ActorKind, words._ACTORS),
    (ActorKind, dict(audit._ACTORS)),
)


@pytest.mark.parametrize(("values", "keys"), COMPLETE)
def test_every_value_has_words(values: Iterable[StrEnum], keys: Iterable[str]) -> None:
    assert set(values) - set(keys) == set()


def test_every_action_of_the_audit_belongs_to_a_subject_of_its_filter() -> None:
    assert {action.partition(".")[0] for action in AuditAction} == set(dict(audit._ACTIONS))
