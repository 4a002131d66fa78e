"""The technical responsible in a transport document (`infRespTec`)."""

from carimbo.fiscal.identity.access_key import AccessKey
from carimbo.fiscal.issuance import Software, csrt_proof
from carimbo.fiscal.layouts.dfe_v1.parties import TechnicalContact
from carimbo.fiscal.transport.request import TechResponsibleBody

_CSRT_DIGITS = 3


def responsible_group(
    body: TechResponsibleBody | None, software: Software, key: AccessKey
) -> TechnicalContact | None:
    """Returns the responsible of the request, else that of the installation; None if there is none."""
    if body is not None:
        return TechnicalContact(
            cnpj=body.tax_id,
            contact=body.contact,
            email=body.email,
            phone=body.phone,
            csrt_id=body.csrt_id,
            csrt_hash=csrt_proof(body.csrt, key) if body.csrt else None,
        )
    own = software.responsible_for(key)
    if own is None:
        return None
    return TechnicalContact(
        cnpj=own.cnpj,
        contact=own.contact,
        email=own.email,
        phone=own.phone,
        csrt_id=own.csrt_id.zfill(_CSRT_DIGITS) if own.csrt_id else None,
        csrt_hash=own.csrt_hash,
    )
