"""Wide fuzzing: the properties of tests/unit with many random examples, run before a release.

Each property is a plain function, with its strategies, in the unit test that runs a small sample of it, the
same on every run. A test here calls it under the profile `fuzz`, with other examples on every run:

- No test here sets `max_examples`. A decorator `settings(max_examples=...)` overrides a profile, and belongs
  to tests/unit alone.
- FUZZ_EXAMPLES is the number of examples of each test.
- A failure prints the example and a `@reproduce_failure` that repeats it: add the example to the unit test.
- A profile holds for all tests that are defined after it was loaded: run this folder by itself.
"""

import os

import hypothesis
import pytest

from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.sample_certificate import SampleCertificate
from unit.fiscal.good_bodies import quick
from unit.fiscal.goods.support import signer_of

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "2000"))

hypothesis.settings.register_profile(
    "fuzz", max_examples=EXAMPLES, derandomize=False, print_blob=True, deadline=None
)
hypothesis.settings.load_profile("fuzz")


@pytest.fixture(scope="session")
def signer(company_certificate: SampleCertificate) -> Signer:
    return signer_of(company_certificate)


@pytest.fixture(scope="session")
def quick_signer(signer: Signer) -> Signer:
    """A signer that takes no time, for schemas that do not look at the signature."""
    return quick(signer)
