"""Base classes and field types of all request bodies.

pydantic is lenient by default (`"10"` passes as a number, `"yes"` as a boolean). Values of a fiscal document
must not be guessed, so each type accepts only the JSON type in the published contract. Exceptions are values
with a single meaning: a blank is an absent field, and a number may be a code.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    PlainSerializer,
    Strict,
    StrictBool,
    StringConstraints,
    ValidationInfo,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from carimbo.fiscal.body import published
from carimbo.fiscal.body.published import Published
from carimbo.fiscal.body.reading import code_of_number, is_stored, reading_of, without_blanks
from carimbo.fiscal.identity import tax_ids
from carimbo.fiscal.identity.access_key import parse_service_key
from carimbo.fiscal.tables.geography import STATES

# Characters that XML 1.0 can't represent, or that don't belong into a single line.
_CONTROL_CHARACTERS = re.compile(r"[\x00-\x1f\x7f\ufffe\uffff]")
_EMAIL = re.compile(r"[^@\s\x00-\x1f\x7f<>\"(),:;\\\[\]]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")


def _without_defaults(schema: dict[str, Any]) -> None:
    for field in schema.get("properties", {}).values():
        field.pop("default", None)


class Body(BaseModel):
    """A JSON object of a caller: camelCase, immutable, without unknown fields.

    `null` and blank texts count as absent, and numbers are accepted as codes. Unknown fields of stored
    objects are ignored: another version wrote them.
    """

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", frozen=True)

    refused_names: ClassVar[Mapping[str, str]] = {}
    """Names that are not fields yet, each with the message that refuses it."""

    @model_validator(mode="before")
    @classmethod
    def normalize(cls, given: Any, info: ValidationInfo) -> Any:
        """Returns the input without blank fields, and with numbers of codes as texts."""
        return without_blanks(given, reading_of(cls, clears=False), only_known=is_stored(info))


class Changes(Body):
    """A body that changes only the fields it has; null and blank texts clear a nullable field.

    Publishes no defaults: a generated client might send them, and change more than it should.
    """

    model_config = ConfigDict(
        json_schema_extra=_without_defaults, json_schema_serialization_defaults_required=True
    )

    @model_validator(mode="before")
    @classmethod
    def normalize(cls, given: Any, info: ValidationInfo) -> Any:
        """Returns the input with null in blank nullable fields, and without other blank fields."""
        return without_blanks(given, reading_of(cls, clears=True), only_known=is_stored(info))


class Record(BaseModel):
    """A JSON object of an answer: camelCase names, read from an object's snake_case attributes."""

    model_config = ConfigDict(
        from_attributes=True,
        alias_generator=to_camel,
        validate_by_name=True,
        serialize_by_alias=True,
        frozen=True,
        json_schema_serialization_defaults_required=True,
    )


# Lets an enum in a record show an unknown stored value unchanged, without a warning. This must be a lambda:
# the return annotation of a function would replace the enum in the published contract.
AS_STORED = PlainSerializer(lambda value: value)


def _refuse_controls(text: str) -> str:
    if _CONTROL_CHARACTERS.search(text):
        raise PydanticCustomError("control_characters", "Não pode conter caracteres de controle.")
    return text


def _refuse_controls_but_lines(text: str) -> str:
    _refuse_controls(text.replace("\n", " ").replace("\r", " ").replace("\t", " "))
    return text


