"""The taxes of an item of the catalog: as a line of a document tells them, but for what a sale settles."""

from typing import TYPE_CHECKING, Annotated, Any, get_args

from pydantic import BeforeValidator, Field, ValidationInfo, create_model
from pydantic.fields import FieldInfo
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

from carimbo.fiscal.fields import Body, Money
from carimbo.fiscal.goods.federal_taxes import ContributionBody, IpiBody
from carimbo.fiscal.goods.icms_body import IcmsBody
from carimbo.fiscal.stored import is_stored
from carimbo.fiscal.taxes.ibs_cbs_body import IbsCbsBody


def _refuse(told: Any, info: ValidationInfo) -> None:
    if told is not None and not is_stored(info):
        raise PydanticCustomError(
            "depends_on_sale", "Depende da venda: informe códigos e alíquotas, não valores nem quantidades."
        )


# A contract that published it would offer what is always refused.
_DependsOnSale = Annotated[SkipJsonSchema[None], BeforeValidator(_refuse)]


def _lasting(form: type[Body]) -> Any:
    """The form of a tax without what holds for one sale alone."""
    fields: dict[str, Any] = {name: _kept(name, field) for name, field in form.model_fields.items()}
    return create_model(f"Catalog{form.__name__}", __base__=Body, __doc__=form.__doc__, **fields)


def _kept(name: str, field: FieldInfo) -> tuple[Any, Any]:
    types = get_args(field.annotation) or (field.annotation,)
    inner = next((one for one in types if isinstance(one, type) and issubclass(one, Body)), None)
    if inner:
        return _lasting(inner) | None, field
    # Groups of the layout are made of amounts, and so are told whole or not at all.
    if Money in types or name.endswith("quantity") or any(map(_is_group, types)):
        return _DependsOnSale, Field(default=None)
    return field.annotation, field


def _is_group(kind: Any) -> bool:
    return hasattr(kind, "__dataclass_fields__")


if TYPE_CHECKING:
    CatalogIcms = IcmsBody
    CatalogContribution = ContributionBody
    CatalogIpi = IpiBody
    CatalogIbsCbs = IbsCbsBody
else:
    CatalogIcms = _lasting(IcmsBody)
    CatalogContribution = _lasting(ContributionBody)
    CatalogIpi = _lasting(IpiBody)
    CatalogIbsCbs = _lasting(IbsCbsBody)
