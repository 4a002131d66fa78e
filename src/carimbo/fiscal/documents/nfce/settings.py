"""A company's settings for NFC-e."""

from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.document_type import ModuleEnvironment, ModuleSettings
from carimbo.fiscal.fields import Changes, Flag, Integer

CscId = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9]{1,6}$"),
    Field(description="Identificador do CSC (idToken).", examples=["1"]),
]
Csc = Annotated[
    str,
    StringConstraints(pattern=r"^[\x21-\x7e]{1,36}$"),
    Field(description="Código de segurança do contribuinte; volta mascarado.", examples=["0123456789ABCDEF"]),
]


class HomologationCsc(Changes):
    """The security code of the test environment."""

    csc_id: CscId | None = None
    csc: Csc | None = None


class NfceSettings(ModuleSettings):
    """Module switch, environment, numbering and the security codes of the QR code."""

    active: Flag = False
    environment: ModuleEnvironment | None = None
    csc_id: CscId | None = None
    csc: Csc | None = None
    homologation: HomologationCsc | None = None
    qr_version: Annotated[Integer, Field(ge=2, le=3)] = Field(
        default=2, description="Versão do QR Code; a 2 exige o CSC."
    )
