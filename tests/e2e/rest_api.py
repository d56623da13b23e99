"""The deployed REST API on a port: its resources, methods, permissions and integrations as they were deployed."""

from __future__ import annotations

import base64
import json
import re
import uuid
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.e2e.signatures import NotSigned, signer_of
from tests.fakes.runtime_api import SEPARATOR
from tests.serving import serve_aside

_FUNCTION = re.compile(r"(arn:[^/]+:function:[^/]+)/(invocations|response-streaming-invocations)$")


class RestApi:
    """Serves one stage; every call has to be signed, or have a token that the API's authorizer accepts."""

    def __init__(
        self,
        client: Callable[[str], Any],
        api_id: str,
        stage: str,
        secret_of: Callable[[str], str | None],
        user_of: Callable[[str], str | None],
        calling: Callable[[str, str, str], None],
        stream: Callable[[str, Any], Iterator[bytes]],
        binary_types: list[str],
        authorizer: str | None = None,
    ) -> None:
        """Listen.

        Args:
            client: makes a client of a service.
            api_id: which one is served.
            stage: of it.
            secret_of: the secret of an access key.
            user_of: the ARN of whose access key it is.
            calling: told the function, the method and the path of each call of a function.
            stream: calls a function, by its ARN, whose answer is streamed.
            binary_types: types of bodies that are handed over in base64.
            authorizer: the address of the function that looks at tokens.
        """
        self.calling, self.user_of, self._stream = calling, user_of, stream
        gateway = client("apigateway")
        self.functions, self.stage, self.secret_of = client("lambda"), stage, secret_of
        self.binary_types, self._authorizer = binary_types, authorizer
        resources = gateway.get_resources(restApiId=api_id, limit=500)["items"]
        self.methods = {
            (method, resource["path"]): gateway.get_method(
                restApiId=api_id, resourceId=resource["id"], httpMethod=method
            )
            for resource in resources
            for method in resource.get("resourceMethods", ())
        }
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Request)
        self._server.api = self  # type: ignore[attr-defined]
        self.address = f"http://127.0.0.1:{self._server.server_port}/{stage}"
        serve_aside(self._server)

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()

    def find(self, method: str, path: str) -> tuple[str, dict[str, str], dict[str, Any]] | None:
        """The resource of a path, what its parameters are, and its method."""
        # Exact paths come before parameters.
        for (verb, resource), deployed in sorted(self.methods.items(), key=lambda item: "{" in item[0][1]):
            pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(resource))
            if verb == method and (found := re.fullmatch(pattern, path)):
                return resource, found.groupdict(), deployed
        return None

    def identify(self, token: str | None, method: str, path: str) -> dict[str, Any] | None:
        """What the authorizer says of a token, as functions get it; `None` if it refuses."""
        found = _FUNCTION.search(self._authorizer or "")
        assert found is not None, self._authorizer
        arn = f"arn:aws:execute-api:eu-central-1:123456789012:api/{self.stage}/{method}{path}"
        event = {"type": "TOKEN", "authorizationToken": token, "methodArn": arn}
        self.calling(found[1], "", "")
        answer = self.functions.invoke(FunctionName=found[1], Payload=json.dumps(event).encode())
        said = json.loads(answer["Payload"].read())
        (statement,) = said["policyDocument"]["Statement"]
        return {"principalId": said["principalId"], **said["context"]} if statement["Effect"] == "Allow" else None

    def invoke(self, deployed: dict[str, Any], event: dict[str, Any]) -> dict[str, Any] | Iterator[bytes]:
        """What the function behind a method answers: whole, or in pieces, the first with status and headers."""
        found = _FUNCTION.search(deployed["methodIntegration"]["uri"])
        assert found is not None, deployed
        assert deployed["methodIntegration"]["type"] == "AWS_PROXY"
        self.calling(found[1], event["httpMethod"], event["path"])
        if found[2] == "response-streaming-invocations":
            return self._stream(found[1], event)
        answer = self.functions.invoke(FunctionName=found[1], Payload=json.dumps(event).encode())
        content = json.loads(answer["Payload"].read())
        if "FunctionError" in answer:
            return {"statusCode": 502, "body": json.dumps({"message": "Internal server error"})}
        return dict(content)