def _only_numbers(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise PydanticCustomError("number_type", "Deve ser um número.")
    return value


_LIMITS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum"}


class _PublishedAsNumber:
    """Publishes a Decimal as a JSON number; pydantic would publish a string as an alternative.

    Answers publish the same limits as requests: pydantic omits them for serialized values.
    """

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        schema = handler(core)
        branches = schema.get("anyOf", [schema])
        number = next(branch for branch in branches if branch.get("type") == "number")
        decimal: Mapping[str, Any] = core
        while "schema" in decimal:
            decimal = decimal["schema"]
        limits = {keyword: float(decimal[name]) for name, keyword in _LIMITS.items() if name in decimal}
        return {**number, **limits}


def _checked(parse: Any, error_type: str, message: str) -> AfterValidator:
    """Returns a validator that calls a parser and turns its ValueError into a Portuguese message."""

    def validate(text: str) -> str:
        try:
            return str(parse(text))
        except ValueError:
            raise PydanticCustomError(error_type, message) from None

    return AfterValidator(validate)


_ABROAD = "EX"


def _parse_state(text: str) -> str:
    if text.upper() not in STATES:
        raise ValueError(text)
    return text.upper()


def _parse_state_or_abroad(text: str) -> str:
    return _ABROAD if text.upper() == _ABROAD else _parse_state(text)


def _parse_recipient_registration(text: str) -> str:
    exempt = text.strip().upper() == "ISENTO"
    return "ISENTO" if exempt else tax_ids.normalize_state_registration(text)


def _parse_email(text: str) -> str:
    if not _EMAIL.fullmatch(text):
        raise ValueError(text)
    return text


def _without_dots(value: Any) -> Any:
    return value.replace(".", "").strip() if isinstance(value, str) else value


def _digits_of(value: Any) -> Any:
    return str(value) if type(value) is int else value


def _tax_id_of_number(value: Any) -> Any:
    """Returns the digits of a number, with the leading zeros of a CPF or CNPJ if only one is valid."""
    if type(value) is not int:
        return value
    valid = [text for length in (11, 14) if _is_tax_id(text := str(value).zfill(length))]
    return valid[0] if len(valid) == 1 else str(value)


def _is_tax_id(text: str) -> bool:
    try:
        return bool(tax_ids.parse_tax_id(text))
    except ValueError:
        return False


def zipcode_digits(text: str) -> str:
    """Returns a CEP without its punctuation."""
    return text.replace("-", "").replace(".", "").strip()


def _parse_zipcode(text: str) -> str:
    digits = zipcode_digits(text)
    if not re.fullmatch(r"[0-9]{8}", digits):
        raise ValueError(text)
    return digits


def _parse_cnae(text: str) -> str:
    digits = re.sub(r"[\s./-]", "", text)
    if not re.fullmatch(r"[0-9]{7}", digits):
        raise ValueError(text)
    return digits


def _parse_phone(text: str) -> str:
    digits = re.sub(r"[\s().+-]", "", text)
    # `fone` of the NF-e layout: 6 to 14 digits.
    if not re.fullmatch(r"[0-9]{6,14}", digits):
        raise ValueError(text)
    return digits


Text = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1), AfterValidator(_refuse_controls)
]
# Notes may have several lines; the layouts join them.
Notes = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1), AfterValidator(_refuse_controls_but_lines)
]
# For identifiers that some systems store as numbers.
TAKES_NUMBERS = BeforeValidator(_digits_of)
DigitsAsText = Annotated[str, TAKES_NUMBERS]
Flag = StrictBool
Integer = Annotated[int, Strict()]
_NUMBERS_ONLY = BeforeValidator(_only_numbers)
_AS_NUMBER = PlainSerializer(float, return_type=float)
_PUBLISHED = _PublishedAsNumber()
# Limits must precede the other annotations: only then the published schema has them.
# No number of a layout has more digits (11 and 10 decimals); sums of such numbers are exact.
Number = Annotated[Decimal, Field(max_digits=21), _NUMBERS_ONLY, _AS_NUMBER, _PUBLISHED]
NotNegative = Annotated[Decimal, Field(ge=0, max_digits=21), _NUMBERS_ONLY, _AS_NUMBER, _PUBLISHED]
Money = Annotated[
    Decimal, Field(ge=0, max_digits=15, decimal_places=2), _NUMBERS_ONLY, _AS_NUMBER, _PUBLISHED
]
Percent = Annotated[
    Decimal, Field(ge=0, le=100, max_digits=7, decimal_places=4), _NUMBERS_ONLY, _AS_NUMBER, _PUBLISHED
]
# Rates in the layouts of goods may exceed 100 %, such as added value margins.
Rate = Annotated[Decimal, Field(ge=0, max_digits=7, decimal_places=4), _NUMBERS_ONLY, _AS_NUMBER, _PUBLISHED]
QUANTITY_PLACES = 4
Quantity = Annotated[
    Decimal, Field(ge=0, max_digits=15, decimal_places=QUANTITY_PLACES), _NUMBERS_ONLY, _AS_NUMBER, _PUBLISHED
]
UnitValue = Annotated[
    Decimal, Field(ge=0, max_digits=21, decimal_places=10), _NUMBERS_ONLY, _AS_NUMBER, _PUBLISHED
]

# Official tables write codes with dots (NCM, CEST, CFOP, NBS), and documents write them without.
MAY_HAVE_DOTS = BeforeValidator(_without_dots)
Cfop = Annotated[str, StringConstraints(pattern=r"^[1-7][0-9]{3}$"), MAY_HAVE_DOTS]
# The code of an item in the catalog and in documents.
Sku = Annotated[Text, StringConstraints(max_length=64), TAKES_NUMBERS]
ItemCode = Annotated[Text, StringConstraints(max_length=60), TAKES_NUMBERS]
HouseNumber = Annotated[Text, StringConstraints(max_length=60), TAKES_NUMBERS]
# The identifier of an order in the caller's own system.
ExternalId = Annotated[Text, StringConstraints(max_length=100), TAKES_NUMBERS]
ItemName = Annotated[Text, StringConstraints(min_length=3, max_length=64)]
Category = Annotated[Text, StringConstraints(max_length=64)]
GuaranteeDays = Annotated[Integer, Field(ge=1, le=365)]
CityCode = Annotated[str, StringConstraints(pattern=r"^[0-9]{7}$")]
# The code for an item that is no product has only two digits.
Ncm = Annotated[str, StringConstraints(pattern=r"^([0-9]{2}|[0-9]{8})$"), MAY_HAVE_DOTS]
FederalServiceCode = Annotated[
    str, StringConstraints(strip_whitespace=True, pattern=r"^[0-9]{1,2}\.[0-9]{2}(\.[0-9]{2})?$|^[0-9]{6}$")
]
GoodsOrigin = Annotated[str, StringConstraints(pattern="^[0-8]$")]

