"""Which tables and columns the statements of a text name, and what of it cannot be read."""

from tribal.sql.statements.script import references_in as references_in
