"""Which databases are documented, and how. Extension contracts; unknown keys are refused."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, SecretStr, model_validator

from tribal_contracts.core.shape import ClosedContract, DatabaseType, Unset, optional

Glob = Annotated[str, Field(min_length=1)]


class Selection(ClosedContract):
    """Globs over names; `tables` match `table` or `schema.table`."""

    schemas: list[Glob] = Field(default_factory=list)
    tables: list[Glob] = Field(default_factory=list)


class DatabaseLimits(ClosedContract):
    """How heavily a run may use a database."""

    connections: int = Field(default=4, ge=1, le=16)
    connect_timeout_seconds: float = Field(default=10.0, gt=0, le=300)
    lock_timeout_seconds: float = Field(default=2.0, gt=0, le=300)
    statement_timeout_seconds: float = Field(default=60.0, gt=0, le=3600)
    sample_timeout_seconds: float = Field(default=5.0, gt=0, le=300)
    split_queries: int = Field(default=2000, ge=0, le=100_000)
    """Queries that a reading may send about single tables, where a schema has more columns than one answer lists."""


class DatabaseEntry(ClosedContract):
    """One database to document."""

    name: Annotated[str, Field(min_length=1, max_length=128)]
    type: DatabaseType = "postgres"
    dsn: SecretStr | Unset = optional(
        "postgresql://user:password@host:port/database, or snowflake://user@account/DATABASE?role=R&warehouse=W; "
        "instead of the separate fields."
    )
    account: str | Unset = optional("Snowflake's account identifier, such as myorg-account1.", min_length=1)
    role: str | Unset = optional("The role that reads a Snowflake database.", min_length=1)
    warehouse: str | Unset = optional(
        "The warehouse that may be used for what Snowflake does not show without one; each use costs credits.",
        min_length=1,
    )
    host: str | Unset = optional()
    port: int | Unset = optional(ge=1, le=65535)
    database: str | Annotated[list[Glob], Field(min_length=1)] | Unset = optional(
        "The database's name on the server. A list, or a glob such as shop_*, names several, each documented as "
        "{name}_{database}, or as name says with {database} in it; an item that begins with ! leaves databases out."
    )
    user: str | Unset = optional()
    password: SecretStr | Unset = optional("Better written as ${VARIABLE} than in clear.")
    password_secret: str | Unset = optional(
        "Name of the secret that holds the password: an environment variable, or a file in the folder TRIBAL_SECRETS."
    )
    sslmode: Literal["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] | Unset = optional(
        "As in a DSN, which it overrides."
    )
    sslrootcert: str | Unset = optional("As in a DSN, which it overrides.")
    require_auth: str | Unset = optional(
        "Methods by which the server may ask for the login, as in a DSN, which it overrides."
    )
    private_key_secret: str | Unset = optional("Name of the secret that holds the private key of a Snowflake user.")
    private_key_file: str | Unset = optional("The file that holds the private key, in place of a secret.")
    passphrase_secret: str | Unset = optional("Name of the secret that holds the passphrase of the private key.")
    token_secret: str | Unset = optional("Name of the secret that holds a Snowflake token.")
    workload_provider: Literal["aws", "oidc"] | Unset = optional(
        "Who vouches for the workload identity: AWS for the current role, or the issuer of the token in token_secret."
    )
    auth: Literal["password", "rds_iam", "key_pair", "workload_identity", "oauth", "programmatic_token"] | Unset = (
        optional(
            "How to log in: by password, the default; rds_iam creates a token from the current AWS identity for every "
            "login; the others are Snowflake's."
        )
    )
    network: str = Field(default="default", pattern=r"^[a-z][a-z0-9-]{0,30}$")
    """Network group of the deployed environment whose functions can reach the database."""
    describer: Literal["rules", "model"] | Unset = optional("`rules` keeps this database from the model.")
    include: Selection = Field(default_factory=Selection)
    exclude: Selection = Field(default_factory=Selection)
    sample_rows: int = Field(default=50, ge=0, le=1000, description="Of Snowflake, 0 until it is set.")
    sample_views: bool = Field(
        default=False, description="Whether views, materialized views and foreign tables are sampled like tables."
    )
    domains: dict[str, list[Glob]] = Field(default_factory=dict)
    vocabulary: dict[Annotated[str, Field(min_length=1)], list[Annotated[str, Field(min_length=1)]]] = Field(
        default_factory=dict,
        description="Your own names of domains, each with words that its tables carry in their names.",
    )
    limits: DatabaseLimits = Field(default_factory=DatabaseLimits)

    @model_validator(mode="before")
    @classmethod
    def _of_snowflake(cls, data: Any) -> Any:
        """Defaults for Snowflake, recognised by the DSN: sampling costs money, so it is off unless set."""
        if not isinstance(data, dict):
            return data
        dsn = data.get("dsn")
        text = dsn.get_secret_value() if isinstance(dsn, SecretStr) else dsn
        if isinstance(text, str) and text.strip().lower().startswith("snowflake://"):
            data = {"type": "snowflake"} | data
        return {"sample_rows": 0} | data if data.get("type") == "snowflake" else data


class LintRules(ClosedContract):
    """Which findings `tribal lint` reports, and the coverage that it requires."""

    undocumented: bool = True
    unclear: bool = True
    unmasked: bool = True
    orphaned: bool = False
    without_key: bool = True
    broken: bool = True
    """Metrics, terms and verified queries that do not fit the documented tables."""
    changed: bool = True
    """Verified queries whose tables have changed since."""
    contradicted: bool = True
    """Descriptions, notes, terms, decisions and memories that the catalog disproves."""
    open_gaps: bool = False
    """Tables that lack what questions of interrogations and exams need."""
    minimum_coverage: float = Field(default=0.0, ge=0.0, le=100.0)
    """Percentage of the tables, and of the columns, that must be documented."""
