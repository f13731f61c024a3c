"""Answers that are valid until a model's next change, computed once however many ask."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any


class AnswerCache:
    """The latest answer to each question about each model."""

    def __init__(self) -> None:
        self._answers: dict[tuple[str, str], tuple[int, Any]] = {}
        self._locks: dict[tuple[str, str], asyncio.Lock] = {}

    async def get(
        self,
        work: Callable[[Callable[[], Any]], Awaitable[Any]],
        name: str,
        what: str,
        change: int,
        call: Callable[[], Any],
    ) -> Any:
        """Return the answer for this change or a later one; `work` runs `call` if need be."""
        async with self._locks.setdefault((name, what), asyncio.Lock()):
            known = self._answers.get((name, what))
            if known is not None and known[0] >= change:
                return known[1]
            answer = await work(call)
            self._answers[name, what] = change, answer
            return answer

    def latest(self, name: str, what: str) -> Any:
        """Return the latest answer, of whichever change; None if there is none."""
        known = self._answers.get((name, what))
        return known and known[1]

    def drop(self, name: str) -> None:
        """Forget all answers about a model: another one may get its name."""
        self._answers = {key: value for key, value in self._answers.items() if key[0] != name}
