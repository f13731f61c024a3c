"""What a monitoring system wants to know, in Prometheus' form."""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric

from addhash.service.shelf import Shelf

__all__ = ["Metrics"]

BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
CONDITIONS = ("ready", "read-only", "failed")


class Metrics:
    """Counts of requests, texts and changes, and the conditions of the models."""

    def __init__(self, shelf: Shelf) -> None:
        self._registry = CollectorRegistry()
        self._shelf = shelf
        self._requests = Counter(
            "addhash_requests", "Requests answered.", ["route", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "addhash_request_seconds",
            "Time to answer.",
            ["route"],
            buckets=BUCKETS,
            registry=self._registry,
        )
        self.texts = Counter("addhash_texts", "Texts labelled.", registry=self._registry)
        self.reloads = Counter(
            "addhash_reloads", "Models read again.", ["result"], registry=self._registry
        )
        self.waiting = Gauge("addhash_requests_now", "Requests now.", registry=self._registry)
        self._registry.register(self)
        self._known: dict[tuple[str, int], tuple[Counter, Histogram]] = {}

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        known = self._known.get((route, status))
        if known is None:
            known = self._requests.labels(route, str(status)), self._seconds.labels(route)
            self._known[route, status] = known
        known[0].inc()
        known[1].observe(seconds)

    def collect(self) -> Iterator[Metric]:
        """Yield what is read from the models when it is asked for."""
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
