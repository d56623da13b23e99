"""The authorizer: admits bearers of a valid token and passes on which databases they may see."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import jwt
from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit

from functions.authorizer.configuration import TokenRules, load_rules
from functions.contexts import DATABASES, LambdaContext

_LEEWAY_SECONDS = 30
_KEYS_KEPT_SECONDS = 900

logger, tracer, metrics = Logger(), Tracer(), Metrics()


@logger.inject_lambda_context
@tracer.capture_lambda_handler
@metrics.log_metrics(capture_cold_start_metric=True)
def handle(event: dict[str, Any], _context: LambdaContext) -> dict[str, Any]:
    """Return an IAM policy that allows or denies the bearer of the token."""
    rules = load_rules()
    resource = event["methodArn"]
    try:
        claims = _claims(event.get("authorizationToken", ""), rules)
        databases = rules.databases_of(claims)
    except (jwt.PyJWTError, ValueError) as error:
        # Never log the token or its claims.
        logger.info("refused", reason=type(error).__name__)
        metrics.add_metric("Refused", MetricUnit.Count, 1)
        return _policy("anonymous", "Deny", resource, {})
    context = {} if databases is None else {DATABASES: ",".join(sorted(databases))}
    return _policy(str(claims.get("sub", "unknown")), "Allow", resource, context)


def _claims(header: str, rules: TokenRules) -> dict[str, Any]:
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise ValueError("no bearer token")
    key = _keys(rules.keys_url).get_signing_key_from_jwt(token)
    claims: dict[str, Any] = jwt.decode(
        token,
        key.key,
        algorithms=list(rules.algorithms),
        issuer=rules.issuer,
        audience=rules.audience,
        leeway=_LEEWAY_SECONDS,
        options={"require": ["exp", "iss", "aud", "sub"]},
    )
    return claims


@lru_cache(maxsize=4)
def _keys(url: str) -> jwt.PyJWKClient:
    return jwt.PyJWKClient(url, cache_keys=True, lifespan=_KEYS_KEPT_SECONDS, timeout=5)


def _policy(principal: str, effect: str, resource: str, context: dict[str, str]) -> dict[str, Any]:
    # API Gateway caches the policy per token, so it must cover every resource of the API's stage.
    stage = "/".join(resource.split("/")[:2])
    statement = {"Action": "execute-api:Invoke", "Effect": effect, "Resource": f"{stage}/*"}
    return {
        "principalId": principal,
        "policyDocument": {"Version": "2012-10-17", "Statement": [statement]},
        "context": context,
    }
