"""Reports what a role may read, what it should not be able to do, and what reading costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tribal.adapters.snowflake.account_usage import GOVERNANCE_GRANT, Usage, missing_marks
from tribal.adapters.snowflake.connections.connection import Context
from tribal.adapters.snowflake.grants import ADMINISTRATORS, OWNERSHIP, Grants
from tribal.adapters.snowflake.reading.listing import Listing
from tribal.adapters.snowflake.rows import WarehouseRow
from tribal.ports import AccessReport, MissingGrant, SchemaAndTable
from tribal.sql.dialect import quote_identifier

if TYPE_CHECKING:
    from tribal.settings.snowflake.target import SnowflakeTarget
    from tribal_contracts import DatabaseLimits


_READER_ROLE = "TRIBAL_READER"
_READER_USER = "TRIBAL"
_KINDS = ("TABLES", "VIEWS", "MATERIALIZED VIEWS", "EXTERNAL TABLES")
_EXAMPLES = 3


def _quoted(*names: str) -> str:
    return ".".join(quote_identifier(name, "snowflake") for name in names)


@dataclass(frozen=True)
class Access:
    """What was asked about the access of a role."""

    target: SnowflakeTarget
    limits: DatabaseLimits
    context: Context
    listing: Listing
    grants: Grants
    usage: Usage
    warehouse: WarehouseRow | None
    may_sample: bool

    @property
    def role(self) -> str:
        """The role in use, or one to be made."""
        return self.context.role or self.target.role or _READER_ROLE

    def report(self) -> AccessReport:
        """Summarize it."""
        names = [name for names in self.listing.names().values() for name in names]
        selectable = self.grants.selectable(self.target.database)
        readable = [schema.name for schema in self.listing.schemas]
        hidden = self.listing.hidden(self.usage.schemas)
        return AccessReport(
            server_database=self.target.database,
            server_version=self.context.version,
            user=self.context.user,
            readable_schemas=tuple(readable),
            unreadable_schemas=hidden,
            tables_total=len(names),
            tables_selectable=sum(name in selectable for name in names),
            missing=tuple(self._missing(hidden, [name for name in names if name not in selectable])),
            product="Snowflake",
            role=self.context.role,
            warnings=tuple(self._warnings()),
            script=script(self.target, self.role, self.context.user, may_sample=self.may_sample),
            costs=tuple(
                credit_lines(self.target.warehouse, self.warehouse, self.limits, len(selectable), self.may_sample)
            ),
        )

    def _missing(self, hidden: Sequence[str], closed: Sequence[SchemaAndTable]) -> list[MissingGrant]:
        to = f"TO ROLE {_quoted(self.role)};"
        privilege = "SELECT" if self.may_sample else "REFERENCES"
        found: list[MissingGrant] = []
        for schema in hidden:
            place = _quoted(self.target.database, schema)
            found.append(MissingGrant(f"schema {schema!r}", f"GRANT USAGE ON SCHEMA {place} {to}"))
            found += [
                MissingGrant(
                    f"{when.lower()} {kind.lower()} of schema {schema!r}",
                    f"GRANT {privilege} ON {when} {kind} IN SCHEMA {place} {to}",
                )
                for kind in ("TABLES", "VIEWS")
                for when in ("ALL", "FUTURE")
            ]
        if self.may_sample and self.grants.known:
            views = {(view.schema_name, view.name) for view in self.listing.views}
            found += [
                MissingGrant(
                    f"table {table!r} of schema {schema!r}",
                    f"GRANT SELECT ON TABLE {_quoted(self.target.database, schema, table)} {to}",
                )
                for schema, table in closed
                if (schema, table) not in views
            ]
        return found

    def _warnings(self) -> list[str]:
        role, found = self.role, []
        administrators = sorted(self.grants.roles & ADMINISTRATORS)
        if administrators:
            found.append(
                f"The role {role!r} has the rights of {', '.join(administrators)}. Snowflake has no read-only "
                "transactions: use a role that can only read, such as the script makes."
            )
        writes = self.grants.writes(self.target.database)
        if writes:
            examples = "; ".join(f"{row.privilege} on {row.name}" for row in writes[:_EXAMPLES])
            more = f" and {len(writes) - _EXAMPLES:,} more" if len(writes) > _EXAMPLES else ""
            verb = "owns" if all(row.privilege == OWNERSHIP for row in writes) else "can write to"
            found.append(
                f"The role {role!r} {verb} what it reads ({examples}{more}). Snowflake has no read-only transactions: "
                "use a role that can only read, such as the script makes."
            )
        if not self.grants.known:
            found.append(
                f"Snowflake did not list all grants of the role {role!r}, so that it may be able to write, and tables "
                "that it may not select from are not named here."
            )
        if self.grants.known and not self.grants.object_viewer:
            found.append(
                f"The role {role!r} lacks the database role SNOWFLAKE.OBJECT_VIEWER. Therefore schemas that it may "
                "not use cannot be listed here, and tables that vanish "
                "are never taken for dropped: their documents stay."
            )
        elif self.target.warehouse is None:
            found.append(
                "The entry names no warehouse. Schemas that the role may not use therefore cannot be listed here, "
                "and tables that vanish "
                "are never taken for dropped: their documents stay."
            )
        if self.target.warehouse is not None and (self.context.warehouse is None or self.warehouse is None):
            found.append(
                f"The warehouse {self.target.warehouse!r} does not exist, or the role {role!r} may not use it. Ask "
                f"an administrator to run: GRANT USAGE ON WAREHOUSE {_quoted(self.target.warehouse)} TO ROLE "
                f"{_quoted(role)};"
            )
        elif self.usage.failure is not None:
            found.append(self.usage.failure)
        elif self.may_sample and self.target.warehouse is not None and self.usage.marks is None:
            found.append(missing_marks(role))
        if self.target.login == "password":
            found.append("Snowflake is closing down logins by password alone. Use a key pair or a workload identity.")
        return found


def script(target: SnowflakeTarget, role: str, user: str, *, may_sample: bool) -> str:
    """One script with which an administrator makes a role and a user that can read what is needed, and no more."""
    who, database = _quoted(role), _quoted(target.database)
    lines = [
        "USE ROLE ACCOUNTADMIN;",
        f"CREATE ROLE IF NOT EXISTS {who};",
        f"CREATE USER IF NOT EXISTS {_quoted(user or _READER_USER)} TYPE = SERVICE DEFAULT_ROLE = {who};",
        f"-- ALTER USER {_quoted(user or _READER_USER)} SET RSA_PUBLIC_KEY = '...';",
        f"GRANT ROLE {who} TO USER {_quoted(user or _READER_USER)};",
        f"GRANT USAGE ON DATABASE {database} TO ROLE {who};",
        f"GRANT USAGE ON ALL SCHEMAS IN DATABASE {database} TO ROLE {who};",
        f"GRANT USAGE ON FUTURE SCHEMAS IN DATABASE {database} TO ROLE {who};",
        "-- The structure, without data:",
        *(
            f"GRANT REFERENCES ON {when} {kind} IN DATABASE {database} TO ROLE {who};"
            for kind in _KINDS
            for when in ("ALL", "FUTURE")
        ),
        "-- What was dropped, and which schemas there are:",
        f"GRANT DATABASE ROLE SNOWFLAKE.OBJECT_VIEWER TO ROLE {who};",
    ]
    if may_sample or target.warehouse is not None:
        warehouse = _quoted(target.warehouse or "WAREHOUSE_FOR_SAMPLES")
        lines += ["-- What has to be computed:", f"GRANT USAGE ON WAREHOUSE {warehouse} TO ROLE {who};"]
    if may_sample:
        lines += [
            "-- Samples, and the tags and masking policies that say what must not be sampled:",
            GOVERNANCE_GRANT.format(role=who),
            *(f"GRANT SELECT ON {when} TABLES IN DATABASE {database} TO ROLE {who};" for when in ("ALL", "FUTURE")),
        ]
    return "\n".join(lines) + "\n"


_CREDITS_PER_HOUR = {
    name: 2**place
    for place, name in enumerate(
        "X-SMALL SMALL MEDIUM LARGE X-LARGE 2X-LARGE 3X-LARGE 4X-LARGE 5X-LARGE 6X-LARGE".split()
    )
}
"""Of a standard warehouse of the first generation: https://docs.snowflake.com/en/user-guide/warehouses-overview"""
_MINIMUM_SECONDS = 60
"""What is billed at least whenever a warehouse starts; the same page."""
_STANDARD = "STANDARD"


