"""The QR codes of pages."""

import re

from zxingcpp import read_barcode

from carimbo.dashboard.qr_code import qr_code

MARGIN = 4
"""The light modules around a QR code (ISO/IEC 18004, 6.3.8)."""


def test_path_draws_a_code_that_readers_understand() -> None:
    text = "otpauth://totp/carimbo:ana%40example.com?secret=JBSWY3DPEHPK3PXP&issuer=carimbo"
    code = qr_code(text)
    image = bytearray(b"\xff" * code.size**2)
    for x, y, width in re.findall(r"M(\d+) (\d+)h(\d+)v1h-\3z", code.path):
        start = int(y) * code.size + int(x)
        image[start : start + int(width)] = bytes(int(width))
    barcode = read_barcode(memoryview(image).cast("B", shape=[code.size, code.size]))
    assert barcode is not None
    assert barcode.text == text
    assert image[: MARGIN * code.size] == b"\xff" * MARGIN * code.size
