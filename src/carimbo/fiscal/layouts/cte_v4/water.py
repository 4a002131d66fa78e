"""The water mode of a CT-e (`aquav`), which has its own XSD."""

from decimal import Decimal

from carimbo.fiscal.layouts.group import ANY_NUMBER, INLINE, child, children, decimal, group, text


@group("balsa")
class Ferry:
    """`balsa`: a ferry of the convoy."""

    name: str = text("xBalsa", 60, path=INLINE)


@group("lacre")
class ContainerSeal:
    """`lacre`: the number of a seal."""

    number: str = text("nLacre", 20, path=INLINE)


@group("infNFe")
class ContainedInvoice:
    """`infNFe`: an NF-e of goods in a container."""

    access_key: str = text("chave", 44)
    apportioned_quantity: Decimal | None = decimal("unidRat", 3, default=None)


@group("infDoc")
class ContainerDocuments:
    """`infDoc`: the invoices of a container."""

    nfes: tuple[ContainedInvoice, ...] = children("infNFe", ANY_NUMBER, default=())


@group("detCont")
class Container:
    """`detCont`: a container with its seals and invoices."""

    id: str = text("nCont", 20)
    seals: tuple[ContainerSeal, ...] = children("lacre", 3, default=())
    documents: ContainerDocuments | None = child("infDoc", path=INLINE, default=None)


@group("aquav")
class Water:
    """`aquav`: the vessel, its trip and the surcharge on the freight (AFRMM)."""

    afrmm_base: Decimal = decimal("vPrest")
    afrmm_amount: Decimal = decimal("vAFRMM")
    vessel_name: str = text("xNavio", 60)
    ferries: tuple[Ferry, ...] = children("balsa", 3, default=())
    trip_number: str | None = text("nViag", 10, default=None)
    direction: str = text("direc", 1)
    irin: str = text("irin", 10)
    containers: tuple[Container, ...] = children("detCont", ANY_NUMBER, default=())
    navigation: str | None = text("tpNav", 1, default=None)
