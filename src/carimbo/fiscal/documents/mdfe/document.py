"""Composes a manifest from request, company and emission."""

from itertools import chain

from carimbo.fiscal.documents.mdfe.cargo import (
    documents_group,
    insurance_group,
    product_group,
    totals_group,
    unloading_bodies,
)
from carimbo.fiscal.documents.mdfe.modes import mode_group
from carimbo.fiscal.documents.mdfe.request import MdfeRequest
from carimbo.fiscal.documents.mdfe.road import carrier_type_of
from carimbo.fiscal.identity.access_key import AccessKey, InvalidAccessKey, document_id
from carimbo.fiscal.issuance import Issuance
from carimbo.fiscal.layouts.dfe_v1.route import RouteState
from carimbo.fiscal.layouts.mdfe_v3.cargo import CargoSeal, ManifestTotals
from carimbo.fiscal.layouts.mdfe_v3.documents import ManifestDocuments
from carimbo.fiscal.layouts.mdfe_v3.identification import LoadingCity, ManifestIdentification
from carimbo.fiscal.layouts.mdfe_v3.manifest import (
    Manifest,
    ManifestIssuer,
    ManifestIssuerAddress,
    ManifestNotes,
)
from carimbo.fiscal.making import Composition
from carimbo.fiscal.money import ZERO
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.parties.recipient import reader_group, shortened_name, split_tax_id
from carimbo.fiscal.problems import MISSING_FIELD, Findings, Problem
from carimbo.fiscal.transport.moments import moment_at
from carimbo.fiscal.transport.places import place_of, plain_name
from carimbo.fiscal.transport.route import shortest_route
from carimbo.fiscal.transport.technical_responsible import responsible_group

MODEL = "58"
NAME = "mdfe"
_OWN_SOFTWARE = "0"
_PHONE_DIGITS = range(7, 13)
# In place of groups that can't be composed: the rest of the document is judged, but it is not written.
_NO_DOCUMENTS = ManifestDocuments(cities=())
_NO_TOTALS = ManifestTotals(amount=ZERO, unit="01", quantity=ZERO)


def compose(request: MdfeRequest, issuance: Issuance) -> Composition[Manifest | None]:
    """Returns the document, with a problem for everything that the request lacks."""
    if issuance.unfilled:
        return Composition(None, issuance.unfilled, ())
    findings = Findings()
    key = issuance.emission.access_key(MODEL, issuance.company)
    manifest = Manifest(
        id=document_id(key),
        identification=_identification(request, issuance, key, findings),
        issuer=_issuer(issuance.company, findings),
        mode=mode_group(request, issuance, findings),
        documents=findings.attempt(documents_group, request) or _NO_DOCUMENTS,
        insurance=tuple(map(insurance_group, request.insurance)),
        main_product=findings.attempt(product_group, request.predominant_product),
        totals=findings.attempt(totals_group, request) or _NO_TOTALS,
        seals=tuple(CargoSeal(number=seal) for seal in request.seals),
        authorized_readers=tuple(map(reader_group, request.aut_xml)),
        notes=_notes(request),
        technical_responsible=responsible_group(request.tech_responsible, issuance.software, key),
    )
    # Rules report these values.
    has_gaps = bool(findings.problems) or _has_unknown_city(request) or _has_wrong_partial_key(request)
    return Composition(manifest, findings.problems, findings.warnings, has_gaps=has_gaps)


def _has_unknown_city(request: MdfeRequest) -> bool:
    unloading = (body.city_code for body in request.documents)
    return not all(place_of(code).state for code in (*request.loading_cities, *unloading))


def _has_wrong_partial_key(request: MdfeRequest) -> bool:
    details = (given for body in request.documents for given in body.details)
    try:
        for key in chain.from_iterable(given.partial_nfe_access_keys for given in details):
            AccessKey.parse(key)
    except InvalidAccessKey:
        return True
    return False


def _identification(
    request: MdfeRequest, issuance: Issuance, key: AccessKey, findings: Findings
) -> ManifestIdentification:
    emission, state = issuance.emission, issuance.company.address.state
    if request.municipality_start_ibge is None:
        findings.add_problem(Problem(MISSING_FIELD, "municipalityStartIbge", "Campo obrigatório."))
    start = request.uf_start or place_of(request.municipality_start_ibge or "").state
    unloading = unloading_bodies(request)
    end = request.uf_end or (place_of(unloading[0].city_code or "").state if unloading else "")
    return ManifestIdentification(
        state_code=key.state_code,
        environment=emission.environment.code,
        issuer_type=request.effective_issuer_type.code,
        carrier_type=carrier_type_of(request),
        model=MODEL,
        series=emission.series,
        number=emission.number,
        numeric_code=emission.numeric_code,
        check_digit=key.check_digit,
        mode=request.modal.kind.code,
        issued_at=emission.issued_at,
        emission_type=emission.type,
        issuing_process=_OWN_SOFTWARE,
        software_version=issuance.software.name,
        start_state=start,
        end_state=end,
        loading_cities=tuple(
            LoadingCity(city_code=code, city=place_of(code).city) for code in request.loading_cities
        ),
        route=tuple(RouteState(state=passed) for passed in _route(request, start, end, findings)),
        trip_starts_at=moment_at("tripStartsAt", request.trip_starts_at, state, findings),
        green_channel="1" if request.green_channel else None,
        later_loading="1" if request.later_loading else None,
    )


def _route(request: MdfeRequest, start: str, end: str, findings: Findings) -> tuple[str, ...]:
    """Returns the states between start and end; by road the shortest way if none is given."""
    if request.route or request.road is None:
        return request.route
    route = shortest_route(start, end)
    if route:
        findings.add_warning(
            f"route: Percurso não informado: usado o caminho com menos UFs, por {', '.join(route)}. Informe"
            " route se a viagem passa por outras."
        )
    return route


def _issuer(company: Company, findings: Findings) -> ManifestIssuer:
    address = company.address
    cnpj, cpf = split_tax_id(company.tax_id)
    phone = company.phone
    if phone and len(phone) not in _PHONE_DIGITS:
        findings.add_warning("company.phone: O telefone não cabe no MDF-e, que leva de 7 a 12 dígitos.")
        phone = None
    return ManifestIssuer(
        cnpj=cnpj,
        cpf=cpf,
        state_registration=company.registration_in(address.state),
        name=shortened_name(company.legal_name),
        trade_name=company.trade_name,
        address=ManifestIssuerAddress(
            street=address.street,
            number=address.number,
            complement=address.complement,
            district=address.district,
            city_code=address.city_code or "",
            city=plain_name(address.city),
            zipcode=address.zipcode,
            state=address.state,
            phone=phone,
        ),
    )


def _notes(request: MdfeRequest) -> ManifestNotes | None:
    given = request.additional
    if given is None or (given.notes is None and given.authority_notes is None):
        return None
    return ManifestNotes(authority_notes=given.authority_notes, notes=given.notes)
