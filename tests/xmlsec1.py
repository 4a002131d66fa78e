"""The judgement of `xmlsec1` on a signature: a second implementation, independent of ours."""

import subprocess
import tempfile
from pathlib import Path


def xmlsec1_accepts(xml: bytes, tag: str) -> bool:
    """Tell whether the first signature in a document is good; elements named `tag` are known by their Id."""
    with tempfile.TemporaryDirectory(prefix="carimbo-") as folder:
        file = Path(folder) / "document.xml"
        file.write_bytes(xml)
        command = ["xmlsec1", "--verify", "--insecure", "--id-attr:Id", tag, str(file)]
        return subprocess.run(command, capture_output=True, check=False, timeout=30).returncode == 0
