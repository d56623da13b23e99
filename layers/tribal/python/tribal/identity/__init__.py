"""Identity of databases, schemas and tables: names, scopes, hashes and the places of files in the store; no I/O."""
