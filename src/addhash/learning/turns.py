"""Changes that take turns: only one thread changes an object at a time."""

import os
from threading import Lock
from weakref import WeakKeyDictionary

__all__ = ["turn"]

_locks: "WeakKeyDictionary[object, Lock]" = WeakKeyDictionary()
_making = Lock()


def turn(owner: object) -> Lock:
    """Return the lock of an object: ``with turn(self): ...``.

    It is kept outside the object, so that the object can be copied and pickled.
    """
    with _making:
        lock = _locks.get(owner)
        if lock is None:
            lock = _locks[owner] = Lock()
        return lock


def _forget_threads() -> None:
    """Start afresh in a child process, where the threads that held locks do not exist."""
    global _making, _locks
    _making, _locks = Lock(), WeakKeyDictionary()


os.register_at_fork(after_in_child=_forget_threads)
