"""Models on several ranks of MPI: all ranks call a method, rank 0 computes it, and the others work for it."""
from __future__ import annotations

import functools
import io
import pickle
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar, cast
from weakref import WeakValueDictionary

from ._library import Error, InputError, c, call

if TYPE_CHECKING:
    from ._model import Model

Method = TypeVar("Method", bound=Callable[..., Any])
PIECE = 1 << 30  # of a message [B]: MPI counts by int


@contextmanager
def _interrupts(handler: Any) -> Iterator[Any]:
    """Handle SIGINT in another way: KeyboardInterrupt in the midst of a message would part the ranks."""
    if threading.current_thread() is not threading.main_thread():
        yield handler
        return
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield before
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)


def _copied(error: BaseException | None) -> BaseException | None:
    """An exception as other ranks receive it."""
    try:
        pickle.loads(pickle.dumps(error))
        return error
    except Exception:
        return Error(f"on rank 0: {type(error).__name__}: {error}", 70)


class Ranks:
    """The ranks of this process; the library has one set of them."""

    begun: Ranks | None = None

    def __init__(self, comm: Any) -> None:
        call(c.cubeswe_ranks_begin, comm.py2f())
        self.comm = comm.Dup()
        self.ended: list[Any] = []  # models that Python has given up; rank 0 releases them while the others serve
        self.models: WeakValueDictionary[int, Model] = WeakValueDictionary()  # by the order in which all ranks created them
        self._created = 0
        self._thread: int | None = None  # that calls a method now

    @classmethod
    def of(cls, comm: Any) -> Ranks | None:
        """The ranks of a communicator; None: this process alone."""
        try:
            if cls.begun is None and comm is not None and comm.Get_size() > 1:
                cls.begun = cls(comm)
            is_other = cls.begun is not None and (comm is None or comm.Compare(cls.begun.comm) > 1)  # neither the same nor congruent
        except Error:
            raise
        except Exception as error:
            raise InputError(f"Model: comm is a communicator of mpi4py that this rank is part of: {error}", 64) from None
        if is_other:
            raise InputError("Model: the ranks of this process compute together since a model had comm: give every model the same", 64)
        return cls.begun

    def number(self, model: Model) -> int | None:
        """The number of a new model; None: of rank 0 alone, within a call."""
        if self._thread is not None:
            return None
        self._created += 1
        self.models[self._created] = model
        return self._created

    def compute(self, model: Model, method: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """A call of a method: its result, or exception, on all ranks."""
        if self._thread == threading.get_ident():
            if method.__name__ == "_create":
                self._release()
            return method(model, *arguments, **options)
        if self._thread is not None:
            raise InputError("on ranks one thread at a time calls models", 64)
        self._thread = threading.get_ident()
        try:
            with _interrupts(signal.SIG_IGN) as usual:
                if self.comm.rank > 0:
                    c.cubeswe_ranks_serve()
                    return self._receive(model, method)
                return self._lead(model, method, functools.partial(method, model, *arguments, **options), usual)
        finally:
            self._thread = None

    def _release(self) -> None:
        while self.ended:
            c.cubeswe_destroy(self.ended.pop())

    def _lead(self, model: Model, method: Callable[..., Any], bound: Callable[[], Any], usual: Any) -> Any:
        result, raised = None, None
        try:
            with _interrupts(usual):
                self._release()
                result = bound()
        except BaseException as error:
            raised = error
        c.cubeswe_ranks_dismiss()
        message = io.BytesIO()
        times = {number: (other.time, other.steps) for number, other in self.models.items() if other._handle is not None}
        head = method.__qualname__, model._number, times, result is model
        try:
            pickle.dump((*head, None if result is model else result, _copied(raised)), message, protocol=5)
        except Exception:
            message = io.BytesIO()
            pickle.dump((*head, None, Error(f"on rank 0: {result!r}", 70)), message, protocol=5)
        self._broadcast(message.getbuffer())
        if raised is None:
            return result
        try:
            raise raised
        finally:
            del raised  # which has this frame in its traceback

    def _receive(self, model: Model, method: Callable[..., Any]) -> Any:
        name, number, times, is_model, result, raised = pickle.loads(self._broadcast(None))
        for of, now in times.items():
            if of in self.models:
                self.models[of]._now = now
        if (name, number) != (method.__qualname__, model._number):
            raise InputError(f"rank {self.comm.rank} calls {method.__qualname__} of its model number {model._number}, and rank 0 {name} of "
                             f"number {number}: all ranks call the same", 64)
        if raised is None:
            return model if is_model else result
        try:
            raise raised
        finally:
            del raised

    def _broadcast(self, message: memoryview | None) -> memoryview:
        """A message of rank 0, of any length."""
        size = self.comm.bcast(None if message is None else len(message))
        data = memoryview(bytearray(size)) if message is None else message
        for start in range(0, size, PIECE):
            self.comm.Bcast(data[start:start + PIECE])
        return data


def together(method: Method) -> Method:
    """A method of a model that the ranks of its `comm` call together."""

    @functools.wraps(method)
    def of_ranks(model: Model, *arguments: Any, **options: Any) -> Any:
        if model._ranks is None:
            return method(model, *arguments, **options)
        return model._ranks.compute(model, method, arguments, options)

    return cast(Method, of_ranks)
