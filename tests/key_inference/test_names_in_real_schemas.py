"""Keys of schemas as they are used: prefixes without separators, extension tables, columns named like a table."""

from __future__ import annotations

from tests.cases import each_case
from tests.key_inference.outlines import likely, outline
from tribal.key_inference import Overlap
from tribal.key_inference.overlap import KeyPair
from tribal.naming import plural, singular


def test_a_prefix_that_most_tables_share_without_a_separator_is_not_part_of_their_names() -> None:
    names = "server action errata channel package kickstart filelist regtoken".split()
    tables = [outline(f"rhn{name}", "id note:t", key="id") for name in names]
    found = likely(*tables, outline("rhnserveraction", "id server_id action_id", key="id"))
    assert found == {"rhnserveraction(server_id) -> rhnserver(id)", "rhnserveraction(action_id) -> rhnaction(id)"}


def test_the_start_of_a_word_is_not_taken_for_a_prefix() -> None:
    names = "contact country contract content control context converter".split()
    tables = [outline(name, "id note:t", key="id") for name in names]
    assert likely(*tables, outline("sale", "id tact_id text_id", key="id")) == set()


def test_tables_that_extend_the_same_unknown_table_do_not_reference_one_another() -> None:
    pool = outline("vm_pool_map", "vm_guid:u vm_pool_id:u", key="vm_guid")
    start = outline("vm_init", "vm_id:u script:t", key="vm_id")
    others = [outline(name, "id vm_id:u", key="id") for name in ("vm_device", "vm_job", "snapshot", "tag_map")]
    assert likely(pool, start, *others) == set()


def test_the_key_of_a_table_between_two_others_is_not_referenced_as_a_whole() -> None:
    files = outline("package_file", "package_id capability_id device", key="package_id capability_id")
    breaks = outline("package_breaks", "package_id capability_id sense", key="package_id capability_id sense")
    assert likely(files, breaks, outline("package", "id", key="id")) == {
        "package_file(package_id) -> package(id)",
        "package_breaks(package_id) -> package(id)",
    }


def test_a_column_with_the_whole_name_of_a_table_references_it() -> None:
    parent = outline("entity_class", "id label:t", key="id")
    assert likely(parent, outline("location", "id entity_class", key="id")) == {
        "location(entity_class) -> entity_class(id)"
    }
    assert likely(parent, outline("report", "id entity_classes", key="id")) == set()


@each_case(("compared", "is_found"), [(200, True), (5, False)])
def test_a_column_named_for_a_role_is_found_by_many_values_but_not_by_few(compared: int, is_found: bool) -> None:
    parent = outline("copy", "id barcode:t", key="id")
    child = outline("circulation", "id target_copy", key="id")
    pair = KeyPair(child.name, ("target_copy",), parent.name, ("id",))
    overlaps = {pair: Overlap(compared, compared, unique=True)}
    assert bool(likely(parent, child, overlaps=overlaps)) is is_found


def test_a_column_named_for_a_role_is_found_in_a_related_schema() -> None:
    parent = outline("asset.copy", "id barcode:t", key="id")
    child = outline("action.circulation", "id target_copy shelf", key="id", references={"shelf": "asset.shelf id"})
    shelf = outline("asset.shelf", "id", key="id")
    pair = KeyPair(child.name, ("target_copy",), parent.name, ("id",))
    found = likely(parent, child, shelf, overlaps={pair: Overlap(90, 90, unique=True)})
    assert found == {"action.circulation(target_copy) -> asset.copy(id)"}


def test_numbered_columns_reference_the_table_that_they_name() -> None:
    player, match = outline("player", "id", key="id"), outline("match", "id home_player_7", key="id")
    pair = KeyPair(match.name, ("home_player_7",), player.name, ("id",))
    assert likely(player, match, overlaps={pair: Overlap(90, 90, unique=True)}) == {
        "match(home_player_7) -> player(id)"
    }


@each_case(("one", "many"), [("taxon", "taxa"), ("larva", "larvae"), ("stratum", "strata")])
def test_latin_plurals_are_known(one: str, many: str) -> None:
    assert (singular(many), plural(one)) == (one, many)
    found = likely(outline(many, "id", key="id"), outline("sighting", f"id {one}_id", key="id"))
    assert found == {f"sighting({one}_id) -> {many}(id)"}