class _Request(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def _handle(self) -> None:
        api: RestApi = self.server.api  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        parts = urlsplit(self.path)
        stage, _, rest = parts.path.lstrip("/").partition("/")
        found = api.find(self.command, f"/{rest}") if stage == api.stage else None
        if found is None:
            self._answer(403, {"message": "Missing Authentication Token"})
            return
        resource, parameters, deployed = found
        event = self._event(resource, f"/{rest}", parameters, parts.query, body, stage)
        context, kind = event["requestContext"], deployed["authorizationType"]
        if kind == "CUSTOM":
            context["authorizer"] = api.identify(self.headers.get("Authorization"), self.command, f"/{rest}")
            if context["authorizer"] is None:
                self._answer(401, {"message": "Unauthorized"})
                return
        elif kind == "AWS_IAM":
            url = f"http://{self.headers['Host']}{self.path}"
            try:
                key = signer_of(
                    self.command, url, dict(self.headers), body, service="execute-api", secret_of=api.secret_of
                )
            except NotSigned as refused:
                self._answer(403, {"message": str(refused)})
                return
            context["identity"]["userArn"] = api.user_of(key)
        elif kind != "NONE":
            self._answer(500, {"message": f"{kind} is not served here"})
            return
        answer = api.invoke(deployed, event)
        if not isinstance(answer, dict):
            self._pass_on(answer)
            return
        self._answer(answer["statusCode"], answer.get("body") or "", answer.get("multiValueHeaders") or {})

    do_GET = do_POST = do_PUT = do_DELETE = _handle  # noqa: N815  # names that the server looks up

    def _pass_on(self, pieces: Iterator[bytes]) -> None:
        """Send an answer as its pieces arrive."""
        start, _, body = next(pieces).partition(SEPARATOR)
        told = json.loads(start)
        self.send_response(told["statusCode"])
        for name, value in {**told["headers"], "Transfer-Encoding": "chunked"}.items():
            self.send_header(name, value)
        self.end_headers()
        for piece in (body, *pieces) if body else pieces:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    def _event(
        self, resource: str, path: str, parameters: dict[str, str], query: str, body: bytes, stage: str
    ) -> dict[str, Any]:
        pairs = parse_qsl(query)
        api: RestApi = self.server.api  # type: ignore[attr-defined]
        is_binary = self.headers.get("Content-Type", "").partition(";")[0] in api.binary_types
        return {
            "resource": resource,
            "path": path,
            "httpMethod": self.command,
            "headers": dict(self.headers),
            "multiValueHeaders": {name: [value] for name, value in self.headers.items()},
            "queryStringParameters": dict(pairs) or None,
            "multiValueQueryStringParameters": {name: [value] for name, value in pairs} or None,
            "pathParameters": parameters or None,
            "stageVariables": None,
            "requestContext": {
                "resourcePath": resource,
                "path": f"/{stage}{path}",
                "stage": stage,
                "httpMethod": self.command,
                "requestId": str(uuid.uuid4()),
                "identity": {"sourceIp": "127.0.0.1", "userAgent": self.headers.get("User-Agent")},
            },
            "body": base64.b64encode(body).decode() if is_binary else body.decode() or None,
            "isBase64Encoded": is_binary,
        }

    def _answer(self, status: int, content: Any, headers: dict[str, list[str]] | None = None) -> None:
        data = content.encode() if isinstance(content, str) else json.dumps(content).encode()
        self.send_response(status)
        for name, values in {"Content-Type": ["application/json"], **(headers or {})}.items():
            for value in values:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""
