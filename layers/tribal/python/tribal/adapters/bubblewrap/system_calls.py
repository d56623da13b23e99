"""The filter of system calls: kernel interfaces that namespaces and limits do not cover.

Source: seccomp(2) and the headers `linux/seccomp.h`, `linux/filter.h`, `linux/audit.h`.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Mapping

_LOAD, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
"""Offsets in `struct seccomp_data`."""
_ALLOW, _KILL, _FAIL = 0x7FFF0000, 0x80000000, 0x00050000
_X32 = 0x40000000
"""First number of the calls of x32, another set of numbers on x86-64."""

_DENIED = ("add_key", "request_key", "keyctl", "memfd_create", "memfd_secret", "shmget", "msgget", "io_uring_setup")
"""The kernel's keys are credentials, and inherited. The others take memory that no process is charged with, or, with
io_uring, open sockets past this filter."""
_CALLS: Mapping[str, tuple[int, Mapping[str, int]]] = {
    "x86_64": (
        0xC000003E,
        {
            "shmget": 29,
            "socket": 41,
            "msgget": 68,
            "add_key": 248,
            "request_key": 249,
            "keyctl": 250,
            "memfd_create": 319,
            "io_uring_setup": 425,
            "memfd_secret": 447,
        },
    ),
    "aarch64": (
        0xC00000B7,
        {
            "msgget": 186,
            "shmget": 194,
            "socket": 198,
            "add_key": 217,
            "request_key": 218,
            "keyctl": 219,
            "memfd_create": 279,
            "io_uring_setup": 425,
            "memfd_secret": 447,
        },
    ),
}
"""By machine: its audit architecture, and the numbers of its calls."""
MACHINES = tuple(_CALLS)
"""Machines that have a filter, as `platform.machine` names them."""

_UNIX, _INET, _INET6, _NETLINK = 1, 2, 10, 16
"""Kinds of sockets that belong to a network namespace. Others, such as AF_VSOCK, reach past it."""


def system_call_filter(machine: str, *, unix_sockets: bool) -> bytes:
    """Return a program of `struct sock_filter` for seccomp.

    Args:
        machine: one of `MACHINES`.
        unix_sockets: whether a process may open one. They are bound to a network namespace as well; where that is the
            host's, its abstract sockets could be reached. Pairs of connected sockets are always allowed.
    """
    architecture, calls = _CALLS[machine]
    families = (_INET, _INET6, _NETLINK, *((_UNIX,) if unix_sockets else ()))
    missing, unsupported = _FAIL | errno.ENOSYS, _FAIL | errno.EAFNOSUPPORT
    return b"".join(
        (
            _step(_LOAD, _ARCHITECTURE),
            *_return_unless(_IF_EQUAL, architecture, _KILL),
            _step(_LOAD, _NUMBER),
            *_return_if(_IF_AT_LEAST, _X32, missing),
            *(step for name in _DENIED for step in _return_if(_IF_EQUAL, calls[name], missing)),
            *_return_unless(_IF_EQUAL, calls["socket"], _ALLOW),
            _step(_LOAD, _FIRST_ARGUMENT),
            *(step for family in families for step in _return_if(_IF_EQUAL, family, _ALLOW)),
            _step(_RETURN, unsupported),
        )
    )


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _return_if(test: int, value: int, result: int) -> tuple[bytes, bytes]:
    return _step(test, value, if_false=1), _step(_RETURN, result)


def _return_unless(test: int, value: int, result: int) -> tuple[bytes, bytes]:
    return _step(test, value, if_true=1), _step(_RETURN, result)
