"""Types of setting values; their validators report problems in Portuguese."""

import ssl
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, DirectoryPath, Field, FilePath

from carimbo.fiscal.identity.tax_ids import is_cnpj
from carimbo.outbound.target import AllowedHosts, UrlRefused, host_of
from carimbo.service.delivery.retry import RetrySchedule

Port = Annotated[int, Field(ge=0, le=65_535)]
Seconds = Annotated[float, Field(gt=0)]
Minutes = Annotated[float, Field(gt=0)]
Days = Annotated[float, Field(gt=0)]
_MAX_RETRIES = 5
_DEFAULT_PORTS = {"http": 80, "https": 443}


def _retries(text: str) -> str:
    if len(RetrySchedule.parse(text).pauses) > _MAX_RETRIES:
        raise ValueError(f"no máximo {_MAX_RETRIES} pausas")
    return text


Pauses = Annotated[str, AfterValidator(_retries)]


def _absolute(path: Path) -> Path:
    """Refuses a relative path: it would depend on the folder in which the process was started."""
    if not path.is_absolute():
        raise ValueError("informe um caminho absoluto")
    return path


Folder = Annotated[DirectoryPath, AfterValidator(_absolute)]
File = Annotated[FilePath, AfterValidator(_absolute)]


def _hosts(text: str) -> str:
    try:
        AllowedHosts.parse(text)
    except UrlRefused as objection:
        raise ValueError(str(objection)) from objection
    return text


def _host(text: str) -> str:
    try:
        hosts = [] if {*text} & {*", "} else [*AllowedHosts.parse(text).hosts]
    except UrlRefused:
        hosts = []
    if not hosts:
        raise ValueError("informe só o nome ou o endereço do servidor, sem https://, porta ou espaços")
    return hosts[0]


def _certificates(file: Path) -> Path:
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(file)
    except OSError as error:
        raise ValueError("o arquivo não tem certificados em PEM, ou não pode ser lido") from error
    return file


def _addresses(text: str) -> str:
    for address in filter(None, map(str.strip, text.split(","))):
        try:
            ip_address(address)
        except ValueError:
            raise ValueError(f"{address} não é um endereço IP") from None
    return text


def _public_url(text: str) -> str:
    """Returns an address as browsers spell it: the origin of our pages is compared with what they send."""
    try:
        parts = urlsplit(text)
        port, host = parts.port, host_of(parts)
    except ValueError as error:
        raise ValueError("a porta não é um número de 0 a 65535") from error
    except UrlRefused as objection:
        raise ValueError(str(objection)) from objection
    path = parts.path.rstrip("/")
    if "//" in path or ".." in path:
        raise ValueError("o caminho não pode ter // nem ..")
    host = f"[{host}]" if ":" in host else host
    shown_port = "" if port in (None, _DEFAULT_PORTS[parts.scheme]) else f":{port}"
    return f"{parts.scheme}://{host}{shown_port}{path}"


def _cnpj_or_nothing(text: str) -> str:
    if text and not is_cnpj(text):
        raise ValueError("não é um CNPJ, só com letras maiúsculas e dígitos")
    return text


PublicUrl = Annotated[str, Field(pattern=r"^https?://[^/?#@\s]+(/[^?#\s]*)?$"), AfterValidator(_public_url)]
Addresses = Annotated[str, AfterValidator(_addresses)]
Host = Annotated[str, AfterValidator(_host)]
Hosts = Annotated[str, AfterValidator(_hosts)]
CertificatesFile = Annotated[File, AfterValidator(_certificates)]
OptionalCnpj = Annotated[str, AfterValidator(_cnpj_or_nothing)]
