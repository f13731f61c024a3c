"""Changes that take turns: of several threads that change one object, one does so at a time."""

import os
from threading import Lock
from weakref import WeakKeyDictionary

__all__ = ["turn"]

_locks: "WeakKeyDictionary[object, Lock]" = WeakKeyDictionary()
_making = Lock()


def turn(owner: object) -> Lock:
    """Return the lock of an object: ``with turn(self): ...``.

    It is not kept in the object, so that the object can be copied and pickled.
    """
    with _making:
        lock = _locks.get(owner)
        if lock is None:
            lock = _locks[owner] = Lock()
        return lock


def _forget_threads() -> None:
    """Begin anew in a child process: the threads that held locks are not there."""
    global _making, _locks
    _making, _locks = Lock(), WeakKeyDictionary()


os.register_at_fork(after_in_child=_forget_threads)
