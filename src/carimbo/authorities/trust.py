"""Which servers we believe: those certified by a public authority, by ICP-Brasil or as the operator says.

One list serves the contexts of all companies, as a folder in which OpenSSL finds an authority by its name
when a handshake needs it. Loading all of them into each context would take 0.1 s and 2 MB for every company.
"""

import fcntl
import hashlib
import os
import re
import ssl
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

from carimbo.fiscal.ber import Element, parse

_PEM = re.compile(r"-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----")
_VERSION_TAG = 0xA0
_UTF8_STRING = 0x0C
_ENCODINGS = {
    _UTF8_STRING: "utf-8",
    0x13: "latin-1",
    0x14: "latin-1",
    0x16: "latin-1",
    0x1A: "latin-1",
    0x1C: "utf-32-be",
    0x1E: "utf-16-be",
}


class TrustUnusable(Exception):
    """The operator's file holds no certificates that can be read; the message is Portuguese."""


class Trust:
    """The authorities that we believe, in a folder that lives as long as this."""

    def __init__(self, operators_file: Path | None = None) -> None:
        certificates = {*_public(), *(_operators(operators_file) if operators_file else ())}
        self._folder = TemporaryDirectory(prefix="carimbo-trust-")
        _write(certificates, Path(self._folder.name))
        self._lock = _lock(self._folder.name)

    def prepare(self, context: ssl.SSLContext) -> None:
        """Let a context believe these authorities."""
        context.load_verify_locations(capath=self._folder.name)

    def close(self) -> None:
        """Take the folder away; contexts can't verify a new server after this."""
        os.close(self._lock)
        self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _lock(folder: str) -> int:
    """Hold the folder, for systemd takes old files out of temporary folders unless somebody does."""
    descriptor = os.open(folder, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    return descriptor


def _public() -> Iterator[bytes]:
    for package in ("certifi", "certifi_icpbr"):
        yield from _certificates((files(package) / "cacert.pem").read_text(encoding="ascii"))


def _operators(file: Path) -> list[bytes]:
    try:
        found = list(_certificates(file.read_text(encoding="latin-1")))
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=b"".join(found))
    except (ValueError, ssl.SSLError) as error:
        raise TrustUnusable(f"O arquivo de autoridades {file} não tem certificados em PEM.") from error
    except OSError as error:
        reason = error.strerror
        raise TrustUnusable(f"O arquivo de autoridades {file} não pode ser lido: {reason}.") from error
    return found


def _certificates(text: str) -> Iterator[bytes]:
    return (ssl.PEM_cert_to_DER_cert(pem) for pem in _PEM.findall(text))


def _write(certificates: set[bytes], folder: Path) -> None:
    """Name each file as OpenSSL looks for it: the hash of the subject, and a number if several share it."""
    seen: Counter[str] = Counter()
    for certificate in certificates:
        name = subject_hash(certificate)
        (folder / f"{name}.{seen[name]}").write_text(ssl.DER_cert_to_PEM_cert(certificate), encoding="ascii")
        seen[name] += 1


@cache
def subject_hash(certificate: bytes) -> str:
    """The first bytes of SHA-1 over the subject in OpenSSL's plain form (X509_NAME_hash)."""
    parts = parse(certificate).children[0].children
    subject = parts[5 if parts[0].tag == _VERSION_TAG else 4]
    plain = b"".join(_plain(name).to_der() for name in subject.children)
    return f"{int.from_bytes(hashlib.sha1(plain).digest()[:4], 'little'):08x}"  # noqa: S324 - names a file


def _plain(element: Element) -> Element:
    """Every text in UTF-8, in small letters and without superfluous spaces."""
    if element.tag not in _ENCODINGS:
        return element._replace(children=tuple(map(_plain, element.children)))
    text = element.content.decode(_ENCODINGS[element.tag]).encode()
    return Element(_UTF8_STRING, b" ".join(text.split()).lower(), ())
