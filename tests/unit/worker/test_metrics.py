import runpy
import time

from carimbo.worker import metrics


def test_time_of_the_last_measurement_is_the_start_before_the_first() -> None:
    """An age since 1970 would raise the alarm whenever a worker starts."""
    began = time.time()
    fresh = runpy.run_path(str(metrics.__file__))["REGISTRY"]
    assert began <= fresh.get_sample_value("carimbo_measured_timestamp_seconds") <= time.time()
