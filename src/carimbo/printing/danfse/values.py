"""Formats of values and texts of codes on a DANFSe; a hyphen replaces a missing value (NT 008, nota 12)."""

from collections.abc import Mapping
from decimal import Decimal

from carimbo.fiscal.environment import Environment
from carimbo.printing import formats

ABSENT = "-"
_ZIPCODE, _SERVICE, _NBS = 8, 6, 9
ISSUERS = {"1": "Prestador", "2": "Tomador", "3": "Intermediário"}
PURPOSES = {"0": "NFS-e regular"}
SIMPLES = {
    "1": "Não Optante",
    "2": "Optante - Microempreendedor Individual (MEI)",
    "3": "Optante - Microempresa ou Empresa de Pequeno Porte (ME/EPP)",
}
SIMPLES_ASSESSMENTS = {
    "1": "Regime de apuração dos tributos federais e municipal pelo SN",
    "2": "Regime de apuração dos tributos federais pelo SN e ISSQN por fora do SN conforme respectiva"
    " legislação municipal do tributo",
    "3": "Regime de apuração dos tributos federais e municipal por fora do SN conforme respectivas"
    " legislações federal e municipal de cada tributo",
}
TAXATIONS = {
    "1": "Operação tributável",
    "2": "Imunidade",
    "3": "Exportação de serviço",
    "4": "Não Incidência",
}
SPECIAL_REGIMES = {
    "0": "Nenhum",
    "1": "Ato Cooperado (Cooperativa)",
    "2": "Estimativa",
    "3": "Microempresa Municipal",
    "4": "Notário ou Registrador",
    "5": "Profissional Autônomo",
    "6": "Sociedade de Profissionais",
    "9": "Outros",
}
IMMUNITIES = {
    "0": "Imunidade (tipo não informado na nota de origem)",
    "1": "Patrimônio, renda ou serviços, uns dos outros (CF88, Art 150, VI, a)",
    "2": "Templos de qualquer culto (CF88, Art 150, VI, b)",
    "3": "Partidos políticos, sindicatos, educação e assistência social (CF88, Art 150, VI, c)",
    "4": "Livros, jornais, periódicos e o papel destinado a sua impressão (CF88, Art 150, VI, d)",
    "5": "Fonogramas e videofonogramas musicais produzidos no Brasil (CF88, Art 150, VI, e)",
}
SUSPENSIONS = {
    "1": "Exigibilidade Suspensa por Decisão Judicial",
    "2": "Exigibilidade Suspensa por Processo Administrativo",
}
BENEFITS = {
    "1": "Isenção",
    "2": "Redução da BC em percentual",
    "3": "Redução da BC em valor",
    "4": "Alíquota Diferenciada",
}
WITHHOLDERS = {"1": "Não Retido", "2": "Retido pelo Tomador", "3": "Retido pelo Intermediário"}
FEDERAL_WITHHOLDINGS = {
    "0": "0 - PIS/COFINS/CSLL Não Retidos",
    "1": "1 - PIS/COFINS Retidos",
    "2": "2 - PIS/COFINS Não Retidos",
    "3": "3 - PIS/COFINS/CSLL Retidos",
    "4": "4 - PIS/COFINS Retidos, CSLL Não Retido",
    "5": "5 - PIS Retido, COFINS/CSLL Não Retido",
    "6": "6 - COFINS Retido, PIS/CSLL Não Retido",
    "7": "7 - PIS Não Retido, COFINS/CSLL Retidos",
    "8": "8 - PIS/COFINS Não Retidos, CSLL Retido",
    "9": "9 - COFINS Não Retido, PIS/CSLL Retidos",
}
NO_FOREIGN_ID = {
    "0": "Não informado na nota de origem",
    "1": "Dispensado do NIF",
    "2": "Não exigência do NIF",
}
CANCELLATIONS = {"1": "Erro na Emissão", "2": "Serviço não Prestado", "9": "Outros"}
SUBSTITUTIONS = {
    "01": "Desenquadramento de NFS-e do Simples Nacional",
    "02": "Enquadramento de NFS-e no Simples Nacional",
    "03": "Inclusão Retroativa de Imunidade/Isenção para NFS-e",
    "04": "Exclusão Retroativa de Imunidade/Isenção para NFS-e",
    "05": "Rejeição de NFS-e pelo tomador ou pelo intermediário se responsável pelo recolhimento do tributo",
    "99": "Outros",
}
_HOSTS = {
    Environment.PRODUCTION.code: "www.nfse.gov.br",
    Environment.HOMOLOGATION.code: "www.producaorestrita.nfse.gov.br",
}


def or_dash(text: str | None) -> str:
    """Returns a text, or a hyphen if it is missing."""
    return text or ABSENT


def joined(*parts: str | None) -> str:
    """Returns the parts of one field, separated by slashes."""
    return " / ".join(map(or_dash, parts))


def money(amount: Decimal | None) -> str:
    """Returns an amount in reais."""
    return ABSENT if amount is None else f"R$ {formats.number(amount)}"


def percent(rate: Decimal | None) -> str:
    """Returns a rate in percent."""
    return ABSENT if rate is None else f"{formats.number(rate)}%"


def sum_present(*amounts: Decimal | None) -> Decimal | None:
    """Returns the sum of the amounts that exist, or None if there are none."""
    present = [amount for amount in amounts if amount is not None]
    return sum(present, Decimal(0)) if present else None


def zipcode(digits: str) -> str:
    """Returns a CEP with point and hyphen."""
    return f"{digits[:2]}.{digits[2:5]}-{digits[5:]}" if len(digits) == _ZIPCODE else digits


def service_code(digits: str) -> str:
    """Returns a national service code as item, subitem and division."""
    return f"{digits[:2]}.{digits[2:4]}.{digits[4:]}" if len(digits) == _SERVICE else digits


def nbs(digits: str | None) -> str:
    """Returns a code of the Nomenclatura Brasileira de Serviços."""
    if digits and len(digits) == _NBS:
        return f"{digits[0]}.{digits[1:5]}.{digits[5:7]}.{digits[7:]}"
    return or_dash(digits)


def in_words(words: Mapping[str, str], code: str | None) -> str:
    """Returns the text of a code, or the code itself if only a later layout defines it."""
    return or_dash(words.get(code, code) if code else None)


def consult_address(access_key: str, environment: str) -> str:
    """Returns the address in the QR code, where anyone can check the note (NT 008, 2.4.5)."""
    return f"https://{_HOSTS[environment]}/ConsultaPublica/?tpc=1&chave={access_key}"
