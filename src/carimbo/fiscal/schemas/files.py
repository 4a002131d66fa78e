"""The XSD files in force, and their compilation."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from lxml import etree

_NFE = "nfe/schemas/v4_0"
_CANCELLATION = "nfe_evento_cancel/schemas/v1_0"
_CORRECTION = "nfe_evento_cce/schemas/v1_0"
_MANIFESTATION = "nfe_evento_mde/schemas/v1_0"
_DISTRIBUTION = "nfe_dist_dfe/schemas/v1_0"
_NFSE = "nfse/schemas/v1_0"
_CTE = "cte/schemas/v4_0"
_CTE_DISTRIBUTION = "cte_dist_dfe/schemas/v1_0"
_MDFE = "mdfe/schemas/v3_0"
_MDFE_DISTRIBUTION = "mdfe_dist_dfe/schemas/v1_0"


class Schema(Enum):
    """A message that has an official XSD; the value is the path of its XSD in nfelib."""

    NFE = f"{_NFE}/nfe_v4.00.xsd"
    NFE_AUTHORIZED = f"{_NFE}/procNFe_v4.00.xsd"
    NFE_BATCH = f"{_NFE}/enviNFe_v4.00.xsd"
    NFE_BATCH_ANSWER = f"{_NFE}/retEnviNFe_v4.00.xsd"
    NFE_RECEIPT_QUERY = f"{_NFE}/consReciNFe_v4.00.xsd"
    NFE_RECEIPT_ANSWER = f"{_NFE}/retConsReciNFe_v4.00.xsd"
    NFE_DOCUMENT_QUERY = f"{_NFE}/consSitNFe_v4.00.xsd"
    NFE_DOCUMENT_ANSWER = f"{_NFE}/retConsSitNFe_v4.00.xsd"
    NFE_SERVICE_QUERY = f"{_NFE}/consStatServ_v4.00.xsd"
    NFE_SERVICE_ANSWER = f"{_NFE}/retConsStatServ_v4.00.xsd"
    NFE_INUTILIZATION = f"{_NFE}/inutNFe_v4.00.xsd"
    NFE_INUTILIZATION_ANSWER = f"{_NFE}/retInutNFe_v4.00.xsd"
    NFE_INUTILIZATION_REGISTERED = f"{_NFE}/procInutNFe_v4.00.xsd"

    NFE_CANCELLATION = f"{_CANCELLATION}/eventoCancNFe_v1.00.xsd"
    NFE_CANCELLATION_BATCH = f"{_CANCELLATION}/envEventoCancNFe_v1.00.xsd"
    NFE_CANCELLATION_ANSWER = f"{_CANCELLATION}/retEnvEventoCancNFe_v1.00.xsd"
    NFE_CANCELLATION_REGISTERED = f"{_CANCELLATION}/procEventoCancNFe_v1.00.xsd"
    NFE_CORRECTION = f"{_CORRECTION}/CCe_v1.00.xsd"
    NFE_CORRECTION_BATCH = f"{_CORRECTION}/envCCe_v1.00.xsd"
    NFE_CORRECTION_ANSWER = f"{_CORRECTION}/retEnvCCe_v1.00.xsd"
    NFE_CORRECTION_REGISTERED = f"{_CORRECTION}/procCCeNFe_v1.00.xsd"
    NFE_MANIFESTATION = f"{_MANIFESTATION}/confRecebto_v1.00.xsd"
    NFE_MANIFESTATION_BATCH = f"{_MANIFESTATION}/envConfRecebto_v1.00.xsd"
    NFE_MANIFESTATION_ANSWER = f"{_MANIFESTATION}/retEnvConfRecebto_v1.00.xsd"
    NFE_MANIFESTATION_REGISTERED = f"{_MANIFESTATION}/procConfRecebtoNFe_v1.00.xsd"

    NFE_DISTRIBUTION = f"{_DISTRIBUTION}/distDFeInt_v1.01.xsd"
    NFE_DISTRIBUTION_ANSWER = f"{_DISTRIBUTION}/retDistDFeInt_v1.01.xsd"
    NFE_SUMMARY = f"{_DISTRIBUTION}/resNFe_v1.01.xsd"
    NFE_EVENT_SUMMARY = f"{_DISTRIBUTION}/resEvento_v1.01.xsd"

    NFSE_DPS = f"{_NFSE}/DPS_v1.01.xsd"
    NFSE_AUTHORIZED = f"{_NFSE}/NFSe_v1.01.xsd"
    NFSE_EVENT = f"{_NFSE}/pedRegEvento_v1.01.xsd"
    NFSE_EVENT_REGISTERED = f"{_NFSE}/evento_v1.01.xsd"

    CTE = f"{_CTE}/cte_v4.00.xsd"
    CTE_AUTHORIZED = f"{_CTE}/procCTe_v4.00.xsd"
    CTE_ANSWER = f"{_CTE}/retCTe_v4.00.xsd"
    CTE_DOCUMENT_QUERY = f"{_CTE}/consSitCTe_v4.00.xsd"
    CTE_DOCUMENT_ANSWER = f"{_CTE}/retConsSitCTe_v4.00.xsd"
    CTE_SERVICE_QUERY = f"{_CTE}/consStatServCTe_v4.00.xsd"
    CTE_SERVICE_ANSWER = f"{_CTE}/retConsStatServCTe_v4.00.xsd"
    CTE_ROAD = f"{_CTE}/cteModalRodoviario_v4.00.xsd"
    CTE_AIR = f"{_CTE}/cteModalAereo_v4.00.xsd"
    CTE_WATER = f"{_CTE}/cteModalAquaviario_v4.00.xsd"
    CTE_RAIL = f"{_CTE}/cteModalFerroviario_v4.00.xsd"
    CTE_PIPELINE = f"{_CTE}/cteModalDutoviario_v4.00.xsd"
    CTE_MULTIMODAL = f"{_CTE}/cteMultiModal_v4.00.xsd"
    CTE_OS = f"{_CTE}/cteOS_v4.00.xsd"
    CTE_OS_AUTHORIZED = f"{_CTE}/procCTeOS_v4.00.xsd"
    CTE_OS_ANSWER = f"{_CTE}/retCTeOS_v4.00.xsd"
    CTE_OS_ROAD = f"{_CTE}/cteModalRodoviarioOS_v4.00.xsd"
    CTE_EVENT = f"{_CTE}/eventoCTe_v4.00.xsd"
    CTE_EVENT_ANSWER = f"{_CTE}/retEventoCTe_v4.00.xsd"
    CTE_EVENT_REGISTERED = f"{_CTE}/procEventoCTe_v4.00.xsd"
    CTE_CANCELLATION = f"{_CTE}/evCancCTe_v4.00.xsd"
    CTE_CORRECTION = f"{_CTE}/evCCeCTe_v4.00.xsd"
    CTE_DELIVERY = f"{_CTE}/evCECTe_v4.00.xsd"
    CTE_DELIVERY_CANCELLATION = f"{_CTE}/evCancCECTe_v4.00.xsd"
    CTE_FAILED_DELIVERY = f"{_CTE}/evIECTe_v4.00.xsd"
    CTE_FAILED_DELIVERY_CANCELLATION = f"{_CTE}/evCancIECTe_v4.00.xsd"
    CTE_GTV = f"{_CTE}/evGTV_v4.00.xsd"
    CTE_DISAGREEMENT = f"{_CTE}/evPrestDesacordo_v4.00.xsd"
    CTE_DISAGREEMENT_CANCELLATION = f"{_CTE}/evCancPrestDesacordo_v4.00.xsd"

    CTE_DISTRIBUTION = f"{_CTE_DISTRIBUTION}/distDFeInt_v1.00.xsd"
    CTE_DISTRIBUTION_ANSWER = f"{_CTE_DISTRIBUTION}/retDistDFeInt_v1.00.xsd"

    MDFE = f"{_MDFE}/mdfe_v3.00.xsd"
    MDFE_AUTHORIZED = f"{_MDFE}/procMDFe_v3.00.xsd"
    MDFE_ANSWER = f"{_MDFE}/retMDFe_v3.00.xsd"
    MDFE_DOCUMENT_QUERY = f"{_MDFE}/consSitMDFe_v3.00.xsd"
    MDFE_DOCUMENT_ANSWER = f"{_MDFE}/retConsSitMDFe_v3.00.xsd"
    MDFE_SERVICE_QUERY = f"{_MDFE}/consStatServMDFe_v3.00.xsd"
    MDFE_SERVICE_ANSWER = f"{_MDFE}/retConsStatServMDFe_v3.00.xsd"
    MDFE_OPEN_QUERY = f"{_MDFE}/consMDFeNaoEnc_v3.00.xsd"
    MDFE_OPEN_ANSWER = f"{_MDFE}/retConsMDFeNaoEnc_v3.00.xsd"
    MDFE_ROAD = f"{_MDFE}/mdfeModalRodoviario_v3.00.xsd"
    MDFE_AIR = f"{_MDFE}/mdfeModalAereo_v3.00.xsd"
    MDFE_WATER = f"{_MDFE}/mdfeModalAquaviario_v3.00.xsd"
    MDFE_RAIL = f"{_MDFE}/mdfeModalFerroviario_v3.00.xsd"
    MDFE_EVENT = f"{_MDFE}/eventoMDFe_v3.00.xsd"
    MDFE_EVENT_ANSWER = f"{_MDFE}/retEventoMDFe_v3.00.xsd"
    MDFE_EVENT_REGISTERED = f"{_MDFE}/procEventoMDFe_v3.00.xsd"
    MDFE_CANCELLATION = f"{_MDFE}/evCancMDFe_v3.00.xsd"
    MDFE_CLOSING = f"{_MDFE}/evEncMDFe_v3.00.xsd"
    MDFE_DRIVER = f"{_MDFE}/evIncCondutorMDFe_v3.00.xsd"
    MDFE_DOCUMENTS = f"{_MDFE}/evInclusaoDFeMDFe_v3.00.xsd"
    MDFE_PAYMENT = f"{_MDFE}/evPagtoOperMDFe_v3.00.xsd"
    MDFE_PAYMENT_CHANGE = f"{_MDFE}/evAlteracaoPagtoServMDFe_v3.00.xsd"

    MDFE_DISTRIBUTION = f"{_MDFE_DISTRIBUTION}/distDFeInt_v1.00.xsd"
    MDFE_DISTRIBUTION_ANSWER = f"{_MDFE_DISTRIBUTION}/retDistDFeInt_v1.00.xsd"

    @property
    def file_name(self) -> str:
        """The official name of the file."""
        return PurePosixPath(self.value).name


PACKAGE = "nfelib"
"""The installed distribution with the official XSDs."""


class SchemaUnusable(ValueError):
    """An XSD is missing or does not compile; the Portuguese message has the file."""


@dataclass(frozen=True, slots=True)
class SchemaFile:
    """The file in force for a message."""

    path: Path
    is_operators: bool
    """Whether it is from the operator's folder: it is used as it is, except for `WIDER_THAN_OFFICIAL`."""


