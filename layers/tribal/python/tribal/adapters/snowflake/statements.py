"""Every statement that is sent to Snowflake; `{...}` marks names and literals, in quotes by `names`.

Snowflake has no read-only transactions: that nothing is written rests on the role's grants and on this list. `SHOW`
needs no warehouse and so costs nothing; what needs one is below `NEEDS_WAREHOUSE`.
"""

from __future__ import annotations

from tribal.ports import Statement

NO_SECONDARY_ROLES = "USE SECONDARY ROLES NONE"
CONTEXT = "SELECT CURRENT_VERSION(), CURRENT_USER(), CURRENT_ROLE(), CURRENT_WAREHOUSE()"

DATABASES = "SHOW DATABASES"
SCHEMAS = "SHOW SCHEMAS IN DATABASE {place}"
TABLES = "SHOW TABLES IN {scope} {place}"
TABLES_PAGE = "SHOW TABLES IN SCHEMA {place} LIMIT {rows}"
TABLES_NEXT_PAGE = "SHOW TABLES IN SCHEMA {place} LIMIT {rows} FROM {after}"
TABLES_NAMED = "SHOW TABLES LIKE {pattern} IN SCHEMA {place}"
VIEWS = "SHOW VIEWS IN {scope} {place}"
VIEWS_PAGE = "SHOW VIEWS IN SCHEMA {place} LIMIT {rows}"
VIEWS_NEXT_PAGE = "SHOW VIEWS IN SCHEMA {place} LIMIT {rows} FROM {after}"
COLUMNS = "SHOW COLUMNS IN {scope} {place}"
PRIMARY_KEYS = "SHOW PRIMARY KEYS IN {scope} {place}"
UNIQUE_KEYS = "SHOW UNIQUE KEYS IN {scope} {place}"
IMPORTED_KEYS = "SHOW IMPORTED KEYS IN {scope} {place}"
INDEXES = "SHOW INDEXES IN TABLE {place}"
GRANTS_TO_ROLE = "SHOW GRANTS TO ROLE {role}"
GRANTS_TO_DATABASE_ROLE = "SHOW GRANTS TO DATABASE ROLE {role}"
WAREHOUSES = "SHOW WAREHOUSES LIKE {pattern}"

COLUMNS_OF_SCHEMA = """\
SELECT TABLE_NAME, COLUMN_NAME, ORDINAL_POSITION, COLUMN_DEFAULT, IS_NULLABLE, DATA_TYPE, CHARACTER_MAXIMUM_LENGTH,
  NUMERIC_PRECISION, NUMERIC_SCALE, DATETIME_PRECISION, IS_IDENTITY, COMMENT
FROM {database}.INFORMATION_SCHEMA.COLUMNS
WHERE TABLE_SCHEMA = {schema}
ORDER BY TABLE_NAME, ORDINAL_POSITION"""
COLUMNS_OF_RANGE = """\
SELECT TABLE_NAME, COLUMN_NAME, ORDINAL_POSITION, COLUMN_DEFAULT, IS_NULLABLE, DATA_TYPE, CHARACTER_MAXIMUM_LENGTH,
  NUMERIC_PRECISION, NUMERIC_SCALE, DATETIME_PRECISION, IS_IDENTITY, COMMENT
FROM {database}.INFORMATION_SCHEMA.COLUMNS
WHERE TABLE_SCHEMA = {schema} AND TABLE_NAME >= {first} AND TABLE_NAME <= {last}
ORDER BY TABLE_NAME, ORDINAL_POSITION"""
EXISTING_SCHEMAS = """\
SELECT SCHEMA_NAME
FROM SNOWFLAKE.ACCOUNT_USAGE.SCHEMATA
WHERE CATALOG_NAME = {database} AND DELETED IS NULL"""
TABLE_HISTORY = """\
SELECT TABLE_SCHEMA, TABLE_NAME, DELETED
FROM SNOWFLAKE.ACCOUNT_USAGE.TABLES
WHERE TABLE_CATALOG = {database} AND TABLE_SCHEMA IN ({schemas}) AND TABLE_NAME IN ({tables})"""
TAGS = """\
SELECT DOMAIN, OBJECT_SCHEMA, OBJECT_NAME, COLUMN_NAME, TAG_NAME
FROM SNOWFLAKE.ACCOUNT_USAGE.TAG_REFERENCES
WHERE (OBJECT_DATABASE = {database} OR (DOMAIN = 'DATABASE' AND OBJECT_NAME = {database})) AND OBJECT_DELETED IS NULL"""
MASKING_POLICIES = """\
SELECT REF_SCHEMA_NAME, REF_ENTITY_NAME, REF_COLUMN_NAME, POLICY_NAME
FROM SNOWFLAKE.ACCOUNT_USAGE.POLICY_REFERENCES
WHERE REF_DATABASE_NAME = {database} AND POLICY_KIND = 'MASKING_POLICY' AND REF_COLUMN_NAME IS NOT NULL"""
OBJECT_DEPENDENCIES = """\
SELECT REFERENCING_SCHEMA, REFERENCING_OBJECT_NAME, REFERENCED_SCHEMA, REFERENCED_OBJECT_NAME
FROM SNOWFLAKE.ACCOUNT_USAGE.OBJECT_DEPENDENCIES
WHERE REFERENCING_DATABASE = {database} AND REFERENCED_DATABASE = {database}"""
SETTLED_TABLES = """\
SELECT TABLE_NAME
FROM {database}.INFORMATION_SCHEMA.TABLES
WHERE TABLE_SCHEMA = {schema} AND LAST_DDL < DATEADD('hour', -{hours}, CURRENT_TIMESTAMP())"""
SETTLED_TABLE = SETTLED_TABLES + " AND TABLE_NAME = {table}"

