-- The database of the project at its first run; shop_changed.sql is what changes before the second.
CREATE SCHEMA sales;
CREATE SCHEMA billing;
COMMENT ON SCHEMA billing IS 'Invoices and what was paid for them.';

CREATE TABLE sales.country (
    code char(2) PRIMARY KEY,
    name text NOT NULL
);
COMMENT ON TABLE sales.country IS 'Countries that we deliver to.';

CREATE TABLE sales.customer (
    customer_id int PRIMARY KEY,
    name text NOT NULL,
    kind char(1) NOT NULL,
    country char(2) NOT NULL REFERENCES sales.country,
    since date NOT NULL
);
COMMENT ON TABLE sales.customer IS 'Companies and people who bought something.';
COMMENT ON COLUMN sales.customer.kind IS 'B business, P private person';

CREATE TABLE sales.product (
    sku text PRIMARY KEY,
    title text NOT NULL,
    list_cents int NOT NULL
);

CREATE TABLE sales.orders (
    order_id int PRIMARY KEY,
    customer_id int NOT NULL REFERENCES sales.customer,
    status text NOT NULL CHECK (status IN ('open', 'shipped', 'returned')),
    ordered_on date NOT NULL
);
COMMENT ON TABLE sales.orders IS 'Orders of customers.';

CREATE TABLE sales.order_line (
    order_id int NOT NULL REFERENCES sales.orders,
    line_no int NOT NULL,
    sku text NOT NULL REFERENCES sales.product,
    quantity int NOT NULL,
    PRIMARY KEY (order_id, line_no)
);

CREATE TABLE billing.invoice (
    invoice_id int PRIMARY KEY,
    order_id int NOT NULL REFERENCES sales.orders,
    status smallint NOT NULL,
    net_cents int NOT NULL,
    due_on date NOT NULL
);
COMMENT ON TABLE billing.invoice IS 'Issued invoices; by law the numbers have no gaps.';
COMMENT ON COLUMN billing.invoice.status IS '0 = draft, 1 = sent, 2 = paid, 9 = void';

CREATE UNIQUE INDEX invoice_not_void ON billing.invoice (order_id) INCLUDE (net_cents) WHERE status <> 9;

CREATE TABLE billing.payment (
    payment_id int NOT NULL,
    invoice_id int NOT NULL REFERENCES billing.invoice,
    paid_cents int NOT NULL,
    paid_on date NOT NULL,
    PRIMARY KEY (payment_id, paid_on)
) PARTITION BY RANGE (paid_on);
CREATE TABLE billing.payment_2025 PARTITION OF billing.payment FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');

CREATE TABLE billing.reminder (
    invoice_id int NOT NULL,
    level smallint NOT NULL,
    sent_on date NOT NULL,
    PRIMARY KEY (invoice_id, level)
);
COMMENT ON TABLE billing.reminder IS 'Reminders of unpaid invoices.';
COMMENT ON COLUMN billing.reminder.invoice_id IS 'FK to billing.invoice.invoice_id';

CREATE FUNCTION billing.fee(level int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 500 * (level - 1)';

CREATE VIEW billing.open_invoice AS
SELECT i.invoice_id, o.customer_id, i.net_cents, i.due_on,
    CASE i.status WHEN 1 THEN 'sent to the customer' WHEN 9 THEN 'cancelled' END AS state
FROM billing.invoice i
JOIN sales.orders o USING (order_id)
WHERE i.status = 1;
COMMENT ON VIEW billing.open_invoice IS 'Invoices that were sent and are not paid.';

INSERT INTO sales.country VALUES ('CA', 'Canada'), ('DE', 'Germany'), ('JP', 'Japan');
INSERT INTO sales.customer
SELECT n, 'Customer ' || n, CASE WHEN n % 3 = 0 THEN 'P' ELSE 'B' END, (ARRAY['CA', 'DE', 'JP'])[1 + n % 3],
    date '2024-01-01' + n
FROM generate_series(1, 30) AS n;
INSERT INTO sales.product SELECT 'SKU-' || n, 'Product ' || n, 100 * n FROM generate_series(1, 12) AS n;
INSERT INTO sales.orders
SELECT n, 1 + n % 30, (ARRAY['open', 'shipped', 'returned'])[1 + n % 3], date '2025-01-01' + n
FROM generate_series(1, 60) AS n;
INSERT INTO sales.order_line SELECT n, 1, 'SKU-' || (1 + n % 12), 1 + n % 4 FROM generate_series(1, 60) AS n;
INSERT INTO billing.invoice
SELECT n, n, (ARRAY[0, 1, 2, 9])[1 + n % 4], 1000 + n, date '2025-02-01' + n FROM generate_series(1, 50) AS n;
INSERT INTO billing.payment SELECT n, n, 1000 + n, date '2025-03-01' + n FROM generate_series(2, 50, 4) AS n;
INSERT INTO billing.reminder SELECT n, 1, date '2025-04-01' + n FROM generate_series(1, 50, 4) AS n;
ANALYZE;
