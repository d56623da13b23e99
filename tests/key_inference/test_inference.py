"""Keys that no one declared: those that are certain are published, and all others are not."""

from __future__ import annotations

from random import Random

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.cases import each_case
from tests.key_inference.outlines import likely, outline
from tests.plugins.verify import examples
from tribal.joins.outline import TableOutline
from tribal.key_inference import LIKELY, Inference, Overlap, infer_keys

CAR = outline("car", "id! vin:t", key="id")


@each_case(
    ("child", "parent", "expected"),
    [
        (outline("sale", "id car_id", key="id"), CAR, "sale(car_id) -> car(id)"),
        (outline("sale", "id carId", key="id"), outline("Cars", "Id", key="Id"), "sale(carId) -> Cars(Id)"),
        (outline("sale", "id carid", key="id"), outline("t_car", "id", key="id"), "sale(carid) -> t_car(id)"),
        (
            outline("pick", "id add_on_id", key="id"),
            outline("add_ons", "id", key="id"),
            "pick(add_on_id) -> add_ons(id)",
        ),
        (
            outline("visit", "day:d customerid"),
            outline("customers", "customerid", key="customerid"),
            "visit(customerid) -> customers(customerid)",
        ),
        (
            outline("match", "id home_team_id", key="id"),
            outline("team", "id", key="id"),
            "match(home_team_id) -> team(id)",
        ),
        (
            outline("note", "id type_concept_id_2", key="id"),
            outline("concept", "concept_id", key="concept_id"),
            "note(type_concept_id_2) -> concept(concept_id)",
        ),
        (
            outline("tbl_order", "o_orderkey o_custkey o_day:d", key="o_orderkey"),
            outline("customer", "c_custkey c_name:t c_phone:t", key="c_custkey"),
            "tbl_order(o_custkey) -> customer(c_custkey)",
        ),
        (
            outline("sbtransaction", "sbtxid sbtxcustid sbtxday:d", key="sbtxid"),
            outline("sbcustomer", "sbcustid sbcustname:t sbcustphone:t", key="sbcustid"),
            "sbtransaction(sbtxcustid) -> sbcustomer(sbcustid)",
        ),
        (
            outline("order_line", "id order_header_id header_id", key="id"),
            outline("order_header", "id", key="id"),
            "order_line(header_id) -> order_header(id)",
        ),
        (
            outline("card", "id set_code:t", key="id"),
            outline("sets", "id code:t", key="id", unique=["code"]),
            "card(set_code) -> sets(code)",
        ),
    ],
)
def test_a_column_called_as_a_table_and_its_key_references_it(
    child: TableOutline, parent: TableOutline, expected: str
) -> None:
    assert expected in likely(child, parent)


def test_the_key_of_a_dimension_is_found_in_all_facts_though_no_table_declares_any() -> None:
    dimension = outline("FCLT_BUILDING", "FCLT_BUILDING_KEY:t NAME:t")
    facts = [outline(f"FACT_{name}", "DAY:d FCLT_BUILDING_KEY:t AMOUNT") for name in ("ENERGY", "RENT", "WATER")]
    assert likely(dimension, *facts) == {
        f"FACT_{name}(FCLT_BUILDING_KEY) -> FCLT_BUILDING(FCLT_BUILDING_KEY)" for name in ("ENERGY", "RENT", "WATER")
    }


def test_a_column_references_what_a_column_of_its_name_declares() -> None:
    users = outline("users", "id", key="id")
    posts = outline("posts", "id created_by", key="id", references={"created_by": "users id"})
    assert likely(users, posts, outline("pages", "id created_by", key="id")) == {"pages(created_by) -> users(id)"}


@each_case(
    "free",
    [
        outline("pages", "id created_by:t", key="id"),
        outline("pages", "id created_by:t created_by_type:t", key="id"),
        outline("other.pages", "id created_by", key="id"),
    ],
)
def test_a_same_name_column_of_another_type_or_schema_says_nothing(free: TableOutline) -> None:
    posts = outline("posts", "id created_by", key="id", references={"created_by": "users id"})
    assert likely(outline("users", "id", key="id"), posts, free) == set()


