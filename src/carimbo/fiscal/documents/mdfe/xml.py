"""The signed XML of a manifest: made, checked and previewed."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from typing import Any

from carimbo.fiscal.documents.mdfe.document import compose
from carimbo.fiscal.documents.mdfe.hints import hint_of
from carimbo.fiscal.documents.mdfe.request import MdfeRequest
from carimbo.fiscal.documents.mdfe.rules.judging import judge_manifest
from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.issuance import Issuance, Lines, Review, signed_identity
from carimbo.fiscal.layouts.mdfe_v3.manifest import ROOT, Manifest, check
from carimbo.fiscal.layouts.signed_part import without_signature
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.signed_documents import SignedDocument
from carimbo.fiscal.tables.authorities import MDFE_QR_ADDRESS
from carimbo.fiscal.transport.making import transport_maker


@dataclass(frozen=True, slots=True)
class ManifestPreview:
    """A manifest made as a preview."""

    manifest: Manifest
    document: bytes = field(repr=False)
    """Signed or not."""

    @property
    def amount(self) -> Decimal:
        """The value of the cargo (vCarga)."""
        return self.manifest.totals.amount

    @property
    def totals(self) -> Mapping[str, Any]:
        """The counted documents, and value and weight of the cargo."""
        totals = self.manifest.totals
        counted = {"ctes": totals.waybills, "nfes": totals.invoices, "mdfes": totals.manifests}
        return {
            "amount": self.amount,
            "cargoQuantity": totals.quantity,
            **{name: count for name, count in counted.items() if count},
        }

    @property
    def lines(self) -> Lines:
        """Empty: a manifest has no lines."""
        return ()

    @property
    def xml(self) -> bytes:
        """The XML without a signature."""
        return without_signature(self.document)


def _supplement(access_key: str, issuance: Issuance) -> bytes:
    """Returns the QR code (`infMDFeSupl`); offline it has a signature of the key."""
    emission = issuance.emission
    code = f"{MDFE_QR_ADDRESS}?chMDFe={access_key}&amp;tpAmb={emission.environment.code}"
    if emission.type is not EmissionType.NORMAL:
        code += f"&amp;sign={issuance.signer.sign_text(access_key)}"
    return f"<infMDFeSupl><qrCodMDFe>{code}</qrCodMDFe></infMDFeSupl>".encode()


_MAKER = transport_maker(
    compose=compose,
    judge=judge_manifest,
    root=ROOT,
    supplement=_supplement,
    check=check,
    preview=ManifestPreview,
    hint_of=hint_of,
    mode_fields=("modal", "drivers", "payments"),
    longest_field="documents",
)

# The layout has the details of a document in its own group, and drivers in that of the vehicle.
_DETAIL = re.compile(r"documents\[(\d+)\]\.(cte|nfe|mdfe)AccessKeys\[(\d+)\]\.(.+)")


def review(request: MdfeRequest, issuance: Issuance) -> Review:
    """Checks a request; the signature that it makes on the way is discarded."""
    result = _MAKER.review(request, issuance)
    return replace(result, problems=_with_posted_paths(result.problems, request))


def issue(request: MdfeRequest, issuance: Issuance) -> SignedDocument | tuple[Problem, ...]:
    """Returns the signed manifest, or all problems that prevent it."""
    result = _MAKER.issue(request, issuance)
    return _with_posted_paths(result, request) if isinstance(result, tuple) else result


def _with_posted_paths(problems: tuple[Problem, ...], request: MdfeRequest) -> tuple[Problem, ...]:
    return tuple(replace(problem, path=_posted_path(problem.path, request)) for problem in problems)


def _posted_path(path: str, request: MdfeRequest) -> str:
    """Returns where the body of a request has the field of a path of the layout."""
    if path.startswith("drivers") and not request.drivers and request.all_drivers:
        return f"modal.{path}"
    detail = _DETAIL.fullmatch(path)
    if detail is None:
        return path
    city, kind, place, rest = detail.groups()
    body = request.documents[int(city)]
    keys = {"cte": body.cte_access_keys, "nfe": body.nfe_access_keys, "mdfe": body.mdfe_access_keys}[kind]
    position = [given.access_key for given in body.details].index(keys[int(place)])
    return f"documents[{city}].details[{position}].{rest}"


identity_of_manifest = partial(signed_identity, re.compile(rb'<infMDFe [^>]*?Id="MDFe([0-9A-Z]{44})"'))
"""Reads the access key and the time of issue of a manifest that we wrote."""
