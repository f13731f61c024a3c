"""What can go wrong with models, examples and folders; requests turn it into a status."""

from typing import Any


class ServiceError(Exception):
    """Something that cannot be done.

    Parameters
    ----------
    detail : str
        What was expected, what was found, and what to do next.
    **members
        Details for programs, such as `limit` and `value`.
    """

    def __init__(self, detail: str, **members: Any) -> None:
        super().__init__(detail)
        self.detail = detail
        self.members = members


class UnknownError(ServiceError):
    """There is no model or example of this name."""


class InvalidError(ServiceError):
    """A value that is never accepted."""


class ConflictError(ServiceError):
    """Not possible in the present state, such as forgetting what was never learnt."""


class KeyReusedError(ServiceError):
    """An Idempotency-Key that belongs to another request."""


class UnavailableError(ServiceError):
    """The model cannot be read or changed at all; its `problems` say why."""


class BusyError(ServiceError):
    """Not now: try again in `seconds`."""

    def __init__(self, detail: str, seconds: int = 1, **members: Any) -> None:
        super().__init__(detail, **members)
        self.seconds = seconds


class StorageError(ServiceError):
    """The disk is full or fails; nothing was changed."""


class LedgerError(ServiceError):
    """The ledger cannot be used; `detail` says why and what to do."""


class DataFolderError(ServiceError):
    """The data folder cannot be used; nothing in it was touched."""
