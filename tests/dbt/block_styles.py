"""Edits of properties files in block style, as most people write them."""

from __future__ import annotations

from tests.dbt.edits import Style, model
from tribal.dbt.splicing import Change

BLOCK_STYLES = {
    "an entry and its columns without descriptions": Style(
        """\
 version: 2

 models:
   - name: orders
+    description: "Orders: all of them."
     columns:
       - name: id
+        description: The key.
         tests: [unique]
       - name: at
+        description: When it came.
""",
        [model("Orders: all of them."), model("When it came.", "at"), model("The key.", "id")],
    ),
    "lists that are not indented below their keys": Style(
        """\
 models:
 - name: orders
   columns:
   - name: id
     tests:
     - unique
+  - name: at
+    description: When it came.
+- name: customers
+  columns:
+  - name: id
+    description: The key.
""",
        [model("When it came.", "at"), model("The key.", "id", "customers")],
    ),
    "two indents in one file": Style(
        """\
 models:
     -   name: orders
+        description: Orders.
         columns:
             -   name: id
                 tests: []
+            -   name: at
+                description: |-
+                  When
+                  it came.
     -   name: customers
         columns:
         - name: id
+        - name: at
+          description: When they came.
+    -   name: payments
+        description: Payments.
 seeds:
  - name: countries
+   description: Countries.
""",
        [
            model("Orders."),
            model("When\nit came.", "at"),
            model("When they came.", "at", "customers"),
            model("Payments.", name="payments"),
            Change("seeds", "countries", "Countries."),
        ],
    ),
    "comments": Style(
        """\
 # head
 models: # all
   # before
   - name: orders # the name
+    description: Orders.
     # after
     columns: # the columns
       # first
       - name: id # the key
+        description: "The #1 key #"
         # tests:
         #   - unique
+      - name: at
+        description: When it came.
     # of the entry
       # of something
+  - name: customers
+    description: Customers.
   # of the list
   #- name: old
 # tail
""",
        [
            model("Orders."),
            model("The #1 key #", "id"),
            model("When it came.", "at"),
            model("Customers.", name="customers"),
        ],
    ),
    "values that are empty, and comments behind them": Style(
        """\
 models:
   - name: orders
-    description: # to do
+    description: Orders. # to do
-    columns: [] # none yet
+    columns: # none yet
+      - name: id
+        description: The key.
   - name: customers
-    description:
-    columns:
+    description: |-
+      Customers,
+      all of them.
+    columns:
+      - name: id
+        description: The key.
   - name: payments
-    description: ''   # quotes
-    columns: ~
+    description: |-   # quotes
+      Payments,
+      all of them.
+    columns:
+      - name: id
+        description: The key.
""",
        [
            model("Orders."),
            model("The key.", "id"),
            model("Customers,\nall of them.", name="customers"),
            model("The key.", "id", "customers"),
            model("Payments,\nall of them.", name="payments"),
            model("The key.", "id", "payments"),
        ],
    ),
    "quotes": Style(
        """\
 "models":
   - "name": "orders"
+    "description": Orders.
     'columns':
       - 'name': 'id'
+        'description': The key.
       - name: "a\\"t"
-        description: "  "
+        description: When.
         meta: "{a: b"
+      - name: "yes"
+        description: "no"
     docs: 'two

       lines'
""",
        [model("Orders."), model("The key.", "id"), model("When.", 'a"t'), model("no", "yes")],
    ),
    "block scalars with every indicator": Style(
        """\
 models:
   - name: orders
+    description: Orders.
     meta: |
       text

       more
     columns:
       - name: id
         meta: >-
           folded
             more

       - name: at
         meta: |+
           keeps


+      - name: by
+        description: Who.
   - name: customers
     columns:
       - name: id
         meta: |2-
             text
           # not a comment
         # a comment
+      - name: at
+        description: When.
   - name: payments
     columns:
       - name: id
+        description: The key.
         meta: >+1
           text

+  - name: returns
+    description: Returns.
 # tail
""",
        [
            model("Orders."),
            model("Who.", "by"),
            model("When.", "at", "customers"),
            model("The key.", "id", "payments"),
            model("Returns.", name="returns"),
        ],
    ),
    "blank block scalars": Style(
        """\
 models:
   - name: orders
-    description: |
+    description: Orders.
     columns:
       - name: id
-        description: >-   # folded
+        description: |-   # folded
+          The
+          key.

       - name: at
""",
        [model("Orders."), model("The\nkey.", "id")],
    ),
}