def test_same_name_columns_that_reference_different_tables_say_nothing() -> None:
    parents = [outline("users", "id", key="id"), outline("robots", "id", key="id")]
    one = outline("posts", "id created_by", key="id", references={"created_by": "users id"})
    other = outline("mails", "id created_by", key="id", references={"created_by": "robots id"})
    assert likely(*parents, one, other, outline("pages", "id created_by", key="id")) == set()


def test_a_join_in_a_view_shows_a_key_whatever_its_name() -> None:
    view = outline(
        "v",
        "code:t",
        kind="view",
        view="SELECT o.code\n FROM s.orders o\n JOIN s.clerk c ON c.nr = o.seller",
    )
    orders, clerk = outline("orders", "code:t seller", key="code"), outline("clerk", "nr", key="nr")
    assert likely(orders, clerk) == set()
    assert likely(orders, clerk, view) == {"orders(seller) -> clerk(nr)"}
    assert likely(orders, clerk, view, dialect=None) == set()
    (key,) = Inference.of([orders, clerk, view], "postgres").likely_keys()
    assert [(evidence.kind, evidence.of) for evidence in key.evidence] == [("view", "db.s.v")]


ICD = outline("d_icd", "icd_code:t icd_version title:t", key="icd_code icd_version")
ORDERS = outline("orders", "order_no", key="order_no")
LINE = outline("order_line", "order_no line_no", key="order_no line_no")


def test_a_composite_key_is_referenced_as_a_whole() -> None:
    diagnosis = outline("diagnosis", "id icd_code:t icd_version", key="id")
    assert likely(ICD, diagnosis) == {"diagnosis(icd_code, icd_version) -> d_icd(icd_code, icd_version)"}


def test_the_whole_of_a_composite_key_goes_before_a_part_that_is_the_key_of_another_table() -> None:
    assert likely(ORDERS, LINE, outline("claim", "id order_no line_no", key="id")) == {
        "order_line(order_no) -> orders(order_no)",
        "claim(order_no, line_no) -> order_line(order_no, line_no)",
    }


def test_where_two_tables_are_equally_likely_none_is_published() -> None:
    clerks = [outline(name, "nr", key="nr") for name in ("clerk", "robot")]
    views = [
        outline(f"v{name}", "x", kind="view", view=f"SELECT 1 FROM s.orders o JOIN s.{name} c ON c.nr = o.seller")
        for name in ("clerk", "robot")
    ]
    orders = outline("orders", "code:t seller", key="code")
    assert likely(orders, *clerks, views[0]) == {"orders(seller) -> clerk(nr)"}
    assert likely(orders, *clerks, *views) == set()


def test_half_of_a_composite_key_is_no_key() -> None:
    assert likely(ICD, outline("diagnosis", "id icd_code:t", key="id")) == set()


def test_a_part_of_a_composite_key_is_one_where_it_is_the_key_of_another_table() -> None:
    assert likely(ORDERS, LINE, outline("claim", "id order_no", key="id")) == {
        "order_line(order_no) -> orders(order_no)",
        "claim(order_no) -> orders(order_no)",
    }


def test_a_key_that_goes_on_where_that_of_another_ends_is_that_of_its_detail() -> None:
    node = outline("nodes", "node_id version", key="node_id version")
    tag = outline("node_tags", "node_id version k:t", key="node_id version k")
    assert likely(node, tag) == {"node_tags(node_id, version) -> nodes(node_id, version)"}


@each_case(
    "tables",
    [
        # Two keys of the same shape.
        [
            outline("product_price", "product_no start_no", key="product_no start_no"),
            outline("product_cost", "product_no start_no", key="product_no start_no"),
        ],
        # A table that only ties two others: those are what its columns name.
        [
            outline("film", "film_id", key="film_id"),
            outline("actor", "actor_id", key="actor_id"),
            outline("film_actor", "film_id actor_id", key="film_id actor_id"),
            outline("award", "film_id actor_id award_no", key="film_id actor_id award_no"),
        ],
        # Unique within a tenant.
        [
            outline("tag", "id tenant_id code:t", key="id", unique=["tenant_id code"]),
            outline("plan", "id tenant_id code:t", key="id"),
        ],
    ],
)
def test_columns_that_happen_to_have_the_names_of_a_composite_key_do_not_reference_it(
    tables: list[TableOutline],
) -> None:
    assert not any("," in key for key in likely(*tables))


