"""Which databases are documented, and how. Extension contracts; unknown keys are refused."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, SecretStr, model_validator

from tribal_contracts.core.shape import ClosedContract, DatabaseType, Text, Unset, optional

Glob = Annotated[str, Field(min_length=1)]


class Selection(ClosedContract):
    """Globs over the names of schemas and tables."""

    schemas: list[Glob] = Field(default_factory=list, description="Globs over schema names, such as `billing_*`.")
    tables: list[Glob] = Field(
        default_factory=list, description="Globs over table names, or over schema.table if the glob has a dot."
    )


class DatabaseLimits(ClosedContract):
    """How much load a run may put on a database."""

    connections: int = Field(
        default=4,
        ge=1,
        le=16,
        description="Most connections of a run to the server, over all its databases and all processes.",
    )
    connect_timeout_seconds: float = Field(default=10.0, gt=0, le=300, description="Maximum time to connect.")
    lock_timeout_seconds: float = Field(
        default=2.0,
        gt=0,
        le=300,
        description="Maximum wait for a lock. A table that stays locked is documented without samples.",
    )
    statement_timeout_seconds: float = Field(
        default=60.0, gt=0, le=3600, description="Maximum time of a statement that reads the catalog."
    )
    sample_timeout_seconds: float = Field(default=5.0, gt=0, le=300, description="Maximum time to sample one table.")
    split_queries: int = Field(
        default=2000,
        ge=0,
        le=100_000,
        description="Snowflake: most queries about single tables, where a schema has more columns than one answer "
        "lists.",
    )


class DatabaseEntry(ClosedContract):
    """One database to document."""

    name: Annotated[str, Field(min_length=1, max_length=128)] = Field(
        description="Name of the database in documents, answers and file names; unique in this file."
    )
    type: DatabaseType = Field(default="postgres", description="Type of the database. A DSN implies it.")
    dsn: SecretStr | Unset = optional(
        "Address of the database, instead of separate keys: postgresql://user:password@host:port/database, or "
        "snowflake://user@account/DATABASE?role=R&warehouse=W."
    )
    account: Text | Unset = optional("Snowflake: the account identifier, such as myorg-account1.")
    role: Text | Unset = optional("Snowflake: the role that reads the database.")
    warehouse: Text | Unset = optional(
        "Snowflake: the warehouse for what cannot be read without one. Each use costs credits."
    )
    host: str | Unset = optional("Host name or address of the server. By default from PGHOST, as `psql` has it.")
    port: Annotated[int, Field(ge=1, le=65535)] | Unset = optional(
        "Port of the server. By default from PGPORT, else 5432."
    )
    database: str | Annotated[list[Glob], Field(min_length=1)] | Unset = optional(
        "Name of the database on the server; by default from PGDATABASE. A list or a glob such as `shop_*` names "
        "several, each documented as {name}_{database}; an item that begins with ! excludes databases."
    )
    user: str | Unset = optional("User to log in as. By default from PGUSER.")
    password: SecretStr | Unset = optional(
        "Password of the user; write ${VARIABLE} rather than the password. By default from PGPASSWORD or ~/.pgpass."
    )
    password_secret: str | Unset = optional(
        "Name of the secret with the password: an environment variable, or a file in the folder TRIBAL_SECRETS."
    )
    sslmode: Literal["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] | Unset = optional(
        "How to use TLS, as with `psql`. Overrides the DSN."
    )
    sslrootcert: str | Unset = optional(
        "File with the certificate authorities to trust, or `system`. Overrides the DSN."
    )
    require_auth: str | Unset = optional("Methods by which the server may ask for the login. Overrides the DSN.")
    private_key_secret: str | Unset = optional("Snowflake: name of the secret with the private key of the user.")
    private_key_file: str | Unset = optional("Snowflake: file with the private key of the user, instead of a secret.")
    passphrase_secret: str | Unset = optional("Snowflake: name of the secret with the passphrase of the private key.")
    token_secret: str | Unset = optional("Snowflake: name of the secret with a token.")
    workload_provider: Literal["aws", "oidc"] | Unset = optional(
        "Snowflake: who vouches for the workload identity, AWS for the current role or the issuer of the token in "
        "`token_secret`."
    )
    auth: Literal["password", "rds_iam", "key_pair", "workload_identity", "oauth", "programmatic_token"] | Unset = (
        optional(
            "How to log in; by default with a password. `rds_iam` creates a token from the current AWS identity for "
            "each login; the other methods are for Snowflake."
        )
    )
    network: str = Field(
        default="default",
        pattern=r"^[a-z][a-z0-9-]{0,30}$",
        description="In AWS: the group of functions that can reach the database.",
    )
    describer: Literal["rules", "model"] | Unset = optional(
        "Who describes the tables. By default the model, if one is configured; with `rules` nothing about this "
        "database is sent to it."
    )
    include: Selection = Field(
        default_factory=Selection, description="Schemas and tables to document. By default everything."
    )
    exclude: Selection = Field(
        default_factory=Selection, description="Schemas and tables to leave out. By default none."
    )
    sample_rows: int = Field(
        default=50,
        ge=0,
        le=1000,
        description="Rows to sample from each table; values are masked. 0 reads no rows, the default for Snowflake.",
    )
    sample_views: bool = Field(
        default=False, description="Whether views, materialized views and foreign tables are sampled too."
    )
    domains: dict[str, list[Glob]] = Field(
        default_factory=dict, description="Globs of tables that belong to a domain regardless of their keys."
    )
    vocabulary: dict[Annotated[str, Field(min_length=1)], list[Annotated[str, Field(min_length=1)]]] = Field(
        default_factory=dict,
        description="Your names for domains, each with words that are typical of its table names.",
    )
    limits: DatabaseLimits = Field(
        default_factory=DatabaseLimits, description="How much load a run may put on the database."
    )

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

    undocumented: bool = Field(default=True, description="Report tables and columns without a description.")
    unclear: bool = Field(default=True, description="Report comments and texts that only repeat a name.")
    unmasked: bool = Field(default=True, description="Report values that look like personal data or secrets.")
    orphaned: bool = Field(default=False, description="Report tables without keys to or from other tables.")
    without_key: bool = Field(default=True, description="Report tables without a primary key.")
    broken: bool = Field(
        default=True, description="Report metrics, terms and verified queries that do not fit the documented tables."
    )
    changed: bool = Field(
        default=True, description="Report verified queries whose tables have changed since they were verified."
    )
    contradicted: bool = Field(
        default=True,
        description="Report descriptions, notes, terms, decisions and memories that the catalog disproves.",
    )
    open_gaps: bool = Field(
        default=False, description="Report tables that lack what questions of interrogations and exams need."
    )
    minimum_coverage: float = Field(
        default=0.0,
        ge=0.0,
        le=100.0,
        description="Percentage of tables, and of columns, that must be documented; else `tribal lint` exits with 1.",
    )
