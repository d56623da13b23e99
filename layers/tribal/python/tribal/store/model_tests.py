"""Results of tests and trials of models: one record for each address, provider and name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tribal.errors import ObjectDamaged
from tribal.identity.locations import MODEL_TESTS_FILE
from tribal.ports import ObjectStore
from tribal.store.record_file import RecordFile
from tribal.store.records import put_record, read_record
from tribal.store.watched import report_damage
from tribal_contracts import SCHEMA_VERSION, ModelEntry, ModelRecord, ModelTest, ModelTests


def read_model_record(store: ObjectStore, entry: ModelEntry) -> ModelRecord | None:
    """Read the record of the model of an entry; a damaged file counts as missing and is reported."""
    tests = read_record(store, MODEL_TESTS_FILE, ModelTests)
    return next((each for each in tests.models if each.is_of(entry)), None) if tests is not None else None


def read_model_test(store: ObjectStore, entry: ModelEntry, version: str) -> ModelTest | None:
    """The last finished test of the model of an entry, if it was made with that version of the test."""
    record = read_model_record(store, entry)
    test = record.test if record is not None else None
    return test if test is not None and test.test_version == version else None


def change_model_record(store: ObjectStore, entry: ModelEntry, changes: Mapping[str, Any]) -> None:
    """Change fields of the record of the model of an entry, such as `test` or `binds_answers`; keep the other fields.

    A damaged file is reported and replaced.

    Raises:
        PreconditionFailed: when other processes were faster each time.
    """

    def changed(tests: ModelTests) -> ModelTests:
        known = next((each for each in tests.models if each.is_of(entry)), ModelRecord.of(entry))
        others = [each for each in tests.models if not each.is_of(entry)]
        models = sorted(
            [*others, known.model_copy(update=dict(changes))], key=lambda each: (each.address, each.provider, each.name)
        )
        return tests.model_copy(update={"models": models})

    empty = ModelTests(schema_version=SCHEMA_VERSION, models=[])
    try:
        RecordFile(store, MODEL_TESTS_FILE, ModelTests).change(changed, empty)
    except ObjectDamaged:
        report_damage(store, MODEL_TESTS_FILE)
        put_record(store, MODEL_TESTS_FILE, changed(empty))