@each_case(
    ("gate", "tables"),
    [
        ("types of another family", [CAR, outline("sale", "id car_id:t", key="id")]),
        ("ids of another system", [CAR, outline("sale", "id external_car_id", key="id")]),
        ("ids of several kinds", [CAR, outline("note", "id car_id car_type:t", key="id")]),
        ("keys of every table", [outline("a", "id", key="id"), outline("b", "id", key="id")]),
        ("codes of no table", [outline("a", "id zip_code:t", key="id"), outline("b", "id zip_code:t", key="id")]),
        ("audit columns", [outline("users", "id", key="id"), outline("sale", "id created_by", key="id")]),
        ("persons of an unknown table", [outline("staff", "id manager_id", key="id")]),
        ("the table's own id", [outline("mail", "person_id mail_id", key="person_id mail_id"), outline("il", "il_id")]),
        ("views", [CAR, outline("sales_view", "id car_id", kind="view")]),
        (
            "keys that several tables have",
            [
                outline("entity", "entity_id", key="entity_id"),
                outline("person", "entity_id", key="entity_id"),
                outline("store", "entity_id", key="entity_id"),
                outline("phone", "nr entity_id", key="nr"),
            ],
        ),
        (
            "keys that are called after another table",
            [outline("year_end", "trans_id", key="trans_id"), outline("voucher", "id trans_id", key="id")],
        ),
        (
            "things that have no table",
            [
                outline("orders", "id", key="id"),
                outline("item", "id", key="id"),
                outline("refund", "id order_item_id", key="id"),
            ],
        ),
        (
            "tenants, unless a table is called so",
            [
                outline("account", "id", key="id"),
                *(outline(f"x{place}y", "id tenant_id", key="id") for place in range(8)),
            ],
        ),
        (
            "phonetic codes",
            [
                outline("name", "name_id soundex_code:t", key="name_id", unique=["soundex_code"]),
                outline("alias", "id soundex_code:t", key="id"),
            ],
        ),
    ],
)
def test_what_only_looks_like_a_key_is_none(gate: str, tables: list[TableOutline]) -> None:
    assert likely(*tables) == set(), gate


def test_a_row_above_in_the_same_table_is_referenced_if_a_row_may_have_none() -> None:
    assert likely(outline("plan", "id parent_id", key="id")) == {"plan(parent_id) -> plan(id)"}
    assert likely(outline("plan", "id parent_plan_id", key="id")) == {"plan(parent_plan_id) -> plan(id)"}
    assert likely(outline("plan", "id parent_id!", key="id")) == set()
    assert likely(outline("plan", "id parent_id parent_type:t", key="id")) == set()


def test_of_the_tables_with_one_key_that_is_referenced_which_the_child_is_named_after() -> None:
    tables = [
        outline("entity", "entity_id", key="entity_id"),
        outline("person", "entity_id", key="entity_id"),
        outline("store", "entity_id", key="entity_id"),
        outline("person_phone", "entity_id nr", key="entity_id nr"),
    ]
    assert likely(*tables) == {"person_phone(entity_id) -> person(entity_id)"}


def test_what_is_called_after_the_owner_of_a_key_does_not_take_its_place() -> None:
    tables = [
        outline("customer", "customer_id", key="customer_id"),
        outline("customer_detail", "customer_id", key="customer_id"),
        outline("sale", "id customer_id", key="id"),
    ]
    assert likely(*tables) == {
        "customer_detail(customer_id) -> customer(customer_id)",
        "sale(customer_id) -> customer(customer_id)",
    }


def test_applications_side_by_side_are_not_joined_and_schemas_that_belong_together_are() -> None:
    team, match = outline("a.team", "id", key="id"), outline("b.match", "id team_id", key="id")
    assert likely(team, match) == set()
    tied = outline("b.score", "id coach", key="id", references={"coach": "a.coach id"})
    assert likely(team, match, tied, outline("a.coach", "id", key="id")) == {"b.match(team_id) -> a.team(id)"}