def credit_lines(
    name: str | None, warehouse: WarehouseRow | None, limits: DatabaseLimits, tables: int, may_sample: bool
) -> list[str]:
    """What reading the structure and taking samples costs; `tables` is how many are sampled at most."""
    lines = ["Structure is read by SHOW, which uses no warehouse."]
    if name is None:
        return [*lines, "The entry names no warehouse: nothing else is read."]
    uses = "samples, columns of schemas with more than 10,000, and whether vanished tables were dropped"
    if not may_sample:
        uses = "columns of schemas with more than 10,000, and whether vanished tables were dropped"
    lines.append(f"The warehouse {name!r} is used for {uses}.")
    credits = _credits_per_hour(warehouse)
    if credits is None:
        size = "unknown" if warehouse is None else f"{warehouse.type or 'of unknown type'}, {warehouse.size}"
        return [*lines, f"What it costs is not known here (its size is {size}); a start is billed 60 s at least."]
    assert warehouse is not None
    start = credits * _MINIMUM_SECONDS / 3600
    an_hour = f"{credits} {'credit' if credits == 1 else 'credits'} an hour"
    lines.append(
        f"Each start costs at least {start:.3f} credits: {warehouse.size} is {an_hour} x {_MINIMUM_SECONDS} s / 3600 s."
    )
    if may_sample and tables:
        seconds = tables * limits.sample_timeout_seconds
        lines.append(
            f"Samples of all tables cost at most {credits * max(seconds, _MINIMUM_SECONDS) / 3600:.3f} credits: "
            f"{tables:,} tables x {limits.sample_timeout_seconds:g} s (limits.sample_timeout_seconds) x {credits} "
            "credits an hour / 3600 s; usually far less, since several are taken at once and most take no second."
        )
    return lines


def _credits_per_hour(warehouse: WarehouseRow | None) -> int | None:
    if warehouse is None or (warehouse.type or "").upper() != _STANDARD:
        return None
    return _CREDITS_PER_HOUR.get((warehouse.size or "").upper().replace(" ", "-"))
