"""The route of a transport, as CT-e OS and MDF-e have it."""

from carimbo.fiscal.layouts.group import INLINE, group, text

MAX_ROUTE_STATES = 25


@group("infPercurso")
class RouteState:
    """`infPercurso`: a state between start and end."""

    state: str = text("UFPer", 2, path=INLINE)
