"""Every declared group of the layouts, compared with the official XSD."""

import dataclasses
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from pydantic import AwareDatetime

from carimbo.fiscal.layouts.cte_v4 import delivery
from carimbo.fiscal.layouts.cte_v4 import events as waybill_events
from carimbo.fiscal.layouts.cte_v4.air import Air
from carimbo.fiscal.layouts.cte_v4.multimodal import Multimodal
from carimbo.fiscal.layouts.cte_v4.pipeline import Pipeline
from carimbo.fiscal.layouts.cte_v4.rail import Rail
from carimbo.fiscal.layouts.cte_v4.road import Road
from carimbo.fiscal.layouts.cte_v4.valuables import TransportGuides
from carimbo.fiscal.layouts.cte_v4.water import Water
from carimbo.fiscal.layouts.cte_v4.waybill import Waybill
from carimbo.fiscal.layouts.cteos_v4.road import OsRoad
from carimbo.fiscal.layouts.cteos_v4.waybill import OsWaybill
from carimbo.fiscal.layouts.dps_v1 import archived
from carimbo.fiscal.layouts.dps_v1 import events as service_events
from carimbo.fiscal.layouts.dps_v1.issued_note import IssuedNote
from carimbo.fiscal.layouts.dps_v1.service_note import ServiceNote
from carimbo.fiscal.layouts.group import child, children, day, decimal, group, text
from carimbo.fiscal.layouts.json_form import groups_in
from carimbo.fiscal.layouts.layout import layout_of
from carimbo.fiscal.layouts.mdfe_v3 import events as manifest_events
from carimbo.fiscal.layouts.mdfe_v3.manifest import Manifest
from carimbo.fiscal.layouts.mdfe_v3.modes import ManifestAir, ManifestRail, ManifestWater
from carimbo.fiscal.layouts.mdfe_v3.road import ManifestRoad
from carimbo.fiscal.layouts.nfe_v4 import events
from carimbo.fiscal.layouts.nfe_v4.inutilization import InutilizationRange
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from unit.fiscal.layouts.xsd_outline import Node, Schema, declared, differences, left_out

Root = tuple[type, str, str]

