"""Memory that is free again, for the system and the other models."""

import ctypes


def give_back() -> None:
    """Give freed memory back to the system.

    The C library of Linux keeps what a thread has freed for that thread, and every model has one of
    its own. Other systems do this by themselves.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
