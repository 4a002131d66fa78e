import runpy
import time

from carimbo.worker import metrics


def test_measurement_time_is_the_start_of_the_worker_until_the_first_measurement() -> None:
    """An age since 1970 would raise the alarm whenever a worker starts."""
    began = time.time()
    fresh = runpy.run_path(str(metrics.__file__))["REGISTRY"]
    assert began <= fresh.get_sample_value("carimbo_measured_timestamp_seconds") <= time.time()
