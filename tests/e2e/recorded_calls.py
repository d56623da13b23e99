"""What the deployed parts asked of AWS, in the words of IAM: who did which action on which resource."""

from __future__ import annotations

import io
import json
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, unquote
from xml.sax.saxutils import unescape

from tests.e2e.signatures import key_of

_INVOCATION = re.compile(r"/2015-03-31/functions/(arn:[^/]+)/invocations")
_DELETED, _KEY = re.compile(r"<Object>(.*?)</Object>", re.DOTALL), re.compile(r"<Key>(.*?)</Key>", re.DOTALL)
_LARGEST_TARGETED_BODY = 1_000_000
_S3_ACTIONS = {
    "GET": "GetObject",
    "HEAD": "GetObject",
    "PUT": "PutObject",
    "POST": "PutObject",
    "DELETE": "DeleteObject",
}


@dataclass(frozen=True, order=True)
class RecordedCall:
    """One call, and the permission that it takes."""

    caller: str
    """The name of a role, or a service that calls in its own name."""
    action: str
    resource: str
    source: str = ""
    """On behalf of what a service calls."""
    facts: tuple[tuple[str, str], ...] = ()
    """What else the service tells IAM of it: keys of conditions, with their values."""

    @property
    def is_by_service(self) -> bool:
        """Whether no role called, so that only a policy of the resource can allow it."""
        return self.caller.endswith(".amazonaws.com")


class CallRecorder:
    """Sits in front of the account's services and notes what roles ask of them."""

    def __init__(self, application: Any, role_of: Callable[[str], str | None], place: str) -> None:
        self._application = application
        self._role_of = role_of
        self._place = place
        """`REGION:ACCOUNT`."""
        self._lock = threading.Lock()
        self.calls: set[RecordedCall] = set()

    def note(
        self, caller: str, action: str, resource: str, source: str = "", facts: tuple[tuple[str, str], ...] = ()
    ) -> None:
        """Remember a call."""
        with self._lock:
            self.calls.add(RecordedCall(caller, action, resource, source, facts))

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Answer a request as the services do (WSGI)."""
        key = key_of(environ.get("HTTP_AUTHORIZATION", ""))
        role = self._role_of(key) if key else None
        if role is None:
            return self._application(environ, start_response)  # type: ignore[no-any-return]
        needed = list(self._permissions(environ))

        def answer(status: str, headers: Any, *rest: Any) -> Any:
            for action, resource in needed:
                self.note(role, action, resource, facts=_facts_of(action, environ))
            if status.startswith("404") and ("s3:GetObject" in {action for action, _ in needed}):
                # A role that may not list a bucket gets 403 for missing objects.
                self.note(role, "s3:ListBucket", _bucket_arn(environ["PATH_INFO"]))
            return start_response(status, headers, *rest)

        return self._application(environ, answer)  # type: ignore[no-any-return]

    def _permissions(self, environ: dict[str, Any]) -> Iterator[tuple[str, str]]:
        target = environ.get("HTTP_X_AMZ_TARGET")
        if target is None and "/s3/" in environ["HTTP_AUTHORIZATION"]:
            yield from _of_s3(environ)
            return
        if target is None and (called := _INVOCATION.fullmatch(unquote(environ["PATH_INFO"]))):
            yield "lambda:InvokeFunction", called[1]
            return
        body = environ["wsgi.input"].read(min(int(environ.get("CONTENT_LENGTH") or 0), _LARGEST_TARGETED_BODY))
        environ["wsgi.input"] = io.BytesIO(body)
        if target is None:
            query = parse_qs(body.decode())
            yield f"sts:{query['Action'][0]}", query.get("RoleArn", ["*"])[0]
            return
        service, _, operation = target.partition(".")
        yield _of_target(service, operation, json.loads(body or b"{}"), self._place)


def _of_s3(environ: dict[str, Any]) -> Iterator[tuple[str, str]]:
    method, query = environ["REQUEST_METHOD"], parse_qs(environ.get("QUERY_STRING", ""), keep_blank_values=True)
    bucket, _, key = unquote(environ["PATH_INFO"]).lstrip("/").partition("/")
    if not key and method == "POST" and "delete" in query:
        yield from _deletions(environ, bucket)
        return
    if not key:
        action = "s3:ListBucketVersions" if "versions" in query else "s3:ListBucket"
        yield {"GET": action, "HEAD": action}[method], f"arn:aws:s3:::{bucket}"
        return
    version = "Version" if "versionId" in query else ""
    yield f"s3:{_S3_ACTIONS[method]}{version}", f"arn:aws:s3:::{bucket}/{key}"
    if method == "PUT" and "HTTP_IF_MATCH" in environ:
        # Whether the object is still the one that was read is shown only to roles that may read it.
        yield "s3:GetObject", f"arn:aws:s3:::{bucket}/{key}"
    if source := environ.get("HTTP_X_AMZ_COPY_SOURCE"):
        yield "s3:GetObject", f"arn:aws:s3:::{unquote(source).lstrip('/')}"


def _deletions(environ: dict[str, Any], bucket: str) -> Iterator[tuple[str, str]]:
    """What `DeleteObjects` needs for each of its objects."""
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    environ["wsgi.input"] = io.BytesIO(body)
    for listed in _DELETED.findall(body.decode()):
        (key,) = _KEY.findall(listed)
        version = "Version" if "<VersionId>" in listed else ""
        yield f"s3:DeleteObject{version}", f"arn:aws:s3:::{bucket}/{unescape(key)}"


def _facts_of(action: str, environ: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """What S3 tells IAM of a request, as far as a policy here asks for it."""
    if action != "s3:ListBucketVersions":
        return ()
    return (("s3:prefix", parse_qs(environ["QUERY_STRING"]).get("prefix", [""])[0]),)


def _of_target(service: str, operation: str, content: dict[str, Any], place: str) -> tuple[str, str]:
    if service == "AmazonSQS":
        # A batch takes the permission of its parts.
        name = str(content["QueueUrl"]).rsplit("/", 1)[-1]
        return f"sqs:{operation.removesuffix('Batch')}", f"arn:aws:sqs:{place}:{name}"
    if service == "secretsmanager":
        # Secrets Manager adds a hyphen and six characters to the name.
        return f"secretsmanager:{operation}", f"arn:aws:secretsmanager:{place}:secret:{content['SecretId']}-AbCdEf"
    if service == "AWSStepFunctions":
        return f"states:{operation}", str(content.get("executionArn") or content["stateMachineArn"])
    return f"{service}:{operation}", "*"


def _bucket_arn(path: str) -> str:
    return f"arn:aws:s3:::{unquote(path).lstrip('/').partition('/')[0]}"
