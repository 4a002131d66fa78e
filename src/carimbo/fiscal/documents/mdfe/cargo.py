"""Documents, insurance, main product and totals of a manifest as groups of the layout."""

from collections.abc import Iterator

from carimbo.fiscal.documents.mdfe.cargo_body import (
    CargoInsuranceBody,
    DocumentDetailsBody,
    FullLoadBody,
    FullLoadPlaceBody,
    MainProductBody,
    ManifestDangerousGoodsBody,
    UnloadingBody,
)
from carimbo.fiscal.documents.mdfe.request import MdfeRequest
from carimbo.fiscal.layouts.mdfe_v3 import cargo as layout
from carimbo.fiscal.layouts.mdfe_v3.documents import (
    CarriedDangerousGoods,
    CarriedManifest,
    ManifestDocuments,
    ManifestedInvoice,
    ManifestedWaybill,
    PartialDelivery,
    PartialServiceInvoice,
    UnloadingCity,
)
from carimbo.fiscal.money import ZERO
from carimbo.fiscal.parties.recipient import split_tax_id
from carimbo.fiscal.problems import MISSING_FIELD, SCHEMA_PROBLEM, Incomplete, Problem
from carimbo.fiscal.transport.places import place_of
from carimbo.fiscal.transport.units import transport_unit

_SOURCE = "MOC MDF-e 3.00, grupo infDoc"


def unloading_bodies(request: MdfeRequest) -> tuple[UnloadingBody, ...]:
    """Returns the municipalities of unloading; with later loading, that of loading if none is given."""
    if request.documents or not request.later_loading:
        return request.documents
    return (UnloadingBody.model_validate({"cityCode": request.municipality_start_ibge}),)


def documents_group(request: MdfeRequest) -> ManifestDocuments:
    """Returns the documents by municipality; raises `Incomplete` without any."""
    bodies = unloading_bodies(request)
    if not bodies:
        message = "Campo obrigatório: informe os documentos por município de descarga."
        raise Incomplete(Problem(MISSING_FIELD, "documents", message))
    missing = [
        Problem(MISSING_FIELD, f"documents[{position}].cityCode", "Campo obrigatório.")
        for position, body in enumerate(request.documents)
        if body.city_code is None
    ]
    if missing:
        raise Incomplete(*missing)
    strangers = [
        Problem(
            SCHEMA_PROBLEM,
            f"documents[{position}].details[{place}].accessKey",
            "A chave não é de um documento deste município.",
            "Informe uma das chaves do mesmo município de descarga.",
            _SOURCE,
        )
        for position, body in enumerate(bodies)
        for place, details in enumerate(body.details)
        if details.access_key not in body.keys
    ]
    if strangers:
        raise Incomplete(*strangers)
    return ManifestDocuments(cities=tuple(map(_city_group, bodies)))


def _city_group(body: UnloadingBody) -> UnloadingCity:
    details = {given.access_key: given for given in body.details}
    place = place_of(body.city_code or "")
    return UnloadingCity(
        city_code=place.city_code,
        city=place.city,
        waybills=tuple(_waybill(key, details.get(key)) for key in body.cte_access_keys),
        invoices=tuple(_invoice(key, details.get(key)) for key in body.nfe_access_keys),
        manifests=tuple(_manifest(key, details.get(key)) for key in body.mdfe_access_keys),
    )


def _waybill(key: str, details: DocumentDetailsBody | None) -> ManifestedWaybill:
    if details is None:
        return ManifestedWaybill(access_key=key)
    partial, invoices = details.partial_delivery, details.partial_nfe_access_keys
    return ManifestedWaybill(
        access_key=key,
        second_barcode=details.second_barcode,
        is_redelivery="1" if details.is_redelivery else None,
        transport_units=tuple(map(transport_unit, details.transport_units)),
        dangerous_goods=tuple(map(_dangerous, details.dangerous_goods)),
        partial_delivery=PartialDelivery(
            total_quantity=partial.total_quantity, delivered_quantity=partial.delivered_quantity
        )
        if partial
        else None,
        is_partial_service="1" if invoices else None,
        partial_invoices=tuple(PartialServiceInvoice(access_key=invoice) for invoice in invoices),
    )


