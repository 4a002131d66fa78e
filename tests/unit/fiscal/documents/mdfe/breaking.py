"""How changes that break one rule of MDF-e are judged."""

from dataclasses import replace
from typing import Any

from lxml import etree

from carimbo.fiscal.documents.mdfe.definition import MDFE
from carimbo.fiscal.documents.mdfe.request import MdfeRequest
from carimbo.fiscal.documents.mdfe.settings import MdfeSettings
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.issuance import Issuance, Review
from carimbo.fiscal.module_settings import ModuleSettings
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.signed_documents import SignedDocument
from unit.fiscal.documents.cte.bodies import CARRIER
from unit.fiscal.documents.cte.breaking import Breaking
from unit.fiscal.documents.mdfe.bodies import GOOD
from unit.fiscal.goods import support
from unit.fiscal.rules.breaking import changed


def issuance(breaking: Breaking, signer: Signer, *other_settings: ModuleSettings) -> Issuance:
    """Returns all inputs of the changed document except its request."""
    return Issuance(
        company=Company.model_validate(changed(CARRIER, breaking.company)),
        emission=breaking.under,
        software=support.SOFTWARE,
        settings=MdfeSettings(),
        signer=signer,
        schemas=support.SCHEMAS,
        now=breaking.now or breaking.under.issued_at,
        other_settings=other_settings,
    )


def request(breaking: Breaking) -> MdfeRequest:
    """Returns the changed request."""
    return MdfeRequest.model_validate(changed(GOOD[breaking.good], breaking.body))


def review(breaking: Breaking, signer: Signer, *other_settings: ModuleSettings) -> Review:
    """Reviews the changed request."""
    return MDFE.issuing.review(request(breaking), issuance(breaking, signer, *other_settings))


def places(breaking: Breaking, signer: Signer) -> list[tuple[str, str]]:
    """Returns code and path of every problem."""
    return [(problem.code, problem.path) for problem in review(breaking, signer).problems]


def new_warnings(breaking: Breaking, signer: Signer) -> list[str]:
    """Returns the fields of the warnings that the change causes."""
    usual = review(replace(breaking, body={}, company={}), signer).warnings
    changed_warnings = review(breaking, signer).warnings
    return [text.partition(":")[0] for text in changed_warnings if text not in usual]


def signed_manifest(breaking: Breaking, signer: Signer, *other_settings: ModuleSettings) -> SignedDocument:
    """Returns the signed document of the changed request, which must have no problems."""
    signed = MDFE.issuing.issue(request(breaking), issuance(breaking, signer, *other_settings))
    assert isinstance(signed, SignedDocument), signed
    return signed


def manifest_of(breaking: Breaking, signer: Signer, *other_settings: ModuleSettings) -> etree._Element:
    """Returns the root of the signed document of the changed request."""
    return etree.fromstring(signed_manifest(breaking, signer, *other_settings).xml)


def texts(document: etree._Element, path: str) -> list[str | None]:
    """Returns the texts of all elements at a path of tags, as `infCIOT/CIOT`."""
    steps = "/".join(f"{{*}}{tag}" for tag in path.split("/"))
    return [element.text for element in document.iterfind(f".//{steps}")]


def written(
    signer: Signer,
    path: str,
    changes: dict[str, Any] | None = None,
    good: str = "own cargo",
    company: dict[str, Any] | None = None,
) -> list[str | None]:
    """Returns the texts of all elements at a path of tags, in the manifest of a changed request."""
    return texts(manifest_of(Breaking("", "", good, changes or {}, company or {}), signer), path)


def warnings(signer: Signer, changes: dict[str, Any], good: str) -> list[str]:
    """Returns the warnings of the changed request, which must have no problems."""
    reviewed = review(Breaking("", "", good, changes), signer)
    assert reviewed.problems == ()
    return list(reviewed.warnings)