SAMPLE_ORDERED = "SELECT {columns} FROM {place} ORDER BY {order} LIMIT {rows}"
SAMPLE_PARTITIONS = "SELECT {columns} FROM {place} SAMPLE SYSTEM ({percent}) SEED (0) ORDER BY {order} LIMIT {rows}"

NEEDS_WAREHOUSE = frozenset(
    {
        COLUMNS_OF_SCHEMA,
        COLUMNS_OF_RANGE,
        EXISTING_SCHEMAS,
        TABLE_HISTORY,
        TAGS,
        MASKING_POLICIES,
        OBJECT_DEPENDENCIES,
        SETTLED_TABLES,
        SETTLED_TABLE,
        SAMPLE_ORDERED,
        SAMPLE_PARTITIONS,
    }
)

STATEMENTS: tuple[Statement, ...] = (
    Statement("Use the rights of the named role alone", NO_SECONDARY_ROLES),
    Statement("Version of the server, who we are, and which warehouse we may use", CONTEXT),
    Statement("Databases of the account, where databases.yaml names several by a pattern", DATABASES),
    Statement("Schemas that the role may see", SCHEMAS),
    Statement("Tables of every kind with rows, bytes and clustering keys, of the database or of a schema", TABLES),
    Statement("The first tables of a schema that has more than one answer lists", TABLES_PAGE),
    Statement("More tables of such a schema, some of them again", TABLES_NEXT_PAGE),
    Statement("How large a table is, before it is sampled", TABLES_NAMED),
    Statement("Views and their texts, of the database or of a schema", VIEWS),
    Statement("The first views of a schema that has more than one answer lists", VIEWS_PAGE),
    Statement("More views of such a schema, some of them again", VIEWS_NEXT_PAGE),
    Statement("Columns, of the database or, where one answer does not list all, of a schema or a table", COLUMNS),
    Statement("Primary keys, likewise", PRIMARY_KEYS),
    Statement("Unique keys, likewise", UNIQUE_KEYS),
    Statement("Foreign keys, likewise", IMPORTED_KEYS),
    Statement("Indexes of a hybrid table", INDEXES),
    Statement("What the role, and the roles granted to it, may do", GRANTS_TO_ROLE),
    Statement("What a database role granted to it may do", GRANTS_TO_DATABASE_ROLE),
    Statement("Size of the warehouse, for the estimate of credits", WAREHOUSES),
    Statement("With the warehouse: columns of a schema that has more than SHOW lists", COLUMNS_OF_SCHEMA),
    Statement("With the warehouse: the same of some of its tables", COLUMNS_OF_RANGE),
    Statement("With the warehouse: schemas that the role may not see", EXISTING_SCHEMAS),
    Statement("With the warehouse: whether tables that are no longer visible were dropped", TABLE_HISTORY),
    Statement("With the warehouse: tags of columns, tables, schemas and the database", TAGS),
    Statement("With the warehouse: columns with masking policies", MASKING_POLICIES),
    Statement("With the warehouse: which tables a view reads", OBJECT_DEPENDENCIES),
    Statement("With the warehouse: tables that were altered so long ago that their tags are known", SETTLED_TABLES),
    Statement("With the warehouse: the same of one table of a large schema", SETTLED_TABLE),
    Statement("With the warehouse: rows of a table in order, of its key if it has one", SAMPLE_ORDERED),
    Statement("With the warehouse: rows of some partitions of a large table, always the same ones", SAMPLE_PARTITIONS),
)
