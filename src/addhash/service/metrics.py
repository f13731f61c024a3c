"""What a monitoring system wants to know, in Prometheus format."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)

from addhash.service.shelf import Shelf

__all__ = ["Metrics"]

BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
CONDITIONS = ("ready", "read-only", "failed")


class Metrics:
    """Counts of requests, texts and reloads, and the state of the models.

    The counts are plain numbers, which cost a request next to nothing; the client library formats
    them on demand.
    """

    def __init__(self, shelf: Shelf) -> None:
        self.texts = 0
        self.reloads: Counter[str] = Counter()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._times: dict[str, list[int]] = {}
        self._seconds: Counter[str] = Counter()
        self._shelf = shelf
        self._registry = CollectorRegistry()
        self._registry.register(self)

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests[route, status] += 1
        times = self._times.get(route)
        if times is None:
            times = self._times.setdefault(route, [0] * (len(BUCKETS) + 1))
        times[bisect_left(BUCKETS, seconds)] += 1
        self._seconds[route] += seconds  # type: ignore[assignment]

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics."""
        requests = CounterMetricFamily(
            "addhash_requests", "Requests answered.", labels=["route", "status"]
        )
        for (route, status), count in sorted(self._requests.items()):
            requests.add_metric([route, str(status)], count)
        seconds = HistogramMetricFamily(
            "addhash_request_seconds", "Time to answer.", labels=["route"]
        )
        for route, times in sorted(self._times.items()):
            names = [*map(str, BUCKETS), "+Inf"]
            buckets = list(zip(names, map(float, accumulate(times)), strict=True))
            seconds.add_metric([route], buckets, self._seconds[route])
        reloads = CounterMetricFamily("addhash_reloads", "Models read again.", labels=["result"])
        for result, count in sorted(self.reloads.items()):
            reloads.add_metric([result], count)
        texts = CounterMetricFamily("addhash_texts", "Texts labelled.", value=self.texts)
        yield from (requests, seconds, texts, reloads)
        yield from self._of_models()

    def _of_models(self) -> Iterator[Metric]:
        change = GaugeMetricFamily("addhash_model_change", "The last change.", labels=["model"])
        condition = GaugeMetricFamily(
            "addhash_model_condition", "1 for the one it is in.", labels=["model", "condition"]
        )
        problems = GaugeMetricFamily(
            "addhash_model_problems", "Things that are wrong.", labels=["model", "about"]
        )
        for name, writer in self._shelf:
            model = writer.model
            change.add_metric([name], model.number)
            for one in CONDITIONS:
                condition.add_metric([name, one], float(model.condition == one))
            for about in list(model.problems):
                problems.add_metric([name, about], 1)
        yield from (change, condition, problems)

    def text(self) -> bytes:
        """Return all of it."""
        return generate_latest(self._registry)
