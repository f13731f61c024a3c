"""What all requests share: settings, models, metrics, threads and deadlines."""

import asyncio
import atexit
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, TypeVar

from addhash.service.answer_cache import AnswerCache
from addhash.service.asking import Asking
from addhash.service.metrics import Metrics
from addhash.service.problems import RequestError
from addhash.service.registry import ModelRegistry
from addhash.service.settings import Settings

T = TypeVar("T")

WATCH_SECONDS = 0.5
LATE = -1.0


@dataclass
class Services:
    """What all operations share."""

    settings: Settings
    registry: ModelRegistry
    metrics: Metrics
    threads: ThreadPoolExecutor
    requests: int = 0  # now
    is_stopping: bool = False
    deadlines: dict["asyncio.Task[Any]", float] = field(default_factory=dict)
    cache: AnswerCache = field(default_factory=AnswerCache)
    asking: Asking = field(init=False)

    is_open: bool = False
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    _watch: "asyncio.Task[None] | None" = None

    def __post_init__(self) -> None:
        self.asking = Asking(self.threads)

    async def open(self) -> None:
        """Open the models, once."""
        async with self._opening:
            if not self.is_open:
                await self.work(self.registry.open)
                self._watch = asyncio.create_task(self.watch())
                # Of an application that never says that it stops.
                atexit.register(self.registry.close)
                self.is_open = True

    async def close(self) -> None:
        """Finish all changes, and close the models."""
        if self._watch is not None:
            self._watch.cancel()
        atexit.unregister(self.registry.close)
        await self.work(self.registry.close)
        self.threads.shutdown()

    async def watch(self) -> None:
        """End the wait for requests that take too long to arrive.

        Checking all of them now and then costs less than a timer for each.
        """
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            now = monotonic()
            for task, deadline in list(self.deadlines.items()):
                if deadline < now:
                    self.deadlines[task] = LATE
                    task.cancel()

    def in_time(self) -> "_InTime":
        """Refuse a request that does not arrive in time: ``with services.in_time(): ...``."""
        return _InTime(self)

    async def work(self, call: Callable[[], T]) -> T:
        """Run native work in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self.threads, call)

    def check_texts(self, texts: Sequence[str], most_length: int | None = None) -> None:
        """Refuse more or longer texts than allowed."""
        limits = self.settings
        if len(texts) > limits.max_texts:
            raise RequestError(
                422,
                f"Expected at most {limits.max_texts} texts per request, got {len(texts)}.",
                limit=limits.max_texts,
                value=len(texts),
            )
        most = limits.max_length if most_length is None else most_length
        for i, text in enumerate(texts):
            if len(text) > most:
                raise RequestError(
                    422,
                    f"Expected texts of at most {most} characters; text {i} has {len(text)}.",
                    limit=most,
                    value=len(text),
                    position=i,
                )


class _InTime:
    """A wait that `Services.watch` may end."""

    __slots__ = ("_deadlines", "_seconds", "_task")

    def __init__(self, services: Services) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._task, self._deadlines = task, services.deadlines
        self._seconds = services.settings.body_seconds

    def __enter__(self) -> None:
        self._deadlines[self._task] = monotonic() + self._seconds

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        deadline = self._deadlines.pop(self._task)
        if kind is asyncio.CancelledError and deadline == LATE:
            self._task.uncancel()
            raise RequestError(
                408,
                f"The request took more than {self._seconds:g} seconds to arrive.",
                {"Connection": "close"},
                limit=self._seconds,
            ) from None
