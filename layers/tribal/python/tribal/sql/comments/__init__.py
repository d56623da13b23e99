"""Statements that comment on tables, views and columns: written, proved and read; no I/O and no database."""

from tribal.sql.comments.scripts import SchemaChange as SchemaChange
from tribal.sql.comments.scripts import changes_in as changes_in
from tribal.sql.comments.statements import CommentKind as CommentKind
from tribal.sql.comments.statements import CommentTarget as CommentTarget
from tribal.sql.comments.statements import comment_statement as comment_statement
from tribal.sql.comments.statements import find_difference as find_difference
