"""The header of every sheet: issuer, title, bar code, QR code, protocol, number and circumstances."""

from collections.abc import Iterable
from dataclasses import dataclass

from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.layouts.mdfe_v3.archived import ArchivedManifest
from carimbo.fiscal.layouts.mdfe_v3.identification import ManifestIdentification
from carimbo.fiscal.layouts.mdfe_v3.manifest import Manifest
from carimbo.fiscal.layouts.mdfe_v3.road import ManifestRoad
from carimbo.printing import formats
from carimbo.printing.engine.canvas import Align, Canvas
from carimbo.printing.engine.images import PlainPng
from carimbo.printing.issuer_box import IssuerBox, identity_lines, issuer_box
from carimbo.printing.key_panel import (
    ISSUER_WIDTH,
    NUMBER_FIELDS_WIDTH,
    NUMBER_ROW_HEIGHT,
    PANEL_LEFT,
    TITLE_HEIGHT,
    KeyPanel,
    authorization_rows,
    key_panel,
    number_fields,
)
from carimbo.printing.sheet import CONTENT, LEFT, PrintedField, Row, draw_rows, row, rows_height

NAME = "MDF-e"
PORTAL = "dfe-portal.svrs.rs.gov.br/mdfe/consulta"
MODES = {"1": "RODOVIÁRIO", "2": "AÉREO", "3": "AQUAVIÁRIO", "4": "FERROVIÁRIO"}
_DESCRIPTION = "Documento Auxiliar do Manifesto Eletrônico de Documentos Fiscais"
_CONTINGENCY = "EMISSÃO EM CONTINGÊNCIA. Obrigatória a autorização em 168 horas após esta emissão"
_EMISSIONS: dict[str, str] = {
    EmissionType.NORMAL: "NORMAL",
    EmissionType.OFFLINE_MANIFEST: "CONTINGÊNCIA",
    EmissionType.NFF: "REGIME ESPECIAL NFF",
}
_ISSUER_TYPES = {
    "1": "PRESTADOR DE SERVIÇO DE TRANSPORTE",
    "2": "TRANSPORTADOR DE CARGA PRÓPRIA",
    "3": "PRESTADOR DE SERVIÇO DE TRANSPORTE, CT-e GLOBALIZADO",
}
_CARRIER_TYPES = {"1": "ETC", "2": "TAC", "3": "CTC"}
_ENVIRONMENTS = {"1": "PRODUÇÃO", "2": "HOMOLOGAÇÃO"}
_STATE = (CONTENT - NUMBER_FIELDS_WIDTH - 50) / 2


@dataclass(frozen=True, slots=True)
class DamdfeHeader:
    """The header, measured once; only the sheet number differs between sheets."""

    identification: ManifestIdentification
    issuer: IssuerBox
    panel: KeyPanel
    authorization: tuple[Row, ...]
    """The rows below the codes."""
    circumstances: Row
    """The last row, over the whole width."""

    @property
    def height(self) -> float:
        return self._upper_height + NUMBER_ROW_HEIGHT + self.circumstances.height

    @property
    def _upper_height(self) -> float:
        panel = TITLE_HEIGHT + self.panel.codes_height + rows_height(self.authorization)
        return max(self.issuer.height, panel)

    def draw(self, canvas: Canvas, y: float, sheet: int, sheets: int) -> None:
        """Draws it with its upper edge at y."""
        bottom = y + self._upper_height
        self.issuer.draw(canvas, y, self._upper_height)

        authorization = bottom - rows_height(self.authorization)
        self.panel.draw_title(canvas, y)
        self.panel.draw_codes(canvas, y + TITLE_HEIGHT, authorization - y - TITLE_HEIGHT)
        draw_rows(canvas, self.authorization, PANEL_LEFT, authorization)

        bottom = self._number_row(canvas, f"{sheet}/{sheets}").draw(canvas, LEFT, bottom)
        self.circumstances.draw(canvas, LEFT, bottom)

    def _number_row(self, canvas: Canvas, sheet: str) -> Row:
        about = self.identification
        return row(
            canvas,
            *number_fields(about.model, about.series, about.number, sheet),
            PrintedField("DATA E HORA DA EMISSÃO", formats.day_and_hour(about.issued_at), 50, Align.CENTER),
            PrintedField("UF DE CARREGAMENTO", about.start_state, _STATE, Align.CENTER),
            PrintedField("UF DE DESCARREGAMENTO", about.end_state, _STATE, Align.CENTER),
        )


def damdfe_header(
    canvas: Canvas, archived: ArchivedManifest, notices: Iterable[str], logo: PlainPng | None
) -> DamdfeHeader:
    """Measures the header, with notices below the protocol."""
    manifest, about = archived.manifest, archived.manifest.identification
    numbers = ("IE", manifest.issuer.state_registration), ("RNTRC", _rntrc(manifest))
    return DamdfeHeader(
        about,
        issuer_box(
            canvas, ISSUER_WIDTH, manifest.issuer.name, identity_lines(manifest.issuer, *numbers), logo
        ),
        key_panel(
            "DAMDFE",
            _DESCRIPTION,
            MODES.get(about.mode, about.mode),
            access_key=archived.access_key,
            qr_code_text=archived.qr_code,
            consult=f"Consulta de autenticidade em https://{PORTAL}",
            bars_title="CONTROLE DO FISCO",
        ),
        authorization_rows(canvas, _protocol(archived), about.environment, notices),
        _circumstances(canvas, about),
    )


def _circumstances(canvas: Canvas, about: ManifestIdentification) -> Row:
    trip, carrier = about.trip_starts_at, about.carrier_type or ""
    fields = (
        PrintedField("FORMA DE EMISSÃO", _EMISSIONS.get(about.emission_type, about.emission_type), 24),
        PrintedField("PREVISÃO DE INÍCIO DA VIAGEM", formats.day_and_hour(trip) if trip else "", 36),
        PrintedField("TIPO DO EMITENTE", _ISSUER_TYPES.get(about.issuer_type, about.issuer_type), 56),
        PrintedField("TIPO DO TRANSPORTADOR", _CARRIER_TYPES.get(carrier, carrier), 26),
        PrintedField("AMBIENTE", _ENVIRONMENTS.get(about.environment, about.environment), 24),
        PrintedField("CARGA POSTERIOR", "SIM" if about.later_loading else "NÃO", 18),
        PrintedField("CANAL VERDE", "SIM" if about.green_channel else "NÃO", CONTENT - 184),
    )
    return row(canvas, *fields, size=8)


def _rntrc(manifest: Manifest) -> str | None:
    """Returns the carrier's registration at the ANTT, which only manifests by road have."""
    road = manifest.mode.content
    return road.carrier.rntrc if isinstance(road, ManifestRoad) and road.carrier else None


def _protocol(archived: ArchivedManifest) -> str:
    """Returns the protocol, or what replaces it until a manifest of contingency is authorized."""
    about = archived.manifest.identification
    is_authorized = archived.protocol is not None and archived.protocol.number is not None
    if about.emission_type == EmissionType.OFFLINE_MANIFEST and not is_authorized:
        return f"{_CONTINGENCY} ({formats.day_and_hour(about.issued_at)})"
    return formats.protocol(archived.protocol)
