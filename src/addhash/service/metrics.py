"""What a monitoring system wants to know, in Prometheus format."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import accumulate, groupby
from operator import add

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)

from addhash.service.errors import ServiceError
from addhash.service.registry import ModelRegistry

BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
METHODS = frozenset(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
CONDITIONS = ("ready", "read-only", "failed")


class Metrics:
    """Counts of requests, texts and reloads, and the state of the models.

    The counts are plain numbers, which cost a request next to nothing; the client library formats
    them on demand.
    """

    def __init__(self, models: ModelRegistry) -> None:
        self.texts = 0
        self.reloads: Counter[str] = Counter()
        self.in_flight: Callable[[], int] = lambda: 0
        # By method, route and status: answers by their time, and the seconds of all.
        self._times: dict[tuple[str, str, int], list[float]] = {}
        self._models = models
        self._registry = CollectorRegistry()
        self._registry.register(self)
        ProcessCollector(registry=self._registry)

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        way = method if method in METHODS else "OTHER", route, status
        times = self._times.get(way)
        if times is None:
            times = self._times.setdefault(way, [0] * (len(BUCKETS) + 2))
        times[bisect_left(BUCKETS, seconds)] += 1
        times[-1] += seconds

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics."""
        requests = CounterMetricFamily(
            "addhash_requests", "Requests answered.", labels=["method", "route", "status"]
        )
        seconds = HistogramMetricFamily(
            "addhash_request_seconds", "Time to answer.", labels=["method", "route"]
        )
        for (method, route), ways in groupby(sorted(self._times.items()), lambda way: way[0][:2]):
            of_route = [0.0] * (len(BUCKETS) + 2)
            for (_, _, status), times in ways:
                requests.add_metric([method, route, str(status)], sum(times[:-1]))
                of_route = list(map(add, of_route, times))
            names = [*map(str, BUCKETS), "+Inf"]
            counts = list(zip(names, accumulate(of_route[:-1]), strict=True))
            seconds.add_metric([method, route], counts, of_route[-1])
        reloads = CounterMetricFamily("addhash_reloads", "Models read again.", labels=["result"])
        for result, count in sorted(self.reloads.items()):
            reloads.add_metric([result], count)
        texts = CounterMetricFamily("addhash_texts", "Texts labelled.", value=self.texts)
        flying = GaugeMetricFamily(
            "addhash_requests_in_flight", "Requests being answered.", value=self.in_flight()
        )
        yield from (requests, seconds, texts, reloads, flying)
        yield from self._of_models()

    def _of_models(self) -> Iterator[Metric]:
        change = _gauge("change", "The last change.")
        condition = _gauge("condition", "1 for the model's current condition.", "condition")
        problems = _gauge("problems", "Open problems of a model.", "about")
        examples = _gauge("examples", "Examples that were taught.")
        waiting = _gauge("changes_waiting", "Changes in the queue.")
        age = _gauge("snapshot_age_seconds", "Age of the snapshot.")
        for name, queue in self._models:
            model = queue.model
            change.add_metric([name], model.number)
            waiting.add_metric([name], queue.waiting)
            with suppress(ServiceError):
                examples.add_metric([name], model.count())
            written = model.snapshot_age()
            if written is not None:
                age.add_metric([name], written)
            for one in CONDITIONS:
                condition.add_metric([name, one], float(model.condition == one))
            for about in list(model.problems):
                problems.add_metric([name, about], 1)
        yield from (change, examples, waiting, age, condition, problems)

    def text(self) -> bytes:
        """Return all of it."""
        return generate_latest(self._registry)


def _gauge(name: str, about: str, *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"addhash_model_{name}", about, labels=["model", *labels])
