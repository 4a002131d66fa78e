"""Roles of people, with the capabilities of each in one table.

A capability is a name for a group of use cases. People have the capabilities of their role in a subscription;
the operator of the installation has `OF_OPERATOR` as well. The names are stored and shown: never rename one.
"""

from collections.abc import Mapping
from enum import StrEnum


class Capability(StrEnum):
    """Permission for a group of use cases."""

    READ_DOCUMENTS = "documents:read"
    ISSUE_DOCUMENTS = "documents:issue"
    """Create, change, transmit and discard; also sales."""
    CANCEL_DOCUMENTS = "documents:cancel"
    """Cancel, correct, close, and void numbers: what an authority learns about an issued document."""
    RESUME_WORK = "work:resume"
    """Resume or dismiss work that failed and was set aside."""
    SEND_DOCUMENTS = "documents:send"
    """Send documents by e-mail."""
    EXPORT = "documents:export"
    """Download lists and archives, and create links to them."""
    READ_RECEIVED = "received:read"
    MANIFEST_RECEIVED = "received:manifest"
    """Ask the authorities, import files and answer for the recipient."""
    READ_CATALOG = "catalog:read"
    CHANGE_CATALOG = "catalog:change"
    READ_COMPANIES = "companies:read"
    CREATE_COMPANIES = "companies:create"
    CHANGE_COMPANIES = "companies:change"
    """Registration, settings and contingency."""
    CHANGE_CERTIFICATES = "companies:certificate"
    SWITCH_ENVIRONMENT = "companies:environment"
    READ_WEBHOOKS = "webhooks:read"
    CHANGE_WEBHOOKS = "webhooks:change"
    READ_USAGE = "usage:read"
    READ_CREDENTIALS = "credentials:read"
    CHANGE_CREDENTIALS = "credentials:change"
    READ_PEOPLE = "people:read"
    CHANGE_PEOPLE = "people:change"
    READ_AUDIT = "audit:read"
    OPERATE = "installation:operate"
    """Everything about the installation itself, and nothing inside a subscription."""


class MemberRole(StrEnum):
    """The role of a person in a subscription."""

    OWNER = "owner"
    ADMIN = "admin"
    ISSUER = "issuer"
    ACCOUNTANT = "accountant"
    VIEWER = "viewer"


_VIEWING = frozenset(
    {
        Capability.READ_DOCUMENTS,
        Capability.READ_RECEIVED,
        Capability.READ_CATALOG,
        Capability.READ_COMPANIES,
    }
)
_ACCOUNTING = _VIEWING | {Capability.EXPORT, Capability.MANIFEST_RECEIVED, Capability.SEND_DOCUMENTS}
_ISSUING = _ACCOUNTING | {
    Capability.ISSUE_DOCUMENTS,
    Capability.CANCEL_DOCUMENTS,
    Capability.CHANGE_CATALOG,
}
_ADMINISTERING = _ISSUING | {
    Capability.RESUME_WORK,
    Capability.CREATE_COMPANIES,
    Capability.CHANGE_COMPANIES,
    Capability.CHANGE_CERTIFICATES,
    Capability.SWITCH_ENVIRONMENT,
    Capability.READ_WEBHOOKS,
    Capability.CHANGE_WEBHOOKS,
    Capability.READ_USAGE,
    Capability.READ_CREDENTIALS,
    Capability.READ_PEOPLE,
    Capability.READ_AUDIT,
}
_OWNING = _ADMINISTERING | {Capability.CHANGE_CREDENTIALS, Capability.CHANGE_PEOPLE}

CAPABILITIES: Mapping[MemberRole, frozenset[Capability]] = {
    MemberRole.OWNER: _OWNING,
    MemberRole.ADMIN: _ADMINISTERING,
    MemberRole.ISSUER: _ISSUING,
    MemberRole.ACCOUNTANT: _ACCOUNTING,
    MemberRole.VIEWER: _VIEWING,
}
OF_OPERATOR = frozenset({Capability.OPERATE})
"""The capabilities of the operator of the installation, in addition to those of their roles."""
OF_ALL_COMPANIES = frozenset(
    {
        Capability.CREATE_COMPANIES,
        Capability.READ_WEBHOOKS,
        Capability.CHANGE_WEBHOOKS,
        Capability.READ_USAGE,
        Capability.READ_CREDENTIALS,
        Capability.CHANGE_CREDENTIALS,
        Capability.READ_PEOPLE,
        Capability.CHANGE_PEOPLE,
        Capability.READ_AUDIT,
    }
)
"""Capabilities over a whole subscription; people who see only some companies never have them."""
NEEDS_FRESH_SIGN_IN = frozenset(
    {
        Capability.CHANGE_CERTIFICATES,
        Capability.SWITCH_ENVIRONMENT,
        Capability.CHANGE_CREDENTIALS,
        Capability.CHANGE_PEOPLE,
    }
)
"""Capabilities that a person only has within minutes of signing in or confirming who they are."""


def capabilities_of(role: MemberRole, *, of_all_companies: bool) -> frozenset[Capability]:
    """Returns what a person with a role may do, in all companies of a subscription or only in some."""
    return CAPABILITIES[role] if of_all_companies else CAPABILITIES[role] - OF_ALL_COMPANIES