_INCLUDED = ("{http://www.w3.org/2001/XMLSchema}include", "{http://www.w3.org/2001/XMLSchema}import")
_PATTERN = "{http://www.w3.org/2001/XMLSchema}pattern"

# CNPJs and access keys may have letters since July 2026 (NT Conjunta 2025.001), protocols 17 digits
# (TProt of tiposBasico_v4.00), and the official packages allow it. nfelib 3.2 has older XSDs of events,
# inutilization and consult: these are the outdated types and attributes, with their new patterns.
# An Id is `ID` + event (6) + key (44) + sequence (2), or `ID` + state (2) + year (2) + CNPJ (14) + model,
# series and two numbers (23), or `ID` + protocol.
_STATE_AND_MONTH = r"(1[1-7]|2[1-9]|3[1,2,3,5]|4[1-3]|5[0-3])(0[6-9]|[1-9][\d])(0[1-9]|1[0-2])"
_AFTER_CNPJ = r"([\d]{5})([\d]{9})([\d]{10})"
WIDER: Mapping[tuple[str, str], str] = {
    ("TCnpj", "[0-9]{14}"): "[0-9A-Z]{12}[0-9]{2}",
    ("TCnpjVar", "[0-9]{3,14}"): "[0-9]{3,14}|[0-9A-Z]{12}[0-9]{2}",
    ("TCnpjOpc", "[0-9]{0}|[0-9]{14}"): "[0-9]{0}|[0-9A-Z]{12}[0-9]{2}",
    ("TChNFe", "[0-9]{44}"): "[0-9]{6}[0-9A-Z]{12}[0-9]{26}",
    ("TChNFe", _STATE_AND_MONTH + r"([\d]{14})" + _AFTER_CNPJ): (
        _STATE_AND_MONTH + r"([0-9A-Z]{12}[\d]{2})" + _AFTER_CNPJ
    ),
    ("TProt", "[0-9]{15}"): "[0-9]{15}|[0-9]{17}",
    ("Id", "ID[0-9]{52}"): "ID[0-9]{12}[0-9A-Z]{12}[0-9]{28}",
    ("Id", "ID[0-9]{41}"): "ID[0-9]{4}[0-9A-Z]{12}[0-9]{25}",
    ("Id", "ID[0-9]{15}"): "ID[0-9]{15}|ID[0-9]{17}",
    # Keys and Ids of the national NFS-e have the CNPJ at its real position: the newer official pattern of
    # the key has its letters elsewhere. The municipality (7), in keys the system (1), and the kind of
    # taxpayer (1) precede it.
    ("TSCNPJ", "[0-9]{14}"): "[0-9A-Z]{12}[0-9]{2}",
    ("TSChaveNFe", "[0-9]{44}"): "[0-9]{6}[0-9A-Z]{12}[0-9]{26}",
    ("TSChaveNFSe", "[0-9]{50}"): "[0-9]{9}[0-9A-Z]{12}[0-9]{29}",
    ("TSIdDPS", "DPS[0-9]{42}"): "DPS[0-9]{8}[0-9A-Z]{12}[0-9]{22}",
    ("TSIdNFSe", "NFS[0-9]{50}"): "NFS[0-9]{9}[0-9A-Z]{12}[0-9]{29}",
    ("TSIdPedRegEvt", "PRE[0-9]{56}"): "PRE[0-9]{9}[0-9A-Z]{12}[0-9]{35}",
    ("TSIdEvento", "EVT[0-9]{59}"): "EVT[0-9]{9}[0-9A-Z]{12}[0-9]{38}",
    ("TSIdNumEvento", "[0-9]{59}"): "[0-9]{9}[0-9A-Z]{12}[0-9]{38}",
}

