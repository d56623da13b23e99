"""The authorizer: accepts valid tokens and passes on the scope of their bearers."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit

from functions.authorizer.configuration import load_rules
from functions.contexts import LambdaContext
from functions.scopes import IDENTITY, REFUSED, RIGHTS, SCOPE, write_identity, write_rights, write_scope
from tribal.edges.http.identity import KeysUnavailable, SigningKeys, TokenExpired, TokenRefused, download_keys, identify

logger, tracer, metrics = Logger(), Tracer(), Metrics()


@logger.inject_lambda_context
@tracer.capture_lambda_handler
@metrics.log_metrics(capture_cold_start_metric=True)
def handle(event: dict[str, Any], _context: LambdaContext) -> dict[str, Any]:
    """Return an IAM policy that allows or denies the bearer of the token.

    Raises:
        KeysUnavailable: when the issuer's keys are unavailable. API Gateway then answers 500 and caches nothing; a
            denying policy would be cached and refuse valid tokens after the outage.
    """
    rules = load_rules()
    resource = event["methodArn"]
    try:
        bearer = identify(event.get("authorizationToken"), rules, _keys(rules.issuer))
    except TokenRefused as refusal:
        # Never log the token or its claims.
        logger.info("refused", reason=refusal.reason)
        metrics.add_metric("Refused", MetricUnit.Count, 1)
        reason = "the token has expired" if isinstance(refusal, TokenExpired) else "the token is not accepted"
        return _policy("anonymous", "Deny", resource, {REFUSED: reason})
    except KeysUnavailable:
        metrics.add_metric("KeysUnavailable", MetricUnit.Count, 1)
        raise
    rights = {} if bearer.rights is None else {RIGHTS: write_rights(bearer.rights)}
    text = write_identity(bearer.identity)
    identity = {IDENTITY: text} if text else {}
    return _policy(bearer.subject, "Allow", resource, {SCOPE: write_scope(bearer.scope), **identity, **rights})


@lru_cache(maxsize=4)
def _keys(issuer: str) -> SigningKeys:
    return SigningKeys(partial(download_keys, issuer))


def _policy(principal: str, effect: str, resource: str, context: dict[str, str]) -> dict[str, Any]:
    # API Gateway caches the policy per token, so it must cover every resource of the API's stage.
    stage = "/".join(resource.split("/")[:2])
    statement = {"Action": "execute-api:Invoke", "Effect": effect, "Resource": f"{stage}/*"}
    return {
        "principalId": principal,
        "policyDocument": {"Version": "2012-10-17", "Statement": [statement]},
        "context": context,
    }
