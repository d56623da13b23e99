"""Edits of properties files in every style that people write."""

from __future__ import annotations

from tests.dbt.block_styles import BLOCK_STYLES
from tests.dbt.edits import Style, model, table
from tribal.dbt.splicing import Change

STYLES = {
    **BLOCK_STYLES,
    "flow collections": Style(
        """\
 models:
   - name: orders
-    columns: [{name: id}, {name: at, description: }, {name: by, description}]
+    columns: [{name: id, description: "The key."}, {name: at, description: "When\\nit came." }, {name: by, description: "Who"}, {name: of, description: "What"}]
-  - {name: customers, columns: [{"name":"id"}, ]}
+  - {name: customers, description: "a, b]}", columns: [{"name":"id", "description": "The key."}, ]}
-  - {name: payments}
+  - {name: payments, columns: [{name: id, description: "The key."}, {name: "a, b", description: "x"}]}
-  - {name: returns, columns: [], }
+  - {name: returns, columns: [{name: id, description: "The key."}], }
-  - {name: parts, columns: }
+  - {name: parts, columns: [{name: id, description: "The key."}] }
   - { name: carts,
       columns: [
-        { name: id }
+        { name: id }, {name: at, description: "When."}
       ] }
""",  # noqa: E501
        [
            model("The key.", "id"),
            model("When\nit came.", "at"),
            model("Who", "by"),
            model("What", "of"),
            model("a, b]}", name="customers"),
            model("The key.", "id", "customers"),
            model("The key.", "id", "payments"),
            model("x", "a, b", "payments"),
            model("The key.", "id", "returns"),
            model("The key.", "id", "parts"),
            model("When.", "at", "carts"),
        ],
    ),
    "JSON": Style(
        """\
-{"version": 2, "models": [{"name": "orders"}]}
+{"version": 2, "models": [{"name": "orders", "description": "Orders.", "columns": [{name: id, description: "The key."}]}], "seeds": [{name: countries, description: "Countries."}]}
""",  # noqa: E501
        [model("Orders."), model("The key.", "id"), Change("seeds", "countries", "Countries.")],
    ),
    "blank lines between entries": Style(
        """\
 models:

   - name: orders

     columns:
       - name: id

       - name: at
+
+      - name: by
+        description: Who.
+
+      - name: of
+        description: What.

   - name: customers
+
+  - name: payments
+    description: Payments.


 exposures: []
+
+seeds:
+  - name: countries
+    description: Countries.
""",
        [
            model("Who.", "by"),
            model("What.", "of"),
            model("Payments.", name="payments"),
            Change("seeds", "countries", "Countries."),
        ],
    ),
    "sources": Style(
        """\
 sources:
   - name: other
     tables:
       - name: orders
   - name: shop
     schema: raw
     tables:
       - name: orders
+        description: Orders.
         loaded_at_field: at
+        columns:
+          - name: id
+            description: The key.
+      - name: items
+        description: Items.
+        columns:
+          - name: Order ID
+            quote: true
+            description: Which order.
""",
        [
            table("Orders."),
            table("The key.", "id"),
            table("Items.", name="items"),
            Change("sources", "items", "Which order.", "Order ID", "shop", quote=True),
        ],
    ),
    "anchors, aliases, tags, other types and repeated keys elsewhere": Style(
        """\
 models:
   - name: &n orders
+    description: Orders.
     meta: &m {a: !!python/object:os.system x, 1: 2020-01-01, ? [b] : c}
     config: *m
     tests: 1
     tests: 2
     columns:
       - name: id
+        description: The key.
   - <<: *m
     name: customers
   - *m
+  - name: payments
+    description: Payments.
""",
        [model("Orders."), model("The key.", "id"), model("Payments.", name="payments")],
    ),
    "a start marker, tabs, and comments deep below the place": Style(
        """\
 %YAML 1.1
 ---\t# start
 models:\t# tab
   - name:\torders\t# tab
+    description: "two\\nlines"
           # deep
     meta: {a:\tb,\tc: d}
     columns:
       - name: id
""",
        [model("two\nlines")],
    ),
    "only comments": Style(
        """\
 # models come here
+version: 2
+
+models:
+  - name: orders
+    columns:
+      - name: id
+        description: |
+          The
+
+          key.
""",
        [model("The\n\nkey.\n", "id")],
    ),
}