ROOTS: list[Root] = [
    (Invoice, "nfe/schemas/v4_0/nfe_v4.00.xsd", "NFe/infNFe"),
    (InutilizationRange, "nfe/schemas/v4_0/inutNFe_v4.00.xsd", "inutNFe/infInut"),
    (
        events.EventInformation,
        "nfe_evento_generico/schemas/v1_0/envEvento_v1.00.xsd",
        "envEvento/evento/infEvento",
    ),
    (events.Cancellation, "nfe_evento_cancel/schemas/v1_0/e110111_v1.00.xsd", "detEvento"),
    (events.Correction, "nfe_evento_cce/schemas/v1_0/e110110_v1.00.xsd", "detEvento"),
    (events.OperationConfirmed, "nfe_evento_mde/schemas/v1_0/e210200_v1.00.xsd", "detEvento"),
    (events.OperationAcknowledged, "nfe_evento_mde/schemas/v1_0/e210210_v1.00.xsd", "detEvento"),
    (events.OperationUnknown, "nfe_evento_mde/schemas/v1_0/e210220_v1.00.xsd", "detEvento"),
    (events.OperationNotPerformed, "nfe_evento_mde/schemas/v1_0/e210240_v1.00.xsd", "detEvento"),
    (Waybill, "cte/schemas/v4_0/cte_v4.00.xsd", "CTe/infCte"),
    (Road, "cte/schemas/v4_0/cteModalRodoviario_v4.00.xsd", "rodo"),
    (OsWaybill, "cte/schemas/v4_0/cteOS_v4.00.xsd", "CTeOS/infCte"),
    (OsRoad, "cte/schemas/v4_0/cteModalRodoviarioOS_v4.00.xsd", "rodoOS"),
    (Air, "cte/schemas/v4_0/cteModalAereo_v4.00.xsd", "aereo"),
    (Water, "cte/schemas/v4_0/cteModalAquaviario_v4.00.xsd", "aquav"),
    (Rail, "cte/schemas/v4_0/cteModalFerroviario_v4.00.xsd", "ferrov"),
    (Pipeline, "cte/schemas/v4_0/cteModalDutoviario_v4.00.xsd", "duto"),
    (Multimodal, "cte/schemas/v4_0/cteMultiModal_v4.00.xsd", "multimodal"),
    (waybill_events.WaybillEventInformation, "cte/schemas/v4_0/eventoCTe_v4.00.xsd", "eventoCTe/infEvento"),
    (waybill_events.WaybillCancellation, "cte/schemas/v4_0/evCancCTe_v4.00.xsd", "evCancCTe"),
    (waybill_events.WaybillCorrection, "cte/schemas/v4_0/evCCeCTe_v4.00.xsd", "evCCeCTe"),
    (delivery.ProofOfDelivery, "cte/schemas/v4_0/evCECTe_v4.00.xsd", "evCECTe"),
    (delivery.DeliveryCancellation, "cte/schemas/v4_0/evCancCECTe_v4.00.xsd", "evCancCECTe"),
    (delivery.FailedDelivery, "cte/schemas/v4_0/evIECTe_v4.00.xsd", "evIECTe"),
    (delivery.FailedDeliveryCancellation, "cte/schemas/v4_0/evCancIECTe_v4.00.xsd", "evCancIECTe"),
    (TransportGuides, "cte/schemas/v4_0/evGTV_v4.00.xsd", "evGTV"),
    (waybill_events.Disagreement, "cte/schemas/v4_0/evPrestDesacordo_v4.00.xsd", "evPrestDesacordo"),
    (
        waybill_events.DisagreementCancellation,
        "cte/schemas/v4_0/evCancPrestDesacordo_v4.00.xsd",
        "evCancPrestDesacordo",
    ),
    (Manifest, "mdfe/schemas/v3_0/mdfe_v3.00.xsd", "MDFe/infMDFe"),
    (ManifestRoad, "mdfe/schemas/v3_0/mdfeModalRodoviario_v3.00.xsd", "rodo"),
    (ManifestAir, "mdfe/schemas/v3_0/mdfeModalAereo_v3.00.xsd", "aereo"),
    (ManifestWater, "mdfe/schemas/v3_0/mdfeModalAquaviario_v3.00.xsd", "aquav"),
    (ManifestRail, "mdfe/schemas/v3_0/mdfeModalFerroviario_v3.00.xsd", "ferrov"),
    (
        manifest_events.ManifestEventInformation,
        "mdfe/schemas/v3_0/eventoMDFe_v3.00.xsd",
        "eventoMDFe/infEvento",
    ),
    (manifest_events.ManifestCancellation, "mdfe/schemas/v3_0/evCancMDFe_v3.00.xsd", "evCancMDFe"),
    (manifest_events.ManifestClosing, "mdfe/schemas/v3_0/evEncMDFe_v3.00.xsd", "evEncMDFe"),
    (manifest_events.DriverInclusion, "mdfe/schemas/v3_0/evIncCondutorMDFe_v3.00.xsd", "evIncCondutorMDFe"),
    (manifest_events.DocumentInclusion, "mdfe/schemas/v3_0/evInclusaoDFeMDFe_v3.00.xsd", "evIncDFeMDFe"),
    (manifest_events.PaymentRegistration, "mdfe/schemas/v3_0/evPagtoOperMDFe_v3.00.xsd", "evPagtoOperMDFe"),
    (
        manifest_events.PaymentChange,
        "mdfe/schemas/v3_0/evAlteracaoPagtoServMDFe_v3.00.xsd",
        "evAlteracaoPagtoServMDFe",
    ),
    (ServiceNote, "nfse/schemas/v1_0/DPS_v1.01.xsd", "DPS/infDPS"),
    (IssuedNote, "nfse/schemas/v1_0/NFSe_v1.01.xsd", "NFSe/infNFSe"),
    (
        service_events.EventRequest,
        "nfse/schemas/v1_0/pedRegEvento_v1.01.xsd",
        "pedRegEvento/infPedReg",
    ),
    (archived.EventRegistration, "nfse/schemas/v1_0/evento_v1.01.xsd", "evento/infEvento"),
]

OF_OFFICES = ("105104", "105105", "305101", "305102", "305103")
MANIFESTATIONS = ("202201", "204203", "205204", "202205", "204207", "205208")

