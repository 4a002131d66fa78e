import runpy
import time

from carimbo.worker import metrics


def test_before_the_first_look_its_moment_is_the_start() -> None:
    """An age that counted from 1970 would raise the alarm whenever a worker starts."""
    began = time.time()
    fresh = runpy.run_path(str(metrics.__file__))["REGISTRY"]
    assert began <= fresh.get_sample_value("carimbo_measured_timestamp_seconds") <= time.time()
