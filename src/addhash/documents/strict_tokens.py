"""The tokens of a strict document, counted, so that only present tokens can be removed."""

from collections.abc import Callable, Iterable

from addhash.errors import AbsentTokenError


class StrictTokens:
    """How often each token occurs; absent ones are not kept.

    Examples
    --------
    >>> from addhash.documents.strict_tokens import StrictTokens
    >>> tokens = StrictTokens()
    >>> tokens.change([(b"a", 2), (b"b", 1)], lambda: None)
    >>> tokens.change([(b"a", -1), (b"b", -1)], lambda: None)
    >>> tokens.counts
    {b'a': 1}
    """

    def __init__(self, counts: dict[bytes, int] | None = None) -> None:
        self.counts = {} if counts is None else counts

    def copy(self) -> "StrictTokens":
        """Return an independent copy."""
        return StrictTokens(self.counts.copy())

    def change(self, changes: Iterable[tuple[bytes, int]], then: Callable[[], None]) -> None:
        """Change the counts one after the other and do something else, or do neither."""
        after: dict[bytes, int] = {}
        for token, change in changes:
            before = after.get(token, self.counts.get(token, 0))
            if before + change < 0:
                raise AbsentTokenError(
                    f"Cannot remove {token!r:.80} {_times(-change)} from a strict document that"
                    f" holds it {_times(before)}."
                )
            after[token] = before + change
        before_all = {token: self.counts.get(token, 0) for token in after}
        try:
            self._set(after)
            then()
        except BaseException:
            self._set(before_all)
            raise

    def _set(self, counts: dict[bytes, int]) -> None:
        for token, count in counts.items():
            if count:
                self.counts[token] = count
            else:
                self.counts.pop(token, None)


def _times(count: int) -> str:
    return "1 time" if count == 1 else f"{count} times"