LEFT_OUT = {
    "Invoice/avulsa": "only tax offices issue it",
    "Invoice/det/imposto/ISSQN": "services are issued as NFS-e",
    "Invoice/total/ISSQNtot": "services are issued as NFS-e",
    "Waybill/ide/gCompraGov/refDFeAnt": "its form differs between the official packages",
    "Waybill/ide/tpPagAnt": "advance payments, not offered",
    "Waybill/ide/gPagAntecipado": "advance payments, not offered",
    "Waybill/imp/ICMS/gICMSPrevistoPagtoAntecip": "advance payments, not offered",
    "Waybill/pgtoVinc": "links to payments, optional and not offered",
    "Waybill/infSolicNFF": "written by the application of the authorities",
    "Waybill/infPAA": "written by providers of signatures",
    "OsWaybill/ide/gCompraGov/refDFeAnt": "its form differs between the official packages",
    "OsWaybill/ide/tpPagAnt": "advance payments, not offered",
    "OsWaybill/ide/gPagAntecipado": "advance payments, not offered",
    "OsWaybill/imp/ICMS/gICMSPrevistoPagtoAntecip": "advance payments, not offered",
    "OsWaybill/pgtoVinc": "links to payments, optional and not offered",
    "WaybillEventInformation/infSolicNFF": "written by the application of the authorities",
    "WaybillEventInformation/infPAA": "written by providers of signatures",
    "Water/detCont/infDoc/infNF": "invoices on paper in containers, not offered",
    "Manifest/infSolicNFF": "written by the application of the authorities",
    "Manifest/infPAA": "written by providers of signatures",
    "ManifestEventInformation/infSolicNFF": "written by the application of the authorities",
    "ManifestEventInformation/infPAA": "written by providers of signatures",
    "InutilizationRange/Id": "written with the signature, which refers to it",
    "IssuedNote/DPS/Signature": "read apart, for its digest alone",
    "EventRegistration/pedRegEvento": "read apart, as its type is not known before",
    "EventRequest/e101103": "a request to the municipality that carimbo does not send",
    "EventRequest/e105102": "registered by the authority with the note that replaces another",
    **{f"EventRequest/e{code}": "registered by tax offices" for code in OF_OFFICES},
    **{f"EventRequest/e{code}": "a manifestation of others than the taker" for code in MANIFESTATIONS},
}

EVENT_TAGS_OF_WAYBILLS = (
    "evCancCTe", "evCCeCTe", "evCECTe", "evCancCECTe", "evIECTe", "evCancIECTe", "evGTV",
    "evPrestDesacordo", "evCancPrestDesacordo",
)  # fmt: skip

EVENT_TAGS_OF_MANIFESTS = (
    "evCancMDFe", "evEncMDFe", "evIncCondutorMDFe", "evIncDFeMDFe", "evPagtoOperMDFe",
    "evAlteracaoPagtoServMDFe",
)  # fmt: skip

EXPLAINED = {
    "Invoice/emit/enderEmit/CEP: declared required=False, XSD True": "one Address for all parties",
    "Invoice/emit/enderEmit/xPais: declared with 60 characters, XSD 6": "one Address for all parties",
    "OsWaybill/infCTeNorm/infModal/rodoOS: not in the XSD": "each mode has its own XSD, and is a root here",
    **{
        f"Waybill/infCTeNorm/infModal/{tag}: not in the XSD": "each mode has its own XSD, and is a root here"
        for tag in ("rodo", "aereo", "aquav", "ferrov", "duto", "multimodal")
    },
    **{
        f"WaybillEventInformation/detEvento/{tag}: not in the XSD": "each type has its own XSD"
        for tag in EVENT_TAGS_OF_WAYBILLS
    },
    **{
        f"Manifest/infModal/{tag}: not in the XSD": "each mode has its own XSD, and is a root here"
        for tag in ("rodo", "aereo", "aquav", "ferrov")
    },
    **{
        f"ManifestEventInformation/detEvento/{tag}: not in the XSD": "each type has its own XSD"
        for tag in EVENT_TAGS_OF_MANIFESTS
    },
    **{
        f"{event}/infPag/indAltoDesemp: not in the XSD": "refused in the requests of events"
        for event in ("PaymentRegistration", "PaymentChange")
    },
    "WaybillCancellation/nProt: declared with 17 characters, XSD 15": "TProt grew to 17 in the NF-e",
    "Cancellation/nProt: declared with 17 characters, XSD 15": "TProt grew to 17 in tiposBasico_v4.00",
}