Cnpj = Annotated[
    str,
    StringConstraints(max_length=24),
    _checked(
        tax_ids.parse_cnpj, "cnpj", "CNPJ inválido: confira os 14 caracteres e os dígitos verificadores."
    ),
    Field(examples=["11.222.333/0001-81", "12ABC34501DE35"]),
    BeforeValidator(_tax_id_of_number),
    Published(pattern=published.CNPJ_PATTERN),
]
Cpf = Annotated[
    str,
    StringConstraints(max_length=24),
    _checked(tax_ids.parse_cpf, "cpf", "CPF inválido: confira os 11 dígitos."),
    Field(examples=["529.982.247-25"]),
    BeforeValidator(_tax_id_of_number),
    Published(pattern=published.CPF_PATTERN),
]
TaxId = Annotated[
    str,
    StringConstraints(max_length=24),
    _checked(tax_ids.parse_tax_id, "tax_id", "CPF ou CNPJ inválido: confira os dígitos verificadores."),
    Field(examples=["529.982.247-25", "11222333000181"]),
    BeforeValidator(_tax_id_of_number),
    Published(pattern=published.TAX_ID_PATTERN),
]
StateRegistrationNumber = Annotated[
    str,
    StringConstraints(max_length=24),
    _checked(
        tax_ids.normalize_state_registration,
        "state_registration",
        "Inscrição estadual inválida: informe de 2 a 14 dígitos.",
    ),
    TAKES_NUMBERS,
    Published(pattern=published.REGISTRATION_PATTERN),
]
RecipientRegistration = Annotated[
    str,
    StringConstraints(max_length=24),
    _checked(
        _parse_recipient_registration,
        "recipient_registration",
        "Inscrição estadual inválida: informe de 2 a 14 dígitos, ou ISENTO.",
    ),
    TAKES_NUMBERS,
    Published(pattern=published.RECIPIENT_REGISTRATION_PATTERN),
]
StateCode = Annotated[
    str,
    StringConstraints(max_length=2),
    _checked(_parse_state, "state", "UF inválida: informe a sigla, por exemplo SP."),
    Field(examples=["SP"]),
    Published(choices=STATES),
]
StateOrAbroad = Annotated[
    str,
    StringConstraints(max_length=2),
    _checked(_parse_state_or_abroad, "state", "UF inválida: informe a sigla, por exemplo SP, ou EX."),
    Field(examples=["SP"]),
    Published(choices=(*STATES, _ABROAD)),
]
Zipcode = Annotated[
    str,
    StringConstraints(max_length=12),
    _checked(_parse_zipcode, "zipcode", "CEP inválido: informe 8 dígitos."),
    Field(examples=["01310-100"]),
    BeforeValidator(lambda value: code_of_number(value, "[0-9]{8}")),
    Published(pattern=published.ZIPCODE_PATTERN),
]
Email = Annotated[
    str,
    StringConstraints(max_length=254),
    _checked(_parse_email, "email", "E-mail inválido: informe um endereço como nome@example.com."),
    Field(examples=["fiscal@example.com"]),
    Published(format="email"),
]
Phone = Annotated[
    str,
    StringConstraints(max_length=24),
    _checked(_parse_phone, "phone", "Telefone inválido: informe DDD e número, de 6 a 14 dígitos."),
    Field(examples=["11 3333-4444"]),
    TAKES_NUMBERS,
    Published(pattern=published.PHONE_PATTERN),
]
CnaeCode = Annotated[
    str,
    StringConstraints(max_length=12),
    _checked(_parse_cnae, "cnae", "CNAE inválido: informe 7 dígitos."),
    Field(examples=["4751201"]),
    BeforeValidator(lambda value: code_of_number(value, "[0-9]{7}")),
    Published(pattern=published.CNAE_PATTERN),
]
NoteKey = Annotated[
    str,
    StringConstraints(max_length=60),
    _checked(parse_service_key, "service_key", "Não é a chave de uma NFS-e: confira as 50 posições."),
]


class Coded(StrEnum):
    """An enum with a word for callers and a `code` for the authorities."""

    code: str

    def __new__(cls, word: str, code: str) -> Self:
        """Creates a member whose value is the word."""
        member = str.__new__(cls, word)
        member._value_ = word
        member.code = code
        return member
