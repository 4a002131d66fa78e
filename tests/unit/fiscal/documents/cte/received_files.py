"""Files of CT-e as the distribution has them: examples with a protocol, and registered events."""

import re
from pathlib import Path

EXAMPLES = Path(__file__).parents[5] / "examples"
NAMESPACE = "http://www.portalfiscal.inf.br/cte"
PROTOCOL = "135260000000042"
AUTHORIZED_AT, REGISTERED_AT = "2026-11-24T08:31:00-03:00", "2026-11-25T09:00:00-03:00"
_KEY = re.compile(r'Id="CTe([0-9A-Z]{44})"')


def example(name: str) -> str:
    """Returns a signed example, as `cte/minimal`."""
    return (EXAMPLES / f"{name}.xml").read_text("utf-8")


def key_of(document: str) -> str:
    """Returns the access key of a document."""
    match = _KEY.search(document)
    assert match, document[:200]
    return match[1]


def protocol(key: str, code: str = "100") -> str:
    """Returns the protocol of a document."""
    inside = (
        f"<tpAmb>1</tpAmb><verAplic>SP_1</verAplic><chCTe>{key}</chCTe><dhRecbto>{AUTHORIZED_AT}</dhRecbto>"
        f"<nProt>{PROTOCOL}</nProt><digVal>x</digVal><cStat>{code}</cStat><xMotivo>Autorizado</xMotivo>"
    )
    return f'<protCTe versao="4.00"><infProt>{inside}</infProt></protCTe>'


def authorized(document: str, root: str = "cteProc", code: str = "100") -> bytes:
    """Returns a document with its protocol."""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><{root} xmlns="{NAMESPACE}" versao="4.00">'
        f"{document}{protocol(key_of(document), code)}</{root}>"
    ).encode()


def registered(event: str, code: str = "135") -> bytes:
    """Returns an event with its registration."""
    answer = (
        f"<infEvento><tpAmb>1</tpAmb><cStat>{code}</cStat><xMotivo>Evento registrado</xMotivo>"
        f"<xEvento>Nome do evento</xEvento><dhRegEvento>{REGISTERED_AT}</dhRegEvento>"
        f"<nProt>{PROTOCOL}</nProt></infEvento>"
    )
    return (
        f'<procEventoCTe xmlns="{NAMESPACE}" versao="4.00">{event}'
        f'<retEventoCTe versao="4.00">{answer}</retEventoCTe></procEventoCTe>'
    ).encode()


SIMPLIFIED_KEY = "35261111222333000181570010000000011876543223"
SIMPLIFIED = f"""<CTeSimp><infCte versao="4.00" Id="CTe{SIMPLIFIED_KEY}"><ide><CFOP>6353</CFOP>\
<natOp>TRANSPORTE</natOp><mod>57</mod><serie>1</serie><nCT>1</nCT><dhEmi>2026-11-14T10:00:00-03:00</dhEmi>\
</ide><emit><CNPJ>11222333000181</CNPJ><IE>111111111111</IE><xNome>TRANSPORTADORA LTDA</xNome><enderEmit>\
<xMun>SAO PAULO</xMun><UF>SP</UF></enderEmit></emit><toma><toma>0</toma><indIEToma>1</indIEToma>\
<CNPJ>44555666000181</CNPJ><xNome>INDUSTRIA SA</xNome><enderToma><xMun>CAMPINAS</xMun><UF>SP</UF></enderToma>\
</toma><infCarga><vCarga>5000.00</vCarga></infCarga><det nItem="1"><vPrest>100.00</vPrest><vRec>100.00</vRec>\
<Comp><xNome>FRETE</xNome><vComp>100.00</vComp></Comp><IBSCBS><CST>000</CST><gIBSCBS><vBC>88.00</vBC>\
<vIBS>0.09</vIBS><gCBS><vCBS>0.79</vCBS></gCBS></gIBSCBS></IBSCBS><infNFe>\
<chNFe>35261111222333000181550010000000031123456827</chNFe></infNFe></det><det nItem="2">\
<vPrest>50.00</vPrest><vRec>50.00</vRec><IBSCBS><CST>000</CST><gIBSCBS><vBC>44.00</vBC><vIBS>0.04</vIBS><gCBS><vCBS>0.40</vCBS>\
</gCBS></gIBSCBS></IBSCBS></det><imp><ICMS><ICMS00><CST>00</CST><vBC>150.00</vBC><pICMS>12.00</pICMS>\
<vICMS>18.00</vICMS></ICMS00></ICMS></imp><total><vTPrest>150.00</vTPrest><vTRec>149.00</vTRec></total>\
</infCte></CTeSimp>"""
