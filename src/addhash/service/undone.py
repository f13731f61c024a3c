"""What was undone, kept so that it can be redone: in memory only, since it is erased from disk."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from addhash.service.ledger import Label

MOST_CHANGES = 64
MOST_EXAMPLES = 50_000


@dataclass
class Undone:
    """What one undo took away, by what it takes to bring it back."""

    lessons: list[tuple[str, Label]] = field(default_factory=list)
    changes: list[int] = field(default_factory=list)  # that it made, to be undone in turn


class UndoneChanges:
    """The latest undone changes, by the number of the change that undid them.

    Examples
    --------
    >>> undone = UndoneChanges()
    >>> undone.keep(7, Undone(lessons=[("win a prize", "spam")]))
    >>> undone.take(7).lessons, undone.take(7)
    ([('win a prize', 'spam')], None)
    """

    def __init__(self) -> None:
        self._by_change: dict[int, Undone] = {}

    def keep(self, change: int, undone: Undone) -> None:
        """Keep what a change undid; the oldest ones are dropped to make room."""
        self._by_change = self._by_change | {change: undone}
        while self._by_change and (
            len(self._by_change) > MOST_CHANGES or self._examples() > MOST_EXAMPLES
        ):
            del self._by_change[min(self._by_change)]

    def take(self, change: int) -> Undone | None:
        """Return what a change undid, once."""
        found = self._by_change.get(change)
        self._by_change = {n: u for n, u in self._by_change.items() if n != change}
        return found

    def drop(self, texts: Sequence[str]) -> None:
        """Drop lessons with one of these texts: they are to be forgotten for good."""
        gone = set(texts)
        self._by_change = {
            number: Undone([one for one in undone.lessons if one[0] not in gone], undone.changes)
            for number, undone in self._by_change.items()
        }

    def state(self) -> dict[int, Undone]:
        """Return all of it, for `restore`."""
        return self._by_change

    def restore(self, state: dict[int, Undone]) -> None:
        """Return to an earlier state, as a transaction does that fails."""
        self._by_change = state

    def _examples(self) -> int:
        return sum(len(undone.lessons) for undone in self._by_change.values())