# `group` requires a zone wherever a declaration says datetime.
TYPES: dict[str, Any] = {
    "text": str,
    "texts": tuple[str, ...],
    "decimal": Decimal,
    "integer": int,
    "moment": AwareDatetime,
    "day": date,
}


def official(file: str, path: str) -> Node:
    nfelib = find_spec("nfelib")
    assert nfelib is not None and nfelib.submodule_search_locations
    return Schema(Path(nfelib.submodule_search_locations[0]) / file).at(path)


def below(lines: dict[str, str], record: type) -> list[str]:
    return sorted(line for line in lines if line.startswith(f"{record.__name__}/"))


def reachable(record: type) -> Iterator[type]:
    yield record
    for groups in groups_in(record).values():
        for inner in groups:
            yield from reachable(inner)


def mistyped(record: type) -> Iterator[str]:
    hints = get_type_hints(record)
    for field in dataclasses.fields(record):
        expected = TYPES.get(layout_of(record).elements[field.name].kind, hints[field.name])
        if hints[field.name] != (expected | None if field.default is None else expected):
            yield f"{record.__name__}.{field.name}: {hints[field.name]}"


each_root = pytest.mark.parametrize("root", ROOTS, ids=lambda root: root[0].__name__)


@each_root
class TestDeclaredGroups:
    def test_declared_groups_match_the_xsd(self, root: Root) -> None:
        record, file, path = root
        mismatches = differences(declared(record), official(file, path), record.__name__)
        assert sorted(mismatches) == below(EXPLAINED, record)

    def test_no_element_of_the_xsd_is_left_out_without_a_reason(self, root: Root) -> None:
        record, file, path = root
        missing = left_out(declared(record), official(file, path), record.__name__)
        assert sorted(missing) == below(LEFT_OUT, record)

    def test_every_field_is_annotated_with_the_type_that_is_written(self, root: Root) -> None:
        assert [name for record in reachable(root[0]) for name in mistyped(record)] == []


@group("fat")
class Fat:
    number: Decimal | None = decimal("nFat", default=None)
    amount: Decimal | None = decimal("vLiq", 3, default=None)
    original_amount: Decimal | None = decimal("vOrig", default=None)
    paid: str | None = text("vPago", 15, default=None)


@group("dup")
class Dup:
    number: str = text("nDup", 50)
    due_on: str | None = text("dVenc", 10, default=None)
    paid_on: date | None = day("dPag", default=None)
    amount: Decimal | None = decimal("vDup", default=None)


@group("cobr")
class WrongBilling:
    invoices: tuple[Fat, ...] = children("fat", 3, default=())
    installment: Dup | None = child("dup", default=None)


@group("dup")
class Mistyped:
    number: str | None = text("nDup", 60, default=None)
    due_on: str | None = day("dVenc", default=None)
    amount: Decimal = decimal("vDup", default=None)


class TestAWrongDeclaration:
    """The comparison itself: each kind of mistake is reported with its path and both values."""

    cobr = ("nfe/schemas/v4_0/nfe_v4.00.xsd", "NFe/infNFe/cobr")

    def test_every_mistake_of_a_declaration_is_reported(self) -> None:
        assert list(differences(declared(WrongBilling), official(*self.cobr), "cobr")) == [
            "cobr/fat: declared max_count=3, XSD 1",
            "cobr/fat/vPago: not in the XSD",
            "cobr/fat: declared in the order ['nFat', 'vLiq', 'vOrig'], XSD ['nFat', 'vOrig', 'vLiq']",
            "cobr/fat/nFat: declared as ['decimal'], XSD ['text']",
            "cobr/fat/vLiq: declared with 3 decimals, XSD 2",
            "cobr/dup: declared max_count=1, XSD 120",
            "cobr/dup/dPag: not in the XSD",
            "cobr/dup/nDup: declared required=True, XSD False",
            "cobr/dup/nDup: declared with 50 characters, XSD 60",
            "cobr/dup/dVenc: declared as ['text'], XSD ['day']",
            "cobr/dup/vDup: declared required=False, XSD True",
        ]

    def test_wrong_annotation_is_reported(self) -> None:
        assert list(mistyped(Mistyped)) == [
            "Mistyped.due_on: typing.Optional[str]",
            f"Mistyped.amount: {Decimal}",
        ]

    def test_missing_element_is_reported(self) -> None:
        assert list(left_out(declared(WrongBilling), official(*self.cobr), "cobr")) == ["cobr/fat/vDesc"]
