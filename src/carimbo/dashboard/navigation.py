"""The menu of a page: what the person may open from here."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from carimbo.dashboard.options import PREFIX
from carimbo.dashboard.visit import CompanyVisit, PersonVisit, SubscriptionVisit
from carimbo.service.people.roles import Capability
from carimbo.storage.companies import CompanyRow


@dataclass(frozen=True)
class MenuItem:
    """A link of the menu."""

    label: str
    address: str
    is_current: bool


@dataclass(frozen=True)
class MenuGroup:
    """A heading of the menu and the links below it."""

    title: str
    items: Sequence[MenuItem]
    others: Sequence[MenuItem] = ()
    """The same page of other companies."""


Entry = tuple[str, str, Capability]
_FIRST = "/documentos"
"""The page of a company that a link to it leads to."""
_LISTED_COMPANIES = 8
"""How many companies a page about all of them lists in the menu; *Empresas* has the others."""
_HOME: tuple[Entry, ...] = (("Início", "", Capability.READ_DOCUMENTS),)
_OF_SUBSCRIPTION: tuple[Entry, ...] = (
    ("Empresas", "/empresas", Capability.READ_COMPANIES),
    ("Autoridades", "/autoridades", Capability.READ_COMPANIES),
    ("Trabalho parado", "/trabalho", Capability.RESUME_WORK),
    ("Webhooks", "/webhooks", Capability.READ_WEBHOOKS),
    ("Credenciais", "/credenciais", Capability.READ_CREDENTIALS),
    ("Uso e plano", "/uso", Capability.READ_USAGE),
    ("Pessoas", "/pessoas", Capability.READ_PEOPLE),
    ("Registro", "/registro", Capability.READ_AUDIT),
)
_OF_COMPANY: tuple[Entry, ...] = (
    ("Emitir", "/emitir", Capability.ISSUE_DOCUMENTS),
    ("Documentos", "/documentos", Capability.READ_DOCUMENTS),
    ("Recebidos", "/recebidos", Capability.READ_RECEIVED),
    ("Vendas", "/vendas", Capability.READ_DOCUMENTS),
    ("Clientes", "/clientes", Capability.READ_CATALOG),
    ("Produtos", "/produtos", Capability.READ_CATALOG),
    ("Numeração", "/numeracao", Capability.READ_DOCUMENTS),
    ("Importações", "/importacoes", Capability.CHANGE_CATALOG),
    ("Exportações", "/exportacoes", Capability.EXPORT),
)
_OF_INSTALLATION: tuple[Entry, ...] = (
    ("Assinaturas", "", Capability.OPERATE),
    ("Planos", "/planos", Capability.OPERATE),
    ("Trabalho parado", "/trabalho", Capability.OPERATE),
    ("Versões e tabelas", "/tabelas", Capability.OPERATE),
    ("Calendário fiscal", "/calendario", Capability.OPERATE),
    ("Registro", "/registro", Capability.OPERATE),
)


def menu_of(visit: PersonVisit) -> list[MenuGroup]:
    """Returns the groups of the menu that have an entry for this person."""
    groups = []
    if isinstance(visit, SubscriptionVisit):
        company = _company_of(visit)
        groups.append(MenuGroup("", _items(visit, visit.base, _HOME)))
        if company is not None:
            items = _items(visit, visit.of_company(company.id), _OF_COMPANY)
            groups.append(MenuGroup(company.shown_name, items, _others(visit, company)))
        elif visit.companies:
            # A page about all of them belongs to none: the person chooses.
            chosen = visit.companies[:_LISTED_COMPANIES]
            items = [MenuItem(each.shown_name, visit.of_company(each.id) + _FIRST, False) for each in chosen]
            groups.append(MenuGroup("Empresas", items))
        name = visit.membership.subscription.name
        groups.append(MenuGroup(name, _items(visit, visit.base, _OF_SUBSCRIPTION)))
    else:
        subscriptions = [membership.subscription for membership in visit.session.memberships]
        items = [MenuItem(each.name, f"{visit.root}/{each.id}", False) for each in subscriptions]
        groups.append(MenuGroup("Assinaturas", items))
    if visit.session.person.is_operator:
        items = [_item(visit, f"{visit.root}/operacao", label, path) for label, path, _ in _OF_INSTALLATION]
        groups.append(MenuGroup("Instalação", items))
    return [group for group in groups if group.items]


def _others(visit: SubscriptionVisit, company: CompanyRow) -> list[MenuItem]:
    """Returns the same page of the other companies; from the page of a company itself, their documents."""
    here = visit.request.url.path.partition("/empresas/")[2].partition("/")[2].partition("/")[0]
    section = f"/{here}" if here else _FIRST
    others = [each for each in visit.companies if each.id != company.id]
    return [MenuItem(each.shown_name, visit.of_company(each.id) + section, False) for each in others]


def _company_of(visit: SubscriptionVisit) -> CompanyRow | None:
    """Returns the company of the page, or the only one."""
    if isinstance(visit, CompanyVisit):
        return visit.company
    return visit.companies[0] if len(visit.companies) == 1 else None


def _items(visit: SubscriptionVisit, base: str, entries: Iterable[Entry]) -> list[MenuItem]:
    return [
        _item(visit, base, label, path)
        for label, path, capability in entries
        if visit.may(capability) and visit.may_open(base + path)
    ]


def _item(visit: PersonVisit, base: str, label: str, path: str) -> MenuItem:
    address = base + path
    here = visit.root + visit.request.url.path.partition(PREFIX)[2]
    is_home = path in ("", "/empresas")
    is_current = here == address or (not is_home and here.startswith(f"{address}/"))
    return MenuItem(label, address, is_current)
