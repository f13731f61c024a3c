"""Clusters of items that come and go, each led by one that the others are similar to."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Near = Mapping[int, float]
V = TypeVar("V")


@dataclass
class _Change(Generic[V]):
    """What a change does. Applying it twice is the same as applying it once."""

    removed: Sequence[int]
    added: Mapping[int, Near]
    values: Mapping[int, V]
    next_id: int
    next_age: int
    leaders: dict[int, int] = field(default_factory=dict)
    clusters: dict[int, int] = field(default_factory=dict)  # of those that lead
    freed: set[int] = field(default_factory=set)  # clusters whose leaders went
    taken: set[int] = field(default_factory=set)  # clusters of those that lead now
    ages: dict[int, int] = field(default_factory=dict)


class Leaders(Generic[V]):
    """Items, each with a value, the others that it is similar to, and a leader.

    An item follows the most similar leader, on ties the oldest, or leads a cluster itself. A
    cluster keeps its number as long as it has an item: when its leader goes, the oldest follower
    leads those that are similar to it, and the others choose anew. The native collection of texts
    has the same rules.

    A change is planned first, and then applied; one that was interrupted meanwhile is applied again
    by `finish`.
    """

    def __init__(self) -> None:
        self.next_id = 0
        self._values: dict[int, V] = {}
        self._leaders: dict[int, int] = {}  # in the order in which the items were added
        self._near: dict[int, dict[int, float]] = {}
        self._ages: dict[int, int] = {}
        self._next_age = 0
        self._clusters: dict[int, int] = {}  # of those that lead
        self._taken: set[int] = set()  # clusters
        self._pending: _Change[V] | None = None

    def __len__(self) -> int:
        return len(self._leaders)

    def __contains__(self, item: int) -> bool:
        return item in self._leaders

    @property
    def items(self) -> list[int]:
        """All items, in the order in which they were added."""
        return list(self._leaders)

    def value(self, item: int) -> V:
        """Return the value of an item."""
        return self._values[item]

    def near(self, item: int) -> Near:
        """Return the items that one is similar to."""
        return self._near[item]

    def leader(self, item: int) -> int:
        """Return the leader of an item."""
        return self._leaders[item]

    def cluster(self, item: int) -> int:
        """Return the cluster of an item."""
        return self._clusters[self._leaders[item]]

    def change(
        self, removed: Iterable[int], added: Mapping[int, Near], values: Mapping[int, V]
    ) -> None:
        """Remove items; then add others, each with those before it that it is similar to."""
        oldest_first = sorted(set(removed), key=self._ages.__getitem__)
        change = _Change(oldest_first, added, values, self.next_id, self._next_age)
        gone = set(oldest_first)
        for item in oldest_first:
            if self._leaders[item] == item:
                self._succeed(change, item, gone)
        for item, near in added.items():
            change.ages[item] = change.next_age
            change.next_age += 1
            change.next_id = max(change.next_id, min(item + 1, 2**63 - 1))
            self._choose(change, item, near)
        self._pending = change
        self.finish()

    def finish(self) -> None:
        """Apply what was planned and is not applied, if anything."""
        change = self._pending
        if change is None:
            return
        for item in change.removed:
            for other in self._near.pop(item, {}):
                self._near.get(other, {}).pop(item, None)
            self._values.pop(item, None)
            for held in (self._leaders, self._ages, self._clusters):
                held.pop(item, None)
        for item, near in change.added.items():
            self._near[item] = dict(near)
            for other, value in near.items():
                self._near[other][item] = value
        self._values.update(change.values)
        self._leaders.update(change.leaders)
        self._ages.update(change.ages)
        self._clusters.update(change.clusters)
        self._taken -= change.freed
        self._taken |= change.taken
        self.next_id, self._next_age = change.next_id, change.next_age
        self._pending = None

    def restore(
        self,
        values: Mapping[int, V],
        leaders: Mapping[int, int],
        clusters: Mapping[int, int],
        near: Mapping[int, Near],
        next_id: int,
    ) -> bool:
        """Take the state of an empty one: values and leaders in order, clusters of those that lead.

        False if they do not fit together.
        """
        for item, leader in leaders.items():
            if leaders.get(leader) != leader or (item != leader and leader not in near[item]):
                return False
        is_led = {item for item, leader in leaders.items() if item == leader}
        if clusters.keys() != is_led or len(set(clusters.values())) < len(clusters):
            return False
        if next_id < max((min(item + 1, 2**63 - 1) for item in leaders), default=next_id):
            return False
        self._values, self.next_id = dict(values), next_id
        self._leaders, self._clusters = dict(leaders), dict(clusters)
        self._near = {item: dict(near[item]) for item in leaders}
        self._ages = {item: age for age, item in enumerate(leaders)}
        self._next_age, self._taken = len(leaders), set(clusters.values())
        return True

    def _succeed(self, change: _Change[V], gone: int, all_gone: set[int]) -> None:
        """Give those that an item led another leader."""

        def is_led(item: int) -> bool:
            leader = change.leaders.get(item, self._leaders[item])
            return item not in all_gone and leader == gone

        change.freed.add(self._clusters[gone])
        followers = sorted(filter(is_led, self._near[gone]), key=self._ages.__getitem__)
        if not followers:
            return
        successor = followers[0]
        self._lead(change, successor, self._clusters[gone])
        for item in self._near[successor]:
            if is_led(item):
                change.leaders[item] = successor
        for item in followers:
            if is_led(item):
                near = {o: value for o, value in self._near[item].items() if o not in all_gone}
                self._choose(change, item, near)

    def _choose(self, change: _Change[V], item: int, near: Near) -> None:
        """Follow the most similar leader, or lead."""
        leading = [
            (-value, change.ages.get(other, self._ages.get(other, 0)), other)
            for other, value in near.items()
            if change.leaders.get(other, self._leaders.get(other)) == other
        ]
        if leading:
            change.leaders[item] = min(leading)[2]
            return
        cluster = item
        if item in change.taken or (item in self._taken and item not in change.freed):
            cluster = change.next_id
            change.next_id += 1
        self._lead(change, item, cluster)

    def _lead(self, change: _Change[V], item: int, cluster: int) -> None:
        change.leaders[item] = item
        change.clusters[item] = cluster
        change.taken.add(cluster)
