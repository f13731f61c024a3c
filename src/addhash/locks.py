"""One change at a time: threads that change an object wait for each other."""

import os
from threading import Lock, RLock
from typing import Any
from weakref import ref

from addhash.errors import NestedChangeError

# By the identity of what they lock: some of it compares by value, and has no hash.
_locks: dict[int, tuple[Any, Any]] = {}
_making = Lock()


def exclusive(owner: object) -> Any:
    """Return the lock of an object: ``with exclusive(self): ...``.

    It is kept outside the object, so that the object can be copied and pickled. A thread that
    already holds it gets a NestedChangeError: it would lose one of the two changes.
    """
    with _making:
        known = _locks.get(id(owner))
        if known is None:
            number = id(owner)
            known = _locks[number] = ref(owner, lambda _: _locks.pop(number, None)), RLock()
    lock = known[1]
    if _is_owned(lock):
        raise NestedChangeError(
            f"This {type(owner).__name__} is being changed already by this thread: a tokenizer, or"
            " a generator of texts, must not change the model that reads it. Nothing was changed."
        )
    return lock


def _is_owned(lock: Any) -> bool:
    """Return whether this thread holds a lock; Python 3.14 is the first with a public way."""
    return bool(lock._is_owned())


def _forget_threads() -> None:
    """Start afresh in a child process, where the threads that held locks do not exist."""
    global _making
    _making = Lock()
    _locks.clear()


os.register_at_fork(after_in_child=_forget_threads)
