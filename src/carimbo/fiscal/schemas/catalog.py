"""The messages that have an official XSD, as data: another document type joins by lines."""

from enum import Enum
from pathlib import PurePosixPath

_NFE = "nfe/schemas/v4_0"
_CANCELLATION = "nfe_evento_cancel/schemas/v1_0"
_CORRECTION = "nfe_evento_cce/schemas/v1_0"
_MANIFESTATION = "nfe_evento_mde/schemas/v1_0"
_DISTRIBUTION = "nfe_dist_dfe/schemas/v1_0"
_NFSE = "nfse/schemas/v1_0"


class Schema(Enum):
    """A message; its value is where nfelib keeps the XSD that the message begins with."""

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

    @property
    def file_name(self) -> str:
        """What the authorities call the file, in whatever package it comes."""
        return PurePosixPath(self.value).name