WIDER_THAN_OFFICIAL: Mapping[tuple[str, str], str] = {
    ("Id", "MDFe[0-9]{44}"): "MDFe[0-9]{6}[0-9A-Z]{12}[0-9]{26}",
}
"""The official XSD of MDF-e still has a numeric Id, though the keys of companies with letters are valid."""


def widen_patterns(xsd: etree._Element, wider: Mapping[tuple[str, str], str]) -> None:
    """Gives an XSD wider patterns, by the type or attribute and its present pattern."""
    for pattern in xsd.iter(_PATTERN):
        owner = next(name for name in (element.get("name") for element in pattern.iterancestors()) if name)
        value = pattern.get("value", "")
        pattern.set("value", wider.get((owner, value), value))


def files_in_force(folder: Path | None) -> Mapping[Schema, SchemaFile]:
    """Returns the file of every message: the operator's if there is one, else nfelib's."""
    package, operators = _package_folder(), _found_below(folder) if folder else {}
    return {
        schema: SchemaFile(operators[schema.file_name], is_operators=True)
        if schema.file_name in operators
        else SchemaFile(package / schema.value, is_operators=False)
        for schema in Schema
    }


def _package_folder() -> Path:
    """Returns the folder of nfelib without importing it: its bindings are megabytes of unused Python."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise SchemaUnusable(f"O pacote {PACKAGE}, que traz os schemas oficiais, não está instalado.")
    return Path(spec.submodule_search_locations[0])


def _found_below(folder: Path) -> dict[str, Path]:
    """Returns XSDs by name; of equal names, that in the greater folder name, as PL_010f follows PL_010d."""
    if not folder.is_dir():
        raise SchemaUnusable(f"A pasta de schemas {folder} não existe.")
    files = sorted(folder.rglob("*.xsd"), key=lambda file: file.relative_to(folder).parent.parts)
    return {file.name: file for file in files}


# If two threads compile at once, one may fail for types that libxml2 has not created yet.
_COMPILING = threading.Lock()


def compile_schema(file: SchemaFile) -> etree.XMLSchema:
    """Compiles an XSD with all included files, in one thread at a time; raises SchemaUnusable.

    The files are written to a folder, and compiled from there. A resolver of lxml would not do: libxml2 has
    one loader of included files for the whole process, and lxml sets and resets it at every parse. When a
    parse ends in another thread, nfelib's own files would be included, without the wider patterns.
    """
    try:
        with TemporaryDirectory(prefix="carimbo-xsd-") as folder:
            for name, root in _read_all(file).items():
                root.getroottree().write(str(Path(folder, name)), encoding="utf-8", xml_declaration=True)
            with _COMPILING:
                return etree.XMLSchema(file=str(Path(folder, file.path.name)))
    except (OSError, etree.LxmlError) as error:
        raise SchemaUnusable(f"O schema {file.path} não pode ser usado: {_reason(error)}") from error


def schema_sources(file: SchemaFile) -> list[etree._Element]:
    """Returns the parsed XSD in force and all files that it includes."""
    return list(_read_all(file).values())


def _read_all(file: SchemaFile) -> dict[str, etree._Element]:
    """Returns the parsed XSD and all files that it includes, by their names; all are in the same folder."""
    parsed: dict[str, etree._Element] = {}
    names = [file.path.name]
    for name in names:
        if name in parsed:
            continue
        path = file.path.with_name(name)
        root = etree.fromstring(path.read_bytes(), etree.XMLParser(no_network=True), base_url=str(path))
        # The operator's files are in force as they are, except for what no official file accepts yet.
        widen_patterns(root, WIDER_THAN_OFFICIAL if file.is_operators else {**WIDER, **WIDER_THAN_OFFICIAL})
        parsed[name] = root
        for included in root.iterchildren(*_INCLUDED):
            location = included.get("schemaLocation")
            if location:
                names.append(Path(location).name)
                included.set("schemaLocation", names[-1])
    return parsed


def _reason(error: Exception) -> str:
    """Returns the first error, with its file, which is often an included one."""
    if isinstance(error, etree.XMLSyntaxError) and error.filename:
        return f"{Path(error.filename).name}, linha {error.lineno}: {error.msg}"
    if not isinstance(error, etree.XMLSchemaParseError):
        return str(error)
    log: Any = error.error_log
    first = log.filter_from_errors()[0]
    return f"{Path(first.filename).name}, linha {first.line}: {first.message}"
