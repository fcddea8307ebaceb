"""Models on several ranks of MPI: all ranks call a method, rank 0 computes it, and the others work for it."""
from __future__ import annotations

import functools
import pickle
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ._library import Error, InputError, c, call

if TYPE_CHECKING:
    from ._model import Model

Method = TypeVar("Method", bound=Callable[..., Any])


class Ranks:
    """The ranks of this process; the library has one set of them."""

    begun: Ranks | None = None

    def __init__(self, comm: Any) -> None:
        call(c.cubeswe_ranks_begin, comm.py2f())
        self.comm = comm.Dup()
        self.ended: list[Any] = []  # models that Python has given up; rank 0 releases them while the others serve
        self._is_within = False

    @classmethod
    def of(cls, comm: Any) -> Ranks | None:
        """The ranks of a communicator; None: this process alone."""
        if cls.begun is None and comm is not None and comm.Get_size() > 1:
            cls.begun = cls(comm)
        if cls.begun is not None and (comm is None or comm.Compare(cls.begun.comm) > 1):  # neither the same nor congruent
            raise InputError("Model: the ranks of this process compute together since a model had comm: give every model the same", 64)
        return cls.begun

    def compute(self, model: Model, method: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """A call of a method: its result, or exception, on all ranks."""
        if self._is_within:
            return method(model, *arguments, **options)
        if self.comm.rank > 0:
            c.cubeswe_ranks_serve()
            return self._receive(model, method)
        result, raised = None, None
        self._is_within = True
        try:
            while self.ended:
                c.cubeswe_destroy(self.ended.pop())
            result = method(model, *arguments, **options)
        except BaseException as error:
            raised = error
        self._is_within = False
        c.cubeswe_ranks_dismiss()
        self._send(model, method, result, raised)
        if raised is not None:
            raise raised
        return result

    def _send(self, model: Model, method: Callable[..., Any], result: Any, raised: BaseException | None) -> None:
        now = (model.time, model.steps) if model._handle is not None else (0.0, 0)
        of_all = (method.__qualname__, now, result is model, None if result is model else result)
        try:
            message = pickle.dumps((*of_all, raised))
        except Exception:
            message = pickle.dumps((*of_all[:3], None, Error(f"on rank 0: {raised if raised is not None else result!r}", 70)))
        self.comm.bcast(message)

    def _receive(self, model: Model, method: Callable[..., Any]) -> Any:
        name, model._now, is_model, result, raised = pickle.loads(self.comm.bcast(None))
        if name != method.__qualname__:
            raise InputError(f"rank {self.comm.rank} calls {method.__qualname__}, and rank 0 {name}: all ranks call the same", 64)
        if raised is not None:
            raise raised
        return model if is_model else result


def together(method: Method) -> Method:
    """A method of a model that the ranks of its `comm` call together."""

    @functools.wraps(method)
    def of_ranks(model: Model, *arguments: Any, **options: Any) -> Any:
        if model._ranks is None:
            return method(model, *arguments, **options)
        return model._ranks.compute(model, method, arguments, options)

    return cast(Method, of_ranks)
