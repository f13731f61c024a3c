"""Labels for the texts of many requests."""

import asyncio
from concurrent.futures import Executor
from time import perf_counter
from typing import Any

from addhash import TextClassifier
from addhash.service.view import View

# Work that is shorter than a round trip to another thread is done at once.
AT_ONCE_SECONDS = 0.001
FEW_TEXTS = 4
FEW_CHARACTERS = 2000

Answer = asyncio.Future[list[Any]]
Loop = asyncio.AbstractEventLoop


class Asking:
    """Labels texts; those of requests that come together, by one call.

    The answer for a text does not depend on those beside it, and most of the cost of a short one is
    that of the call. Only requests that are ready in the same turn of the event loop share one, so
    none waits for others to come.
    """

    def __init__(self, threads: Executor) -> None:
        self._threads = threads
        self._waiting: dict[View, tuple[Loop, list[tuple[list[str], Answer]]]] = {}
        self._paces: dict[str, float] = {}  # seconds per text, by model

    def predict(self, name: str, view: View, texts: list[str]) -> Answer:
        """Return a future `Prediction` for each text, by the model of this name."""
        if len(texts) > FEW_TEXTS or sum(map(len, texts)) > FEW_CHARACTERS:
            loop = asyncio.get_running_loop()
            return loop.run_in_executor(self._threads, _predictions, view.classifier, texts)
        found = self._waiting.get(view)
        if found is None:
            found = self._waiting[view] = asyncio.get_running_loop(), []
            found[0].call_soon(self._answer, name, view)
        loop, waiting = found
        answer: Answer = loop.create_future()
        waiting.append((texts, answer))
        return answer

    def _answer(self, name: str, view: View) -> None:
        """Answer all that wait for a view."""
        loop, waiting = self._waiting.pop(view)
        texts = [text for some, _ in waiting for text in some]
        if self._paces.get(name, 0.0) * len(texts) < AT_ONCE_SECONDS:
            self._hand_out(waiting, self._found(name, view.in_one_thread, texts))
        else:
            job = loop.run_in_executor(self._threads, self._found, name, view.classifier, texts)
            job.add_done_callback(lambda job: self._hand_out(waiting, job.result()))

    def _found(
        self, name: str, classifier: TextClassifier, texts: list[str]
    ) -> list[Any] | Exception:
        """Return the labels of texts, or why there are none."""
        start = perf_counter()
        try:
            found = _predictions(classifier, texts)
        except Exception as error:
            return error
        pace = (perf_counter() - start) / max(1, len(texts))
        # Close to the recent minimum: other load on the machine does not make this work seem long.
        self._paces[name] = min(pace, 1.25 * self._paces.get(name, 0.0) + 1e-5)
        return found

    def _hand_out(
        self, waiting: list[tuple[list[str], Answer]], found: list[Any] | Exception
    ) -> None:
        end = 0
        for texts, answer in waiting:
            start, end = end, end + len(texts)
            if answer.done():  # whoever asked is gone
                continue
            if isinstance(found, Exception):
                answer.set_exception(found)
            else:
                answer.set_result(found[start:end])


def _predictions(classifier: TextClassifier, texts: list[str]) -> list[Any]:
    return classifier.predict_scores(texts, n_nearest=1)