def _invoice(key: str, details: DocumentDetailsBody | None) -> ManifestedInvoice:
    if details is None:
        return ManifestedInvoice(access_key=key)
    return ManifestedInvoice(
        access_key=key,
        second_barcode=details.second_barcode,
        is_redelivery="1" if details.is_redelivery else None,
        transport_units=tuple(map(transport_unit, details.transport_units)),
        dangerous_goods=tuple(map(_dangerous, details.dangerous_goods)),
    )


def _manifest(key: str, details: DocumentDetailsBody | None) -> CarriedManifest:
    if details is None:
        return CarriedManifest(access_key=key)
    return CarriedManifest(
        access_key=key,
        is_redelivery="1" if details.is_redelivery else None,
        transport_units=tuple(map(transport_unit, details.transport_units)),
        dangerous_goods=tuple(map(_dangerous, details.dangerous_goods)),
    )


def _dangerous(body: ManifestDangerousGoodsBody) -> CarriedDangerousGoods:
    return CarriedDangerousGoods(
        un_number=body.un_number,
        shipping_name=body.shipping_name,
        risk_class=body.risk_class,
        packing_group=body.packing_group,
        quantity=body.quantity,
        packages=body.packages,
    )


def insurance_group(body: CargoInsuranceBody) -> layout.CargoInsurance:
    """Returns an insurance of the cargo."""
    cnpj, cpf = split_tax_id(body.responsible_tax_id)
    name, tax_id = body.insurer_name, body.insurer_tax_id
    return layout.CargoInsurance(
        responsible=layout.CargoInsuranceResponsible(type=body.responsible.code, cnpj=cnpj, cpf=cpf),
        insurer=layout.CargoInsurer(name=name, cnpj=tax_id) if name and tax_id else None,
        policy_number=body.policy_number,
        endorsements=body.endorsements,
    )


def product_group(body: MainProductBody | None) -> layout.MainProduct | None:
    """Returns the predominant product; None if there is none. Raises `Incomplete` for unclear places."""
    if body is None:
        return None
    load = body.full_load
    if load is not None and (problems := tuple(_problems_of_places(load))):
        raise Incomplete(*problems)
    return layout.MainProduct(
        cargo_type=body.cargo_type.code,
        description=body.description,
        gtin=body.gtin,
        ncm=body.ncm,
        full_load=layout.FullLoad(
            loading=_full_load_place(load.loading), unloading=_full_load_place(load.unloading)
        )
        if load
        else None,
    )


def _problems_of_places(load: FullLoadBody) -> Iterator[Problem]:
    """Yields the places with neither CEP nor coordinates, or with both."""
    for name, place in (("loading", load.loading), ("unloading", load.unloading)):
        has_position = place.latitude is not None and place.longitude is not None
        has_half = (place.latitude is None) is not (place.longitude is None)
        if has_half or has_position is (place.zipcode is not None):
            yield Problem(
                SCHEMA_PROBLEM,
                f"predominantProduct.fullLoad.{name}",
                "O local tem o CEP, ou a latitude e a longitude.",
                "Informe zipcode, ou latitude e longitude, só uma das duas formas.",
                "MOC MDF-e 3.00, grupo infLotacao",
            )


def _full_load_place(body: FullLoadPlaceBody) -> layout.FullLoadPlace:
    return layout.FullLoadPlace(zipcode=body.zipcode, latitude=body.latitude, longitude=body.longitude)


def totals_group(request: MdfeRequest) -> layout.ManifestTotals:
    """Returns the totals, with the documents counted; raises `Incomplete` without value or weight."""
    given = {"cargoTotalAmount": request.cargo_total_amount, "cargoQuantity": request.cargo_quantity}
    missing = [
        Problem(MISSING_FIELD, name, "Campo obrigatório, exceto com laterLoading.")
        for name, value in given.items()
        if value is None and not request.later_loading
    ]
    if missing:
        raise Incomplete(*missing)
    bodies = request.documents
    return layout.ManifestTotals(
        waybills=sum(len(body.cte_access_keys) for body in bodies) or None,
        invoices=sum(len(body.nfe_access_keys) for body in bodies) or None,
        manifests=sum(len(body.mdfe_access_keys) for body in bodies) or None,
        amount=request.cargo_total_amount or ZERO,
        unit=request.cargo_unit.code,
        quantity=request.cargo_quantity or ZERO,
    )