def test_a_name_that_several_schemas_nearby_know_references_none_of_them() -> None:
    tables = [outline(f"{schema}.{name}", "id", key="id") for schema in "ac" for name in ("team", "coach")]
    tied = {"one": "a.coach id", "other": "c.coach id"}
    assert likely(*tables, outline("b.match", "id team_id one other", key="id", references=tied)) == set()


@each_case(("key", "column"), [("t", "x"), ("x", "t"), ("c", "t"), ("x", "c")])
def test_a_column_references_a_key_of_another_type_whose_values_are_compared_as_text(key: str, column: str) -> None:
    store = outline("store", f"public_id:{key}", key="public_id")
    assert likely(store, outline("item", f"id store_id:{column}", key="id")) == {"item(store_id) -> store(public_id)"}


@each_case("type_of_key", ["b", "m", "d"])
def test_a_key_of_a_type_that_is_compared_with_no_other_is_referenced_by_nothing(type_of_key: str) -> None:
    for key in ("public_id", "store_id", "id"):
        store = outline("store", f"{key}:{type_of_key} parent_id:{type_of_key}", key=key)
        assert infer_keys([store, outline("item", "id store_id:t", key="id")]) == []


def test_a_declared_key_is_not_inferred_again() -> None:
    lorry = outline("lorry", "id", key="id")
    assert likely(CAR, lorry, outline("sale", "id car_id", key="id", references={"car_id": "lorry id"})) == set()


parts = st.sampled_from(["a", "b", "cust", "order", "id", "code", "key", "no", "line", "parent", "_", "type"])
names = st.lists(parts, min_size=1, max_size=3).map("_".join)
types = st.sampled_from(["", "", "", ":t", ":x", ":b"])
columns_of = st.lists(st.tuples(names, types), min_size=1, max_size=6, unique_by=lambda column: column[0])
schemas = st.dictionaries(
    names,
    st.tuples(columns_of.map(lambda columns: list(map("".join, columns))), st.integers(0, 3), st.booleans()),
    min_size=1,
    max_size=7,
)


def built(schema: dict[str, tuple[list[str], int, bool]]) -> list[TableOutline]:
    """Tables of these columns, with a key of so many; some declare a key to the first table."""
    tables = []
    first = next(iter(schema))
    for name, (columns, width, declares) in schema.items():
        bare = [column.partition(":")[0] for column in columns]
        references = {bare[-1]: f"{first} {schema[first][0][0].partition(':')[0]}"} if declares else None
        tables.append(outline(name, " ".join(columns), key=" ".join(bare[:width]), references=references))
    return tables


@given(schemas, st.integers(0, 100))
def test_the_likely_keys_are_those_of_all_that_are_likely_with_values_and_without(
    schema: dict[str, tuple[list[str], int, bool]], found: int
) -> None:
    inference = Inference.of(built(schema))
    compared = {pair: Overlap(100, found, unique=True) for pair in inference.candidate_pairs()}
    for overlaps in ({}, compared):
        likely_ones = [key for key in inference.keys(overlaps) if key.confidence >= LIKELY]
        assert inference.likely_keys(overlaps) == likely_ones


@given(schemas, st.integers(0, 99))
@example({"a": (["a", "id"], 2, False), "a_a": (["id", "id__"], 2, False)}, 0)
@settings(max_examples=examples(50, 150))
def test_whatever_the_tables_a_column_has_one_likely_key_whole_undeclared_and_in_any_order(
    schema: dict[str, tuple[list[str], int, bool]], seed: int
) -> None:
    tables = built(schema)
    found = infer_keys(tables)
    assert found == infer_keys(Random(seed).sample(tables, len(tables)))
    by_name = {table.name: table for table in tables}
    published = [key for key in found if key.confidence >= LIKELY]
    ends = [(key.from_table, column) for key in published for column in key.from_columns]
    assert len(ends) == len(set(ends))
    for key in found:
        declared = {column.name for column in by_name[key.from_table].columns if column.is_foreign_key}
        assert declared.isdisjoint(key.from_columns)
        assert key.evidence
    for key in published:
        parent = by_name[key.to_table]
        if parent.primary_key and key.evidence[0].kind != "sister":
            assert set(key.to_columns) == set(parent.primary_key.columns)
        assert len(key.from_columns) == len(key.to_columns) == len(set(key.from_columns))
