"""The store's bucket, which is the source of truth, and the bucket for its access logs."""

from __future__ import annotations

from typing import cast

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.environment import Environment


def removal_of(environment: Environment) -> RemovalPolicy:
    """The removal policy for data when the stack is deleted.

    What a first deployment created before it failed holds no data and is removed, so that its names are free again.
    """
    return RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE if environment.removal == "retain" else RemovalPolicy.DESTROY


def _audit_rules(environment: Environment) -> list[s3.LifecycleRule]:
    """Removes records of capabilities when they are old, with their last version a day later.

    A rule stays when they are no longer stored, for those that were.
    """
    return [
        s3.LifecycleRule(
            prefix=audit.prefix,
            expiration=Duration.days(getattr(environment.sections[each.name], audit.days)),
            noncurrent_version_expiration=Duration.days(1),
        )
        for each in environment.capabilities
        for audit in each.audits
        if each.name in environment.sections
    ]


class Storage(Construct):
    """A versioned, encrypted bucket that accepts only TLS and sends events about new objects to EventBridge."""

    def __init__(self, scope: Construct, name: str, environment: Environment) -> None:
        super().__init__(scope, name)
        removal = removal_of(environment)
        self.access_logs = s3.Bucket(
            self,
            "AccessLogs",
            encryption=s3.BucketEncryption.S3_MANAGED,
            enforce_ssl=True,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            lifecycle_rules=[s3.LifecycleRule(expiration=Duration.days(environment.log_days))],
            removal_policy=removal,
        )
        self.bucket = s3.Bucket(
            self,
            "Store",
            versioned=True,
            encryption=s3.BucketEncryption.S3_MANAGED,
            enforce_ssl=True,
            minimum_tls_version=1.2,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            server_access_logs_bucket=self.access_logs,
            server_access_logs_prefix="store/",
            lifecycle_rules=[
                s3.LifecycleRule(
                    noncurrent_version_expiration=Duration.days(environment.old_version_days),
                    expired_object_delete_marker=True,
                    abort_incomplete_multipart_upload_after=Duration.days(1),
                ),
                *_audit_rules(environment),
            ],
            removal_policy=removal,
        )
        # The construct's property `event_bridge_enabled` would add a custom resource with its own function.
        template = cast("s3.CfnBucket", self.bucket.node.default_child)
        template.notification_configuration = s3.CfnBucket.NotificationConfigurationProperty(
            event_bridge_configuration=s3.CfnBucket.EventBridgeConfigurationProperty(event_bridge_enabled=True)
        )

    @property
    def address(self) -> str:
        """The address of the store, as functions get it in their environment."""
        return f"s3://{self.bucket.bucket_name}"
