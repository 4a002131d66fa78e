"""A CT-e OS that every authority accepts, written here, and changed in one place for the tests of rules."""

from functools import partial

from carimbo.fiscal.identity.signature import Signer
from carimbo.simulator.cte.dialect import NAMESPACE
from support import CNPJ
from unit.fiscal.goods.support import ISSUED_AT
from unit.simulator.cte import sample_cte
from unit.simulator.cte.sample_cte import QR_ADDRESS, REGISTRATION, SENDER, TAXES, address, mutated, unchanged
from unit.simulator.mutating import DS, Edit

key_of = partial(sample_cte.key_of, model="67")
"""Returns the key of a document of São Paulo."""
PERMIT, STATE_REGISTRATION = "<TAF>123456789012</TAF>", f"<NroRegEstadual>{'1' * 25}</NroRegEstadual>"
CHARTER = (
    "<infFretamento><tpFretamento>1</tpFretamento><dhViagem>2026-11-20T08:00:00-03:00</dhViagem>"
    "</infFretamento>"
)
NORMAL_PART = (
    "<infCTeNorm><infServico><xDescServ>FRETAMENTO EVENTUAL</xDescServ>"
    "<infQ><qCarga>40.0000</qCarga></infQ></infServico>"
    f'<infModal versaoModal="4.00"><rodoOS>{PERMIT}{CHARTER}</rodoOS></infModal></infCTeNorm>'
)


def unsigned_cteos(number: int = 1, notes: str = "SEM NOTAS") -> bytes:
    """Returns the transport of people from São Paulo to Rio de Janeiro, for a company."""
    key = key_of(number)
    identification = (
        "<cUF>35</cUF><cCT>12345681</cCT><CFOP>6353</CFOP><natOp>TRANSPORTE</natOp><mod>67</mod>"
        f"<serie>1</serie><nCT>{number}</nCT><dhEmi>{ISSUED_AT.isoformat()}</dhEmi><tpImp>1</tpImp>"
        f"<tpEmis>1</tpEmis><cDV>{key[-1]}</cDV><tpAmb>2</tpAmb><tpCTe>0</tpCTe>"
        "<procEmi>0</procEmi><verProc>teste</verProc>"
        "<cMunEnv>3550308</cMunEnv><xMunEnv>SAO PAULO</xMunEnv><UFEnv>SP</UFEnv><modal>01</modal>"
        "<tpServ>6</tpServ><indIEToma>1</indIEToma>"
        "<cMunIni>3550308</cMunIni><xMunIni>SAO PAULO</xMunIni><UFIni>SP</UFIni>"
        "<cMunFim>3304557</cMunFim><xMunFim>RIO DE JANEIRO</xMunFim><UFFim>RJ</UFFim>"
    )
    issuer = (
        f"<emit><CNPJ>{CNPJ}</CNPJ><IE>{REGISTRATION}</IE><xNome>TRANSPORTES MODELO</xNome>"
        f"{address('enderEmit')}<CRT>3</CRT></emit>"
    )
    taker = (
        f"<toma><CNPJ>{SENDER}</CNPJ><IE>222222222222</IE><xNome>TOMADORA LTDA</xNome>"
        f"{address('enderToma')}</toma>"
    )
    service = (
        "<vPrest><vTPrest>1000.00</vTPrest><vRec>1000.00</vRec>"
        "<Comp><xNome>FRETAMENTO</xNome><vComp>1000.00</vComp></Comp></vPrest>"
    )
    taxes = TAXES.replace("<IBSCBS>", "<infTribFed><vINSS>110.00</vINSS></infTribFed><IBSCBS>")
    developer = (
        f"<infRespTec><CNPJ>{CNPJ}</CNPJ><xContato>SUPORTE</xContato><email>suporte@example.com</email>"
        "<fone>11999999999</fone></infRespTec>"
    )
    content = (
        f'<infCte versao="4.00" Id="CTe{key}"><ide>{identification}</ide>'
        f"<compl><xObs>{notes}</xObs></compl>{issuer}{taker}{service}<imp>{taxes}</imp>"
        f"{NORMAL_PART}{developer}</infCte>"
    )
    qr = f"{QR_ADDRESS}?chCTe={key}&amp;tpAmb=2"
    supplement = f"<infCTeSupl><qrCodCTe>{qr}</qrCodCTe></infCTeSupl>"
    signature = f'<Signature xmlns="{DS[1:-1]}"/>'
    return f'<CTeOS xmlns="{NAMESPACE}" versao="4.00">{content}{supplement}{signature}</CTeOS>'.encode()


def cteos(signer: Signer, edit: Edit = unchanged, number: int = 1, notes: str = "SEM NOTAS") -> bytes:
    """Returns a signed CT-e OS, with changes."""
    return mutated(unsigned_cteos(number, notes), edit, signer)
