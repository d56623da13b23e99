-- The sample company of the demo: Larkspur Outfitters, a fictional wholesaler and web shop for outdoor gear.
--
-- It is meant to look lived in: some tables and columns are commented and most are not, names are abbreviated,
-- some keys were never declared, codes have no legend, and one table is forgotten. Every row comes from reference
-- data and arithmetic, so loading the script twice gives the same database. All people and numbers are made up.
--
-- Loads into an empty database of PostgreSQL 16 or later as the owner of that database; no extension is needed.

SET client_min_messages = warning;
SET TimeZone = 'UTC';

CREATE SCHEMA people;
CREATE SCHEMA crm;
CREATE SCHEMA stock;
CREATE SCHEMA sales;
CREATE SCHEMA billing;
CREATE SCHEMA support;
CREATE SCHEMA audit;

COMMENT ON SCHEMA crm IS 'Who we sell to, how to reach them, and what they allowed us to send.';
COMMENT ON SCHEMA billing IS 'Receivables. Exported to the accountants on the third working day of each month.';
COMMENT ON SCHEMA audit IS 'Append only. Written by triggers of the application, never by people.';

CREATE DOMAIN public.email_addr AS text CHECK (VALUE ~ '^[^@[:space:]]+@[^@[:space:]]+$');
CREATE DOMAIN public.iban AS text CHECK (VALUE ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$');
CREATE DOMAIN public.grade AS char(1) CHECK (VALUE IN ('A', 'B', 'C'));
COMMENT ON DOMAIN public.iban IS 'International bank account number, without blanks.';

CREATE TYPE sales.order_status AS ENUM ('draft', 'placed', 'picking', 'shipped', 'delivered', 'cancelled');
CREATE TYPE support.ticket_priority AS ENUM ('low', 'normal', 'high', 'urgent');


-- people ---------------------------------------------------------------------------------------------------------

CREATE TABLE people.department (
    dept_cd     varchar(3) PRIMARY KEY,
    name        text NOT NULL UNIQUE,
    cost_ctr    integer NOT NULL,
    mgr_emp_no  integer
);
COMMENT ON TABLE people.department IS
    'Departments as of the 2021 reorganisation; the cost centre is what finance books against.';

CREATE TABLE people.position (
    pos_cd            varchar(8) PRIMARY KEY,
    title             text NOT NULL,
    pay_grade         smallint NOT NULL CHECK (pay_grade BETWEEN 1 AND 10),
    min_salary_cents  integer NOT NULL,
    max_salary_cents  integer NOT NULL,
    CHECK (max_salary_cents > min_salary_cents)
);
COMMENT ON COLUMN people.position.pay_grade IS 'Only the managing director grants more than the maximum of the grade.';

CREATE TABLE people.employee (
    emp_no        integer GENERATED ALWAYS AS IDENTITY (START WITH 1001) PRIMARY KEY,
    first_name    text NOT NULL,
    last_name     text NOT NULL,
    work_email    public.email_addr NOT NULL UNIQUE,
    priv_phone    text,
    birth_dt      date NOT NULL,
    nat_id        varchar(11) NOT NULL,
    bank_iban     public.iban,
    hire_dt       date NOT NULL,
    term_dt       date CHECK (term_dt >= hire_dt),
    dept_cd       varchar(3) NOT NULL REFERENCES people.department ON UPDATE CASCADE,
    pos_cd        varchar(8) NOT NULL REFERENCES people.position ON UPDATE CASCADE,
    mgr_emp_no    integer REFERENCES people.employee ON DELETE SET NULL,
    salary_cents  integer NOT NULL CHECK (salary_cents > 0),
    fte           numeric(3, 2) NOT NULL DEFAULT 1.00 CHECK (fte > 0 AND fte <= 1)
);
CREATE INDEX employee_dept_cd_idx ON people.employee (dept_cd);
CREATE INDEX employee_mgr_emp_no_idx ON people.employee (mgr_emp_no);
COMMENT ON TABLE people.employee IS
    'Everyone who is or was on the payroll. Leavers stay, with a termination date; temps of agencies are not here.';
COMMENT ON COLUMN people.employee.emp_no IS 'Number on the badge. Never given out twice.';
COMMENT ON COLUMN people.employee.nat_id IS 'Tax identification number. Only payroll may read it.';
COMMENT ON COLUMN people.employee.term_dt IS 'Last day of employment; empty while employed.';
COMMENT ON COLUMN people.employee.mgr_emp_no IS 'Direct manager; empty for the managing director only.';
COMMENT ON COLUMN people.employee.salary_cents IS
    'Gross yearly salary at full time, in euro cents. Multiply by fte for what is paid.';
COMMENT ON COLUMN people.employee.fte IS 'Share of full-time hours, 1.00 for full time.';

-- A department has a manager, who is an employee, who belongs to a department: the second key comes afterwards.
ALTER TABLE people.department ADD CONSTRAINT department_mgr_emp_no_fkey
    FOREIGN KEY (mgr_emp_no) REFERENCES people.employee ON DELETE SET NULL;

CREATE TABLE people.leave_request (
    leave_id         integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    emp_no           integer NOT NULL REFERENCES people.employee ON DELETE CASCADE,
    kind             varchar(8) NOT NULL CHECK (kind IN ('vacation', 'sick', 'parental', 'unpaid')),
    from_dt          date NOT NULL,
    to_dt            date NOT NULL CHECK (to_dt >= from_dt),
    days             integer GENERATED ALWAYS AS (to_dt - from_dt + 1) STORED,
    status           char(1) NOT NULL DEFAULT 'R' CHECK (status IN ('R', 'A', 'D', 'W')),
    appr_by_emp_no   integer REFERENCES people.employee ON DELETE SET NULL
);
CREATE INDEX leave_request_emp_no_idx ON people.leave_request (emp_no, from_dt);
COMMENT ON COLUMN people.leave_request.days IS
    'Calendar days, weekends included. HR subtracts weekends in its own spreadsheet.';
COMMENT ON COLUMN people.leave_request.status IS 'R requested, A approved, D declined, W withdrawn by the employee.';

CREATE TABLE people.payroll (
    emp_no       integer NOT NULL REFERENCES people.employee ON DELETE RESTRICT,
    period       date NOT NULL CHECK (extract(day FROM period) = 1),
    gross_cents  integer NOT NULL,
    tax_cents    integer NOT NULL,
    soc_cents    integer NOT NULL,
    net_cents    integer GENERATED ALWAYS AS (gross_cents - tax_cents - soc_cents) STORED,
    paid_dt      date,
    PRIMARY KEY (emp_no, period)
);
COMMENT ON TABLE people.payroll IS
    'One pay slip a month and employee, from the payroll provider. Corrections arrive as a new period.';
COMMENT ON COLUMN people.payroll.period IS 'First day of the month that is paid.';
COMMENT ON COLUMN people.payroll.soc_cents IS 'Employee share of social insurance, in euro cents.';


-- crm ------------------------------------------------------------------------------------------------------------

CREATE TABLE crm.country (
    country_cd    char(2) PRIMARY KEY,
    name          text NOT NULL UNIQUE,
    is_eu         boolean NOT NULL,
    vat_rate_pct  numeric(4, 1) NOT NULL CHECK (vat_rate_pct BETWEEN 0 AND 30)
);
COMMENT ON COLUMN crm.country.country_cd IS 'ISO 3166-1 alpha-2.';
COMMENT ON COLUMN crm.country.vat_rate_pct IS 'Standard rate today. Old invoices keep their own rate on the line.';

CREATE TABLE crm.segment (
    segment_cd        varchar(4) PRIMARY KEY,
    descr             text NOT NULL,
    min_yearly_cents  bigint NOT NULL DEFAULT 0,
    disc_pct          numeric(4, 1) NOT NULL DEFAULT 0
);
COMMENT ON TABLE crm.segment IS
    'Customer segments. Reviewed each January from last year''s net revenue; the discount applies to every order line.';

CREATE TABLE crm.customer (
    cust_id             integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    cust_no             varchar(8) NOT NULL UNIQUE,
    name                text NOT NULL,
    cust_type           char(1) NOT NULL CHECK (cust_type IN ('B', 'P')),
    segment_cd          varchar(4) NOT NULL REFERENCES crm.segment ON UPDATE CASCADE,
    email               public.email_addr,
    phone               text,
    vat_id              varchar(14),
    credit_limit_cents  bigint NOT NULL DEFAULT 500000 CHECK (credit_limit_cents >= 0),
    pay_terms_days      smallint NOT NULL DEFAULT 30 CHECK (pay_terms_days IN (0, 14, 30, 60)),
    acct_mgr_emp_no     integer,
    tags                text[] NOT NULL DEFAULT '{}',
    prefs               jsonb NOT NULL DEFAULT '{}',
    created_at          timestamptz NOT NULL DEFAULT now(),
    updated_at          timestamptz,
    deleted_at          timestamptz
);
CREATE UNIQUE INDEX customer_email_live_key ON crm.customer (lower(email)) WHERE deleted_at IS NULL;
CREATE INDEX customer_segment_cd_idx ON crm.customer (segment_cd);
COMMENT ON TABLE crm.customer IS
    'Companies and persons who bought once or applied for an account. Leads live in the newsletter tool.';
COMMENT ON COLUMN crm.customer.cust_no IS
    'The number customers know, printed on every document. Use cust_id for joins.';
COMMENT ON COLUMN crm.customer.cust_type IS
    'B business, P private person. Decides on VAT and on the right of withdrawal.';
COMMENT ON COLUMN crm.customer.credit_limit_cents IS
    'Open invoices above this amount stop new orders; 0 means prepayment.';
COMMENT ON COLUMN crm.customer.pay_terms_days IS 'Days from the invoice date until payment is due.';
COMMENT ON COLUMN crm.customer.deleted_at IS
    'Soft delete: set when the account is closed. Rows are erased ten years later for tax reasons.';

CREATE TABLE crm.address (
    addr_id     integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    cust_id     integer NOT NULL REFERENCES crm.customer ON DELETE CASCADE,
    addr_type   char(1) NOT NULL CHECK (addr_type IN ('B', 'S')),
    line1       text NOT NULL,
    line2       text,
    zip         varchar(10) NOT NULL,
    city        text NOT NULL,
    country_cd  char(2) NOT NULL REFERENCES crm.country,
    is_dflt     boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX address_one_default_key ON crm.address (cust_id, addr_type) WHERE is_dflt;
COMMENT ON COLUMN crm.address.addr_type IS 'B billing, S shipping.';

CREATE TABLE crm.contact (
    contact_id  integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    cust_id     integer NOT NULL REFERENCES crm.customer ON DELETE CASCADE,
    first_name  text NOT NULL,
    last_name   text NOT NULL,
    email       public.email_addr NOT NULL,
    mobile      text,
    birth_dt    date,
    job_role    varchar(10) NOT NULL DEFAULT 'other' CHECK (job_role IN ('owner', 'buyer', 'accounting', 'other')),
    deleted_at  timestamptz
);
CREATE INDEX contact_cust_id_idx ON crm.contact (cust_id);
COMMENT ON COLUMN crm.contact.birth_dt IS
    'Only asked from private customers, for the age check on stoves and knives.';

CREATE TABLE crm.consent (
    contact_id  integer NOT NULL REFERENCES crm.contact ON DELETE CASCADE,
    purpose     varchar(12) NOT NULL CHECK (purpose IN ('newsletter', 'phone', 'profiling')),
    granted_at  timestamptz NOT NULL,
    revoked_at  timestamptz CHECK (revoked_at >= granted_at),
    proof_ip    inet,
    PRIMARY KEY (contact_id, purpose)
);
COMMENT ON TABLE crm.consent IS
    'Proof of consent under the GDPR. Only a row without revoked_at permits us to contact someone for its purpose.';

CREATE TABLE crm.interaction (
    cust_id      integer NOT NULL REFERENCES crm.customer ON DELETE CASCADE,
    seq_no       smallint NOT NULL,
    channel      varchar(6) NOT NULL CHECK (channel IN ('phone', 'mail', 'visit', 'fair')),
    happened_at  timestamptz NOT NULL,
    emp_no       integer REFERENCES people.employee ON DELETE SET NULL,
    notes        text,
    PRIMARY KEY (cust_id, seq_no)
);


-- stock ----------------------------------------------------------------------------------------------------------

CREATE TABLE stock.product_category (
    cat_id         smallint PRIMARY KEY,
    parent_cat_id  smallint REFERENCES stock.product_category,
    name           text NOT NULL,
    UNIQUE (parent_cat_id, name)
);

CREATE TABLE stock.product (
    prod_id           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sku               varchar(16) NOT NULL UNIQUE,
    name              text NOT NULL,
    cat_id            smallint NOT NULL REFERENCES stock.product_category,
    ean               char(13) NOT NULL UNIQUE,
    unit_cost_cents   integer NOT NULL CHECK (unit_cost_cents > 0),
    list_price_cents  integer NOT NULL CHECK (list_price_cents > 0),
    weight_g          integer NOT NULL,
    attrs             jsonb NOT NULL DEFAULT '{}',
    min_qty           integer NOT NULL DEFAULT 10,
    discont_dt        date
);
CREATE INDEX product_cat_id_idx ON stock.product (cat_id);
CREATE INDEX product_attrs_idx ON stock.product USING gin (attrs);
COMMENT ON TABLE stock.product IS 'One row a sellable variant (size and colour), not a row a model.';
COMMENT ON COLUMN stock.product.unit_cost_cents IS
    'Moving average purchase cost in euro cents, recalculated at every goods receipt. The margin reports use it.';
COMMENT ON COLUMN stock.product.list_price_cents IS 'Net price in euro cents before segment discount and promotions.';
COMMENT ON COLUMN stock.product.min_qty IS 'Purchasing reorders when the sum over all warehouses falls below this.';
COMMENT ON COLUMN stock.product.discont_dt IS 'No new purchase orders from this day on; what is left is still sold.';

CREATE TABLE stock.supplier (
    supp_id     integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name        text NOT NULL UNIQUE,
    email       public.email_addr NOT NULL,
    phone       text,
    country_cd  char(2) NOT NULL REFERENCES crm.country,
    lead_days   smallint NOT NULL DEFAULT 21,
    rating      public.grade,
    is_blocked  boolean NOT NULL DEFAULT false
);
COMMENT ON COLUMN stock.supplier.lead_days IS 'Days from purchase order to goods receipt, as agreed in the contract.';
COMMENT ON COLUMN stock.supplier.is_blocked IS
    'No new purchase orders, mostly for quality; open ones are still received.';

CREATE TABLE stock.product_supplier (
    prod_id      integer NOT NULL REFERENCES stock.product ON DELETE CASCADE,
    supp_id      integer NOT NULL REFERENCES stock.supplier ON DELETE CASCADE,
    supp_sku     varchar(20) NOT NULL,
    price_cents  integer NOT NULL,
    moq          integer NOT NULL DEFAULT 1,
    is_pref      boolean NOT NULL DEFAULT false,
    PRIMARY KEY (prod_id, supp_id)
);
CREATE UNIQUE INDEX product_supplier_one_preferred_key ON stock.product_supplier (prod_id) WHERE is_pref;
COMMENT ON COLUMN stock.product_supplier.moq IS 'Minimum order quantity of the supplier, in pieces.';

CREATE TABLE stock.warehouse (
    whse_cd     char(3) PRIMARY KEY,
    name        text NOT NULL,
    city        text NOT NULL,
    country_cd  char(2) NOT NULL REFERENCES crm.country,
    mgr_emp_no  integer REFERENCES people.employee ON DELETE SET NULL,
    is_active   boolean NOT NULL DEFAULT true
);
COMMENT ON TABLE stock.warehouse IS
    'Own warehouses. Rotterdam was closed in 2022 and is kept because old movements point to it.';

CREATE TABLE stock.bin (
    whse_cd        char(3) NOT NULL REFERENCES stock.warehouse,
    bin_cd         varchar(6) NOT NULL,
    zone           char(1) NOT NULL CHECK (zone IN ('A', 'B', 'Q')),
    max_weight_kg  integer NOT NULL DEFAULT 400,
    PRIMARY KEY (whse_cd, bin_cd)
);
COMMENT ON COLUMN stock.bin.zone IS
    'A fast movers near the packing tables, B the rest, Q quarantine: not for sale until inspected.';

CREATE TABLE stock.stock_level (
    whse_cd      char(3) NOT NULL,
    bin_cd       varchar(6) NOT NULL,
    prod_id      integer NOT NULL REFERENCES stock.product,
    qty_on_hand  integer NOT NULL CHECK (qty_on_hand >= 0),
    qty_rsvd     integer NOT NULL DEFAULT 0 CHECK (qty_rsvd >= 0),
    qty_avail    integer GENERATED ALWAYS AS (qty_on_hand - qty_rsvd) STORED,
    counted_dt   date,
    PRIMARY KEY (whse_cd, bin_cd, prod_id),
    FOREIGN KEY (whse_cd, bin_cd) REFERENCES stock.bin ON UPDATE CASCADE
);
CREATE INDEX stock_level_prod_id_idx ON stock.stock_level (prod_id);
COMMENT ON TABLE stock.stock_level IS
    'Quantity on hand now, by bin. The truth is the sum of stock.movement; a nightly job mails the differences.';
COMMENT ON COLUMN stock.stock_level.qty_rsvd IS 'Promised to orders in picking.';
COMMENT ON COLUMN stock.stock_level.counted_dt IS 'Last physical count of this bin and product.';

CREATE TABLE stock.movement (
    mvmt_id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    mvmt_type     char(3) NOT NULL CHECK (mvmt_type IN ('RCV', 'PCK', 'TRF', 'ADJ', 'RET')),
    prod_id       integer NOT NULL REFERENCES stock.product,
    from_whse_cd  char(3),
    from_bin_cd   varchar(6),
    to_whse_cd    char(3),
    to_bin_cd     varchar(6),
    qty           integer NOT NULL CHECK (qty > 0),
    ref_doc       varchar(16),
    emp_no        integer,
    moved_at      timestamptz NOT NULL,
    FOREIGN KEY (from_whse_cd, from_bin_cd) REFERENCES stock.bin ON UPDATE CASCADE,
    FOREIGN KEY (to_whse_cd, to_bin_cd) REFERENCES stock.bin ON UPDATE CASCADE,
    CHECK (from_bin_cd IS NOT NULL OR to_bin_cd IS NOT NULL)
);
CREATE INDEX movement_prod_id_idx ON stock.movement (prod_id, moved_at);
COMMENT ON COLUMN stock.movement.mvmt_type IS
    'RCV goods receipt, PCK picked for an order, TRF transfer between bins, ADJ count difference, RET customer return.';
COMMENT ON COLUMN stock.movement.ref_doc IS
    'Number of the document behind it: a purchase order for RCV, a sales order for PCK, an RMA for RET.';

CREATE TABLE stock.purchase_order (
    po_no          varchar(12) PRIMARY KEY,
    supp_id        integer NOT NULL REFERENCES stock.supplier,
    whse_cd        char(3) NOT NULL REFERENCES stock.warehouse,
    buyer_emp_no   integer,
    ordered_dt     date NOT NULL,
    expected_dt    date,
    status         char(1) NOT NULL CHECK (status IN ('D', 'O', 'P', 'R', 'X'))
);
CREATE INDEX purchase_order_open_idx ON stock.purchase_order (expected_dt) WHERE status IN ('O', 'P');

CREATE TABLE stock.po_line (
    po_no            varchar(12) NOT NULL REFERENCES stock.purchase_order ON DELETE CASCADE,
    line_no          smallint NOT NULL,
    prod_id          integer NOT NULL REFERENCES stock.product,
    qty_ord          integer NOT NULL CHECK (qty_ord > 0),
    qty_rcv          integer NOT NULL DEFAULT 0,
    unit_cost_cents  integer NOT NULL,
    PRIMARY KEY (po_no, line_no)
);


-- sales ----------------------------------------------------------------------------------------------------------

CREATE TABLE sales.promotion (
    promo_cd    varchar(12) PRIMARY KEY,
    descr       text NOT NULL,
    kind        varchar(8) NOT NULL CHECK (kind IN ('percent', 'amount', 'shipping')),
    val         integer NOT NULL,
    valid_from  date NOT NULL,
    valid_to    date NOT NULL,
    CHECK (valid_to >= valid_from)
);
COMMENT ON COLUMN sales.promotion.val IS
    'Percent for kind percent, euro cents for kind amount, ignored for kind shipping.';

CREATE TABLE sales.orders (
    order_id         integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    order_no         varchar(12) NOT NULL UNIQUE,
    cust_id          integer NOT NULL REFERENCES crm.customer ON DELETE RESTRICT,
    bill_to_addr_id  integer NOT NULL REFERENCES crm.address,
    ship_to_addr_id  integer NOT NULL REFERENCES crm.address,
    channel          varchar(6) NOT NULL DEFAULT 'web' CHECK (channel IN ('web', 'phone', 'edi', 'fair')),
    status           sales.order_status NOT NULL DEFAULT 'draft',
    ord_dt           date NOT NULL,
    req_dlv_dt       date,
    dlv_dt           date,
    promo_cd         varchar(12) REFERENCES sales.promotion ON UPDATE CASCADE ON DELETE SET NULL,
    rep_emp_no       integer REFERENCES people.employee ON DELETE SET NULL,
    curr_cd          char(3) NOT NULL DEFAULT 'EUR',
    tot_amt_cents    bigint NOT NULL DEFAULT 0,
    cust_ref         text,
    created_at       timestamptz NOT NULL DEFAULT now(),
    CHECK (dlv_dt >= ord_dt)
);
CREATE INDEX orders_cust_id_idx ON sales.orders (cust_id, ord_dt DESC);
CREATE INDEX orders_bill_to_addr_id_idx ON sales.orders (bill_to_addr_id);
CREATE INDEX orders_ship_to_addr_id_idx ON sales.orders (ship_to_addr_id);
CREATE INDEX orders_open_idx ON sales.orders (req_dlv_dt) WHERE status IN ('placed', 'picking');
COMMENT ON TABLE sales.orders IS
    'One row a customer order, any channel. Drafts are carts that reached checkout: leave them out of every figure.';
COMMENT ON COLUMN sales.orders.ord_dt IS
    'Day the customer placed the order, in Berlin time. Revenue is booked on the invoice date, not on this one.';
COMMENT ON COLUMN sales.orders.req_dlv_dt IS
    'Delivery date the customer asked for. On-time delivery compares dlv_dt with this.';
COMMENT ON COLUMN sales.orders.tot_amt_cents IS
    'Sum of the order lines, net of VAT, in cents of curr_cd. Maintained by the application.';
COMMENT ON COLUMN sales.orders.rep_emp_no IS 'Who earns the commission; empty for web orders.';

CREATE TABLE sales.order_line (
    order_id          integer NOT NULL REFERENCES sales.orders ON DELETE CASCADE,
    line_no           smallint NOT NULL,
    prod_id           integer NOT NULL REFERENCES stock.product ON DELETE RESTRICT,
    qty               integer NOT NULL CHECK (qty > 0),
    unit_price_cents  integer NOT NULL CHECK (unit_price_cents >= 0),
    disc_pct          numeric(4, 1) NOT NULL DEFAULT 0 CHECK (disc_pct BETWEEN 0 AND 100),
    line_amt_cents    bigint GENERATED ALWAYS AS (round(qty * unit_price_cents * (100 - disc_pct) / 100)) STORED,
    PRIMARY KEY (order_id, line_no)
);
CREATE INDEX order_line_prod_id_idx ON sales.order_line (prod_id);
COMMENT ON COLUMN sales.order_line.unit_price_cents IS
    'Price at the time of the order, net, before discount. Later changes of the price list do not touch it.';

CREATE TABLE sales.price_list (
    prod_id      integer NOT NULL REFERENCES stock.product ON DELETE CASCADE,
    segment_cd   varchar(4) NOT NULL REFERENCES crm.segment ON UPDATE CASCADE,
    valid_from   date NOT NULL,
    valid_to     date CHECK (valid_to > valid_from),
    price_cents  integer NOT NULL CHECK (price_cents > 0),
    PRIMARY KEY (prod_id, segment_cd, valid_from)
);
COMMENT ON TABLE sales.price_list IS
    'Special prices by segment. One that is valid on the order date replaces both list price and segment discount.';

CREATE TABLE sales.shipment (
    shpmt_id     integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    order_id     integer NOT NULL REFERENCES sales.orders,
    whse_cd      char(3) NOT NULL REFERENCES stock.warehouse,
    carrier_cd   varchar(6) NOT NULL CHECK (carrier_cd IN ('DHL', 'DPD', 'UPS', 'PICKUP')),
    trk_no       varchar(20) UNIQUE,
    shipped_at   timestamptz NOT NULL,
    weight_g     integer,
    cost_cents   integer NOT NULL DEFAULT 0
);
CREATE INDEX shipment_order_id_idx ON sales.shipment (order_id);
COMMENT ON COLUMN sales.shipment.cost_cents IS 'What the carrier bills us, in euro cents, not what the customer pays.';

CREATE TABLE sales.return_reason (
    reason_cd  char(2) PRIMARY KEY,
    descr      text NOT NULL,
    restock    boolean NOT NULL
);
COMMENT ON COLUMN sales.return_reason.restock IS 'Whether such goods go back on the shelf after inspection.';

CREATE TABLE sales.return_request (
    rma_no          varchar(10) PRIMARY KEY,
    order_id        integer NOT NULL,
    line_no         smallint NOT NULL,
    reason_cd       char(2) NOT NULL REFERENCES sales.return_reason,
    qty             integer NOT NULL CHECK (qty > 0),
    status          smallint NOT NULL DEFAULT 10 CHECK (status IN (10, 20, 30, 90)),
    requested_dt    date NOT NULL,
    insp_by_emp_no  integer REFERENCES people.employee ON DELETE SET NULL,
    FOREIGN KEY (order_id, line_no) REFERENCES sales.order_line
);
CREATE INDEX return_request_order_line_idx ON sales.return_request (order_id, line_no);
COMMENT ON TABLE sales.return_request IS
    'Return merchandise authorisations. A customer may return part of an order line, more than once.';
COMMENT ON COLUMN sales.return_request.status IS
    '10 announced, 20 received in quarantine, 30 accepted and credited, 90 rejected.';

CREATE TABLE sales.quote (
    quote_no      varchar(12) PRIMARY KEY,
    cust_id       integer NOT NULL REFERENCES crm.customer,
    valid_to      date NOT NULL,
    tot_amt_cents bigint NOT NULL,
    order_id      integer UNIQUE REFERENCES sales.orders ON DELETE SET NULL
);
COMMENT ON TABLE sales.quote IS
    'Never went live: the quote feature of the web shop was stopped in 2022. Always empty.';


-- billing --------------------------------------------------------------------------------------------------------

CREATE TABLE billing.currency (
    curr_cd     char(3) PRIMARY KEY,
    name        text NOT NULL,
    eur_rate    numeric(10, 5) NOT NULL CHECK (eur_rate > 0),
    minor_unit  smallint NOT NULL DEFAULT 2
);
COMMENT ON COLUMN billing.currency.eur_rate IS
    'Units of this currency for one euro, fixed for the calendar year by the finance department.';

CREATE TABLE billing.invoice (
    inv_no       varchar(14) PRIMARY KEY,
    cust_id      integer NOT NULL REFERENCES crm.customer ON DELETE RESTRICT,
    order_id     integer NOT NULL REFERENCES sales.orders ON DELETE RESTRICT,
    inv_dt       date NOT NULL,
    due_dt       date NOT NULL CHECK (due_dt >= inv_dt),
    status       varchar(8) NOT NULL CHECK (status IN ('open', 'part', 'paid', 'void', 'writeoff')),
    net_cents    bigint NOT NULL DEFAULT 0,
    vat_cents    bigint NOT NULL DEFAULT 0,
    gross_cents  bigint GENERATED ALWAYS AS (net_cents + vat_cents) STORED,
    dun_level    smallint NOT NULL DEFAULT 0 CHECK (dun_level BETWEEN 0 AND 3)
);
CREATE INDEX invoice_cust_id_idx ON billing.invoice (cust_id);
CREATE INDEX invoice_order_id_idx ON billing.invoice (order_id);
CREATE INDEX invoice_unpaid_idx ON billing.invoice (due_dt) WHERE status IN ('open', 'part');
COMMENT ON TABLE billing.invoice IS
    'Issued invoices; by law the numbers have no gaps. Revenue is the sum of net_cents by inv_dt, without void ones.';
COMMENT ON COLUMN billing.invoice.status IS
    'part: partly paid. void: cancelled and replaced by a new invoice. writeoff: given up after dunning level 3.';
COMMENT ON COLUMN billing.invoice.dun_level IS 'Highest reminder sent so far; 0 none, 3 handed to collection.';

CREATE TABLE billing.invoice_line (
    inv_no         varchar(14) NOT NULL REFERENCES billing.invoice ON DELETE CASCADE,
    line_no        smallint NOT NULL,
    order_id       integer NOT NULL,
    order_line_no  smallint NOT NULL,
    qty            integer NOT NULL,
    net_cents      bigint NOT NULL,
    vat_rate_pct   numeric(4, 1) NOT NULL,
    PRIMARY KEY (inv_no, line_no),
    FOREIGN KEY (order_id, order_line_no) REFERENCES sales.order_line (order_id, line_no)
);
CREATE INDEX invoice_line_order_line_idx ON billing.invoice_line (order_id, order_line_no);
COMMENT ON COLUMN billing.invoice_line.vat_rate_pct IS
    'Rate that was charged. 0 for exports and for businesses elsewhere in the EU with a VAT number (reverse charge).';

CREATE TABLE billing.bank_acct (
    acct_id      integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    cust_id      integer NOT NULL REFERENCES crm.customer ON DELETE CASCADE,
    holder       text NOT NULL,
    iban         public.iban NOT NULL,
    mandate_ref  varchar(20) NOT NULL UNIQUE,
    signed_dt    date NOT NULL,
    revoked_dt   date
);
CREATE INDEX bank_acct_cust_id_idx ON billing.bank_acct (cust_id);
COMMENT ON TABLE billing.bank_acct IS
    'SEPA direct debit mandates. A mandate that was not used for 36 months must be signed again.';

CREATE TABLE billing.payment (
    pay_id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    inv_no      varchar(14) NOT NULL REFERENCES billing.invoice ON DELETE RESTRICT,
    acct_id     integer REFERENCES billing.bank_acct ON DELETE SET NULL,
    method      varchar(8) NOT NULL CHECK (method IN ('sepa', 'transfer', 'card', 'paypal')),
    amt_cents   bigint NOT NULL CHECK (amt_cents <> 0),
    val_dt      date NOT NULL,
    card_last4  char(4),
    ext_ref     text
);
CREATE INDEX payment_inv_no_idx ON billing.payment (inv_no);
COMMENT ON COLUMN billing.payment.amt_cents IS
    'Money in, in euro cents; negative when a debit was returned by the bank.';
COMMENT ON COLUMN billing.payment.val_dt IS 'Value date on the bank statement.';
COMMENT ON COLUMN billing.payment.ext_ref IS 'Transaction number at the payment provider.';

CREATE TABLE billing.dunning_run (
    run_id      integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_dt      date NOT NULL UNIQUE,
    emp_no      integer REFERENCES people.employee ON DELETE SET NULL
);

CREATE TABLE billing.dunning_letter (
    run_id     integer NOT NULL REFERENCES billing.dunning_run ON DELETE CASCADE,
    inv_no     varchar(14) NOT NULL REFERENCES billing.invoice,
    lvl        smallint NOT NULL CHECK (lvl BETWEEN 1 AND 3),
    fee_cents  integer NOT NULL DEFAULT 0,
    sent_via   varchar(5) NOT NULL DEFAULT 'email' CHECK (sent_via IN ('email', 'post')),
    PRIMARY KEY (run_id, inv_no)
);

CREATE TABLE billing.credit_note (
    cn_no      varchar(14) PRIMARY KEY,
    inv_no     varchar(14) NOT NULL REFERENCES billing.invoice,
    rma_no     varchar(10),
    amt_cents  bigint NOT NULL CHECK (amt_cents > 0),
    cn_dt      date NOT NULL
);
CREATE INDEX credit_note_inv_no_idx ON billing.credit_note (inv_no);


-- support --------------------------------------------------------------------------------------------------------

CREATE TABLE support.sla (
    sla_cd           varchar(8) PRIMARY KEY,
    first_resp_mins  integer NOT NULL,
    resolve_mins     integer NOT NULL,
    bus_hrs_only     boolean NOT NULL DEFAULT true,
    CHECK (resolve_mins > first_resp_mins)
);
COMMENT ON TABLE support.sla IS
    'Response times we promise. Contracts quote the code, so codes are never reused for other times.';
COMMENT ON COLUMN support.sla.first_resp_mins IS 'Minutes until a person answers; automatic replies do not count.';

CREATE TABLE support.ticket (
    ticket_no        integer GENERATED ALWAYS AS IDENTITY (START WITH 20001) PRIMARY KEY,
    cust_id          integer NOT NULL REFERENCES crm.customer,
    contact_id       integer REFERENCES crm.contact ON DELETE SET NULL,
    order_no         varchar(12),
    subject          text NOT NULL,
    priority         support.ticket_priority NOT NULL DEFAULT 'normal',
    status           varchar(8) NOT NULL DEFAULT 'new' CHECK (status IN ('new', 'open', 'waiting', 'solved', 'closed')),
    sla_cd           varchar(8) NOT NULL REFERENCES support.sla ON UPDATE CASCADE,
    assigned_emp_no  integer REFERENCES people.employee ON DELETE SET NULL,
    labels           text[] NOT NULL DEFAULT '{}',
    opened_at        timestamptz NOT NULL,
    first_resp_at    timestamptz,
    closed_at        timestamptz CHECK (closed_at >= opened_at)
);
CREATE INDEX ticket_cust_id_idx ON support.ticket (cust_id);
CREATE INDEX ticket_unsolved_idx ON support.ticket (assigned_emp_no) WHERE status IN ('new', 'open', 'waiting');
COMMENT ON COLUMN support.ticket.order_no IS
    'Number the customer typed into the form. Not checked against the orders.';
COMMENT ON COLUMN support.ticket.status IS
    'waiting: the clock of the SLA stands still because we asked the customer something.';

CREATE TABLE support.message (
    ticket_no    integer NOT NULL REFERENCES support.ticket ON DELETE CASCADE,
    seq_no       smallint NOT NULL,
    sender       char(1) NOT NULL CHECK (sender IN ('C', 'A', 'S')),
    body         text NOT NULL,
    is_internal  boolean NOT NULL DEFAULT false,
    sent_at      timestamptz NOT NULL,
    PRIMARY KEY (ticket_no, seq_no)
);
COMMENT ON COLUMN support.message.sender IS 'C customer, A agent, S system.';

CREATE TABLE support.csat (
    ticket_no    integer PRIMARY KEY REFERENCES support.ticket ON DELETE CASCADE,
    score        smallint NOT NULL CHECK (score BETWEEN 1 AND 5),
    remark       text,
    answered_at  timestamptz NOT NULL
);
COMMENT ON COLUMN support.csat.score IS
    '5 is best. The satisfaction rate on the dashboard counts 4 and 5 as satisfied.';


-- audit and leftovers --------------------------------------------------------------------------------------------

CREATE SEQUENCE audit.change_log_id_seq;
CREATE TABLE audit.change_log (
    log_id      bigint NOT NULL DEFAULT nextval('audit.change_log_id_seq'),
    changed_at  timestamptz NOT NULL,
    schema_nm   name NOT NULL,
    table_nm    name NOT NULL,
    row_key     text NOT NULL,
    op          char(1) NOT NULL CHECK (op IN ('I', 'U', 'D')),
    changed_by  text NOT NULL DEFAULT current_user,
    old_row     jsonb,
    new_row     jsonb,
    PRIMARY KEY (log_id, changed_at)
) PARTITION BY RANGE (changed_at);
ALTER SEQUENCE audit.change_log_id_seq OWNED BY audit.change_log.log_id;
CREATE TABLE audit.change_log_2023 PARTITION OF audit.change_log
    FOR VALUES FROM ('2023-01-01 00:00+00') TO ('2024-01-01 00:00+00');
CREATE TABLE audit.change_log_2024 PARTITION OF audit.change_log
    FOR VALUES FROM ('2024-01-01 00:00+00') TO ('2025-01-01 00:00+00');
CREATE TABLE audit.change_log_dflt PARTITION OF audit.change_log DEFAULT;
CREATE INDEX change_log_row_idx ON audit.change_log (schema_nm, table_nm, row_key);
COMMENT ON TABLE audit.change_log IS
    'Changes to customer, order and invoice data, before and after, by year. Years older than ten are dropped.';
COMMENT ON COLUMN audit.change_log.changed_by IS 'Work e-mail of the person, or the name of the job.';

CREATE TABLE audit.login_evt (
    evt_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    emp_no    integer,
    login_nm  text NOT NULL,
    src_ip    inet NOT NULL,
    ok        boolean NOT NULL,
    ua        text,
    evt_at    timestamptz NOT NULL
);
CREATE INDEX login_evt_failed_idx ON audit.login_evt (src_ip, evt_at) WHERE NOT ok;

CREATE TABLE public.tmp_mig_2019_bak (
    kd_nr   text,
    nm      text,
    tel     text,
    mail    text,
    f1      integer,
    f2      integer,
    imp_ok  char(1)
);


-- Rows. The helpers live in a schema of their own, which is dropped at the end. ------------------------------------

CREATE SCHEMA seed;

CREATE FUNCTION seed.pick(n bigint, VARIADIC list text[]) RETURNS text LANGUAGE sql IMMUTABLE AS
    'SELECT list[1 + n % cardinality(list)]';

CREATE FUNCTION seed.first_name(n bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT seed.pick(n, 'Anna', 'Tomasz', 'Lena', 'Jakob', 'Mira', 'Henrik', 'Sofie', 'Paul', 'Ines', 'Matteo', 'Clara',
        'Oskar', 'Nora', 'Emil', 'Judith', 'Ravi', 'Helene', 'Aylin', 'Bruno', 'Katja', 'Simon', 'Zofia', 'David')
$$;

CREATE FUNCTION seed.last_name(n bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT seed.pick(n, 'Brandt', 'Keller', 'Nowak', 'Lindqvist', 'Moser', 'Ferrari', 'Dubois', 'Hansen', 'Okafor',
        'Winter', 'Visser', 'Sommer', 'Albrecht', 'Rossi', 'Novotny', 'Falk', 'Demir', 'Baumann', 'Petit')
$$;

CREATE FUNCTION seed.phone(n bigint) RETURNS text LANGUAGE sql IMMUTABLE AS
    $$ SELECT format('+49 30 23125 %s', lpad((n * 137 % 1000)::text, 3, '0')) $$;

-- The check digits are right and the bank code belongs to no bank.
CREATE FUNCTION seed.iban(n bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT 'DE' || lpad((98 - (bban || '131400')::numeric % 97)::text, 2, '0') || bban
    FROM (SELECT '99990000' || lpad((n * 7654321 % 10000000000)::text, 10, '0') AS bban) AS account
$$;

CREATE TABLE seed.place (n integer PRIMARY KEY, country_cd char(2), zip text, city text, street text);
INSERT INTO seed.place VALUES
    (0, 'DE', '10999', 'Berlin', 'Am Speicher'),         (1, 'DE', '22767', 'Hamburg', 'Holzweg'),
    (2, 'AT', '1070', 'Wien', 'Lindengasse'),            (3, 'DE', '80469', 'München', 'Isarpfad'),
    (4, 'NL', '3011 AA', 'Rotterdam', 'Kadeplein'),      (5, 'DE', '50677', 'Köln', 'Am Südhang'),
    (6, 'CH', '8005', 'Zürich', 'Hammerstrasse'),        (7, 'DE', '04229', 'Leipzig', 'Mühlenhof'),
    (8, 'FR', '38000', 'Grenoble', 'Rue des Alpages'),   (9, 'DE', '79102', 'Freiburg', 'Tannenweg'),
    (10, 'IT', '39100', 'Bolzano', 'Via del Passo'),     (11, 'AT', '6020', 'Innsbruck', 'Nordkettenweg'),
    (12, 'PL', '30-001', 'Kraków', 'ulica Lipowa'),      (13, 'DK', '2200', 'København', 'Skovgade'),
    (14, 'SE', '411 01', 'Göteborg', 'Hamngatan'),       (15, 'GB', 'LA22 9AA', 'Ambleside', 'Fellside Lane'),
    (16, 'CZ', '460 01', 'Liberec', 'Lesní');

-- people

INSERT INTO people.department (dept_cd, name, cost_ctr) VALUES
    ('MGT', 'Management', 1000),        ('SAL', 'Sales', 2000),
    ('FIN', 'Finance', 3000),           ('LOG', 'Logistics', 4000),
    ('PUR', 'Purchasing', 4500),        ('SUP', 'Customer Support', 2500),
    ('WEB', 'Web Shop and IT', 5000),   ('HRM', 'Human Resources', 1500);

INSERT INTO people.position VALUES
    ('MD', 'Managing Director', 10, 11000000, 18000000),     ('HEAD', 'Head of Department', 8, 7500000, 11500000),
    ('KAM', 'Key Account Manager', 6, 5200000, 7800000),     ('ACC', 'Accountant', 5, 4200000, 6200000),
    ('WHS', 'Warehouse Operator', 3, 3000000, 4000000),      ('BUY', 'Buyer', 5, 4400000, 6600000),
    ('AGT', 'Support Agent', 4, 3400000, 4800000),           ('DEV', 'Software Developer', 6, 5600000, 8800000),
    ('HRG', 'HR Generalist', 5, 4200000, 6000000),           ('TRN', 'Trainee', 1, 1300000, 1700000);

INSERT INTO people.employee (first_name, last_name, work_email, priv_phone, birth_dt, nat_id, bank_iban, hire_dt,
                             term_dt, dept_cd, pos_cd, mgr_emp_no, salary_cents, fte)
SELECT first_name, last_name, lower(first_name || '.' || last_name) || '@larkspur.example.com', seed.phone(n + 400),
       date '1962-03-04' + n * 311, lpad((n * 48271903)::text, 11, '0'), seed.iban(n), date '2009-02-01' + n * 131,
       CASE WHEN n IN (17, 29) THEN date '2024-06-30' END,
       seed.pick(dept, 'MGT', 'SAL', 'FIN', 'LOG', 'PUR', 'SUP', 'WEB', 'HRM'), pos_cd,
       CASE WHEN n > 8 THEN 1001 + dept WHEN n > 1 THEN 1001 END,
       min_salary_cents + (max_salary_cents - min_salary_cents) / 100 * (n * 37 % 100),
       CASE WHEN n % 7 = 3 THEN 0.60 WHEN n % 9 = 0 THEN 0.80 ELSE 1.00 END
FROM generate_series(1, 40) AS n
CROSS JOIN LATERAL (SELECT CASE WHEN n <= 8 THEN n - 1 ELSE 1 + n % 7 END, seed.first_name(n * 5 + 2),
                           seed.last_name(n * 3 + 1)) AS e (dept, first_name, last_name)
JOIN people.position ON pos_cd = CASE WHEN n = 1 THEN 'MD' WHEN n <= 8 THEN 'HEAD' WHEN n % 13 = 0 THEN 'TRN'
                                      ELSE seed.pick(dept, 'MD', 'KAM', 'ACC', 'WHS', 'BUY', 'AGT', 'DEV', 'HRG') END
ORDER BY n;

UPDATE people.department SET mgr_emp_no = (
    SELECT emp_no FROM people.employee WHERE employee.dept_cd = department.dept_cd AND pos_cd IN ('MD', 'HEAD'));

INSERT INTO people.leave_request (emp_no, kind, from_dt, to_dt, status, appr_by_emp_no)
SELECT e.emp_no,
       CASE WHEN n = 31 THEN 'parental' WHEN n % 6 = 0 THEN 'sick' WHEN n % 17 = 0 THEN 'unpaid' ELSE 'vacation' END,
       from_dt, from_dt + CASE WHEN n = 31 THEN 89 ELSE n % 12 END,
       s.status, CASE WHEN s.status IN ('A', 'D') THEN e.mgr_emp_no END
FROM generate_series(1, 48) AS n
JOIN people.employee AS e ON e.emp_no = 1002 + n * 7 % 39
CROSS JOIN LATERAL (SELECT date '2024-01-08' + n * 6, CASE WHEN n > 44 THEN 'R' WHEN n % 15 = 0 THEN 'D'
                                                           WHEN n % 19 = 0 THEN 'W' ELSE 'A' END) AS s (from_dt, status)
ORDER BY n;

INSERT INTO people.payroll (emp_no, period, gross_cents, tax_cents, soc_cents, paid_dt)
SELECT emp_no, period, gross, gross * 22 / 100, gross * 20 / 100, (period + interval '1 month - 3 days')::date
FROM generate_series(timestamp '2024-05-01', '2024-07-01', interval '1 month') AS m
CROSS JOIN people.employee
CROSS JOIN LATERAL (SELECT m::date, round(salary_cents * fte / 12)::integer) AS p (period, gross)
WHERE term_dt IS NULL OR term_dt > period
ORDER BY period, emp_no;

-- crm

INSERT INTO crm.country VALUES
    ('AT', 'Austria', true, 20.0),          ('CH', 'Switzerland', false, 8.1),   ('CN', 'China', false, 13.0),
    ('CZ', 'Czechia', true, 21.0),          ('DE', 'Germany', true, 19.0),       ('DK', 'Denmark', true, 25.0),
    ('FR', 'France', true, 20.0),           ('GB', 'United Kingdom', false, 20.0), ('IT', 'Italy', true, 22.0),
    ('NL', 'Netherlands', true, 21.0),      ('PL', 'Poland', true, 23.0),        ('SE', 'Sweden', true, 25.0),
    ('VN', 'Vietnam', false, 10.0);

INSERT INTO crm.segment VALUES
    ('KEY', 'Key accounts: chains with a frame contract', 2000000, 12.0),
    ('RET', 'Independent retailers', 300000, 7.5),
    ('CLB', 'Clubs, schools and rescue services', 0, 5.0),
    ('PRV', 'Private customers of the web shop', 0, 0.0),
    ('STF', 'Staff purchases', 0, 25.0);

INSERT INTO crm.customer (cust_no, name, cust_type, segment_cd, email, phone, vat_id, credit_limit_cents,
                          pay_terms_days, acct_mgr_emp_no, tags, prefs, created_at, updated_at, deleted_at)
SELECT 'C' || lpad((10000 + n * 3)::text, 6, '0'), name, cust_type,
       CASE WHEN cust_type = 'B' THEN seed.pick(n, 'RET', 'KEY', 'RET', 'RET', 'CLB')
            WHEN n % 36 = 0 THEN 'STF' ELSE 'PRV' END,
       CASE WHEN n % 31 = 0 THEN NULL WHEN cust_type = 'B' THEN 'orders' || n || '@example.com'
            ELSE lower(replace(name, ' ', '.')) || n || '@example.net' END,
       CASE WHEN n % 9 <> 0 THEN seed.phone(n) END,
       CASE WHEN cust_type = 'B' THEN 'DE' || lpad((n * 4097)::text, 9, '0') END,
       CASE WHEN cust_type = 'P' THEN 100000 WHEN n % 5 = 1 THEN 5000000 ELSE 500000 + n * 10000 END,
       CASE WHEN cust_type = 'P' THEN 14 WHEN n % 5 = 1 THEN 60 WHEN n % 17 = 0 THEN 0 ELSE 30 END,
       CASE WHEN cust_type = 'B' THEN 1014 + n / 4 % 4 * 7 END,
       CASE WHEN cust_type = 'B' AND n % 5 = 1 THEN ARRAY['frame-contract']
            WHEN n % 8 = 0 THEN ARRAY['newsletter', 'test-team'] ELSE '{}' END,
       jsonb_build_object('lang', seed.pick(n, 'de', 'de', 'en', 'fr'), 'paper_invoice', n % 3 = 2),
       timestamptz '2015-04-01 08:00+00' + n * interval '23 days 3 hours',
       CASE WHEN n % 4 = 1 THEN timestamptz '2024-02-01 10:00+00' + n * interval '2 days' END,
       CASE WHEN n % 40 = 0 THEN timestamptz '2024-08-15 12:00+00' + n * interval '1 hour' END
FROM (SELECT n, 'P' AS cust_type, seed.first_name(n) || ' ' || seed.last_name(n * 2) AS name
      FROM generate_series(4, 120, 4) AS n
      UNION ALL
      SELECT n, 'B', concat_ws(' ', seed.pick(n, 'Bergfex', 'Trailhead', 'Nordpfad', 'Alpenglow', 'Kletterwerk',
                                              'Wildwasser', 'Gipfelruf', 'Outback', 'Fjell', 'Waldlauf', 'Biwak'),
                               seed.pick(n, 'Sports', 'Outdoor', 'Supply', 'Travel', 'Store', 'Handel', 'Trading'),
                               seed.pick(n, 'GmbH', 'KG', 'AG'))
      FROM generate_series(1, 120) AS n WHERE n % 4 <> 0) AS c
ORDER BY n;

-- Addresses 1 to 120 are where customers get their invoices; every second customer has one more for deliveries.
INSERT INTO crm.address (cust_id, addr_type, line1, line2, zip, city, country_cd, is_dflt)
SELECT cust_id, addr_type, street || ' ' || 1 + (cust_id * 7 + a) % 90, line2, zip, city, country_cd, true
FROM (SELECT n AS a, n AS cust_id, 'B' AS addr_type, NULL AS line2 FROM generate_series(1, 120) AS n
      UNION ALL
      SELECT 120 + n, n * 2, 'S', CASE n % 4 WHEN 1 THEN 'Goods entrance' WHEN 3 THEN 'Ring at the back door' END
      FROM generate_series(1, 60) AS n) AS x
JOIN seed.place ON n = (cust_id * 3 + a / 121) % 17
ORDER BY a;

INSERT INTO crm.contact (cust_id, first_name, last_name, email, mobile, birth_dt, job_role, deleted_at)
SELECT cust_id, first_name, last_name,
       lower(first_name || '.' || last_name) || seed.pick(n, '@example.com', '@example.org', '@example.net'),
       '+49 176 040690' || lpad((n * 37 % 100)::text, 2, '0'),
       CASE WHEN is_person THEN date '1958-05-17' + n * 283 % 16000 END,
       CASE WHEN is_person THEN 'other' WHEN n > 120 THEN 'accounting' ELSE seed.pick(n, 'owner', 'buyer', 'buyer') END,
       CASE WHEN n % 37 = 0 THEN timestamptz '2024-03-05 09:30+00' END
FROM generate_series(1, 150) AS n
CROSS JOIN LATERAL (SELECT CASE WHEN n > 120 THEN (n - 120) * 4 - 1 ELSE n END, n <= 120 AND n % 4 = 0,
                           seed.first_name(n), seed.last_name(n * 2)) AS c (cust_id, is_person, first_name, last_name)
ORDER BY n;

INSERT INTO crm.consent
SELECT contact_id, purpose, granted_at, CASE WHEN contact_id % 8 = 0 THEN granted_at + interval '200 days' END,
       ('198.51.100.' || 1 + contact_id % 250)::inet
FROM crm.contact
JOIN (VALUES (1, 'newsletter'), (3, 'phone'), (5, 'profiling')) AS p (every, purpose) ON contact_id % every = 0
CROSS JOIN LATERAL (SELECT timestamptz '2021-01-10 07:00+00'
                           + contact_id * every * interval '31 hours' AS granted_at) AS g
WHERE contact_id % 4 <> 3
ORDER BY granted_at;

INSERT INTO crm.interaction
SELECT cust_id, seq_no, seed.pick(cust_id + seq_no, 'phone', 'mail', 'visit', 'phone', 'fair'),
       timestamptz '2023-02-06 09:00+00' + (cust_id * 4 + seq_no * 97) * interval '29 hours',
       acct_mgr_emp_no,
       seed.pick(cust_id * 3 + seq_no, 'Wants to see the new tents before the season.', 'Left a message.',
                 'Asked for a better discount on stoves.', 'Complained about a late delivery, calmed down.',
                 'Visited the stand, ordered samples.')
FROM crm.customer CROSS JOIN generate_series(1, 3) AS seq_no
WHERE cust_type = 'B' AND (seq_no = 1 OR (cust_id + seq_no) % 5 = 0)
ORDER BY cust_id, seq_no;

-- stock

INSERT INTO stock.product_category VALUES
    (1, NULL, 'Sleeping'), (2, NULL, 'Cooking'), (3, NULL, 'Carrying'), (4, NULL, 'Climbing'),
    (11, 1, 'Tents'), (12, 1, 'Sleeping bags'), (13, 1, 'Mats'), (21, 2, 'Stoves'), (22, 2, 'Pots and cups'),
    (31, 3, 'Backpacks'), (32, 3, 'Dry bags'), (41, 4, 'Ropes'), (42, 4, 'Hardware');

CREATE TABLE seed.model (n integer PRIMARY KEY, code text, name text, cat_id smallint, price integer, weight integer);
INSERT INTO seed.model VALUES
    (0, 'TNT-LYNX2', 'Lynx 2 tent', 11, 28900, 2150),
    (1, 'TNT-LYNX3', 'Lynx 3 tent', 11, 36900, 2850),
    (2, 'TNT-BASE6', 'Basecamp 6 tent', 11, 74900, 9800),
    (3, 'BAG-DRIFT', 'Drift down bag', 12, 24900, 980),
    (4, 'BAG-MOSS', 'Moss synthetic bag', 12, 11900, 1450),
    (5, 'MAT-FEATH', 'Feather air mat', 13, 9900, 460),
    (6, 'MAT-FOLD', 'Fold foam mat', 13, 3900, 410),
    (7, 'STV-EMBER', 'Ember gas stove', 21, 6900, 210),
    (8, 'STV-HEARTH', 'Hearth spirit stove', 21, 8900, 780),
    (9, 'POT-DUO', 'Duo pot set', 22, 5400, 620),
    (10, 'CUP-BIRCH', 'Birch cup', 22, 1450, 95),
    (11, 'PCK-HERON28', 'Heron 28 daypack', 31, 10900, 890),
    (12, 'PCK-HERON65', 'Heron 65 trekking pack', 31, 21900, 1980),
    (13, 'DRY-OTTER10', 'Otter 10 dry bag', 32, 2490, 140),
    (14, 'DRY-OTTER35', 'Otter 35 dry bag', 32, 3990, 260),
    (15, 'ROP-IBEX60', 'Ibex 60 single rope', 41, 16900, 3700),
    (16, 'ROP-IBEX40', 'Ibex 40 gym rope', 41, 10900, 2500),
    (17, 'HDW-LATCH', 'Latch carabiner', 42, 1890, 68),
    (18, 'HDW-GRIP', 'Grip belay device', 42, 7900, 172),
    (19, 'HDW-NUTS', 'Nut set', 42, 9400, 310);

INSERT INTO stock.product (sku, name, cat_id, ean, unit_cost_cents, list_price_cents, weight_g, attrs, min_qty,
                           discont_dt)
SELECT code || '-' || upper(left(colour, 3)), name || ', ' || colour, cat_id,
       '20012340' || lpad((n * 311 + v * 97)::text, 5, '0'), price * (48 + n % 9) / 100, price, weight,
       jsonb_build_object('colour', colour, 'season', seed.pick(n, '3-season', 'all year'), 'vegan', n <> 3),
       10 + n % 4 * 15,
       CASE WHEN (n + v) % 19 = 0 THEN date '2024-05-31' END
FROM seed.model CROSS JOIN (VALUES (0, 'moss'), (1, 'slate'), (2, 'rust')) AS variant (v, colour)
ORDER BY n, v;

INSERT INTO stock.supplier (name, email, phone, country_cd, lead_days, rating, is_blocked)
SELECT name, 'sales' || n || '@supplier.example.org', seed.phone(n + 800), country_cd, lead_days, rating, n = 9
FROM (VALUES
    (1, 'Hanoi Textile Works', 'VN', 75, 'A'), (2, 'Ningbo Camp Gear', 'CN', 60, 'B'),
    (3, 'Tatra Down', 'PL', 21, 'A'),          (4, 'Reps & Seile', 'AT', 14, 'A'),
    (5, 'Bohemia Metal', 'CZ', 18, 'B'),       (6, 'Alp Forge', 'CH', 12, 'A'),
    (7, 'Kattegat Plastics', 'DK', 16, 'C'),   (8, 'Shenzhen Burner', 'CN', 55, 'B'),
    (9, 'Po Valley Foam', 'IT', 20, 'C'),      (10, 'Västra Packs', 'SE', 25, NULL)
) AS s (n, name, country_cd, lead_days, rating)
ORDER BY n;

INSERT INTO stock.product_supplier
SELECT prod_id, 1 + (cat_id + source * 3) % 10, format('%s-%s', upper(left(name, 3)), 4000 + prod_id * 7 + source),
       unit_cost_cents * (100 + source * 4) / 100, 10 * (1 + prod_id % 5), source = 0
FROM stock.product CROSS JOIN generate_series(0, 1) AS source
WHERE source = 0 OR prod_id % 3 = 0
ORDER BY prod_id, source;

INSERT INTO stock.warehouse VALUES
    ('BER', 'Central warehouse', 'Berlin', 'DE', 1009, true), ('HAM', 'Harbour warehouse', 'Hamburg', 'DE', 1016, true),
    ('VIE', 'Alpine depot', 'Wien', 'AT', 1023, true),        ('RTM', 'Transit store', 'Rotterdam', 'NL', NULL, false);

INSERT INTO stock.bin
SELECT whse_cd, zone || '-' || lpad(n::text, 2, '0'), zone, CASE zone WHEN 'A' THEN 250 ELSE 600 END
FROM stock.warehouse
CROSS JOIN generate_series(1, 10) AS n
CROSS JOIN LATERAL (SELECT CASE WHEN n <= 4 THEN 'A' WHEN n <= 9 THEN 'B' ELSE 'Q' END AS zone) AS z
WHERE is_active OR n <= 2
ORDER BY whse_cd, n;

INSERT INTO stock.stock_level (whse_cd, bin_cd, prod_id, qty_on_hand, qty_rsvd, counted_dt)
SELECT whse_cd, bin_cd, prod_id, on_hand, CASE WHEN on_hand > 20 THEN prod_id % 6 ELSE 0 END,
       date '2024-01-15' + prod_id * 5 + w * 40
FROM stock.product
CROSS JOIN generate_series(0, 1) AS w
CROSS JOIN LATERAL (SELECT seed.pick(prod_id + w, 'BER', 'HAM', 'VIE'),
                           seed.pick(prod_id * 2 + w, 'A-02', 'A-03', 'A-04', 'B-05', 'B-06', 'B-07', 'B-08', 'B-09'),
                           (prod_id * 13 + w * 29) % 140) AS b (whse_cd, bin_cd, on_hand)
ORDER BY prod_id, w;

INSERT INTO stock.purchase_order
SELECT 'PO-' || 24000 + n, 1 + n * 7 % 10, seed.pick(n, 'BER', 'HAM', 'VIE'), 1010 + n % 2 * 21,
       date '2023-06-05' + n * 17, date '2023-06-05' + n * 17 + 30,
       CASE WHEN n > 28 THEN 'D' WHEN n > 25 THEN 'O' WHEN n > 23 THEN 'P' WHEN n % 11 = 0 THEN 'X' ELSE 'R' END
FROM generate_series(1, 30) AS n;

INSERT INTO stock.po_line
SELECT po_no, line_no, prod_id, qty, CASE status WHEN 'R' THEN qty WHEN 'P' THEN qty / 2 ELSE 0 END, unit_cost_cents
FROM stock.purchase_order
CROSS JOIN generate_series(1, 3) AS line_no
CROSS JOIN LATERAL (SELECT right(po_no, 2)::integer AS k) AS o
CROSS JOIN LATERAL (SELECT 20 + (k * 3 + line_no) % 7 * 10 AS qty) AS q
JOIN stock.product ON prod_id = 1 + (k * 13 + line_no * 20) % 60
WHERE line_no < 3 OR k % 2 = 0
ORDER BY po_no, line_no;

-- sales

INSERT INTO sales.promotion VALUES
    ('SPRING23', 'Ten percent at the start of the season', 'percent', 10, '2023-03-01', '2023-04-30'),
    ('TENTDAY', 'Twenty euros off a tent', 'amount', 2000, '2023-05-15', '2023-05-31'),
    ('FREESHIP', 'Free shipping in summer', 'shipping', 0, '2023-07-01', '2023-08-31'),
    ('FAIR23', 'Autumn fair, orders at the stand', 'percent', 8, '2023-10-05', '2023-10-20'),
    ('SPRING24', 'Ten percent at the start of the season', 'percent', 10, '2024-03-01', '2024-04-30'),
    ('FREESHIP24', 'Free shipping in summer', 'shipping', 0, '2024-07-01', '2024-08-31'),
    ('CLUB24', 'Fifteen percent for clubs', 'percent', 15, '2024-01-01', '2024-12-31');

INSERT INTO sales.price_list
SELECT prod_id, segment_cd, valid_from, valid_to, list_price_cents * pct / 100
FROM stock.product
CROSS JOIN (VALUES ('KEY', date '2023-01-01', date '2024-01-01', 88), ('KEY', '2024-01-01', NULL, 86),
                   ('RET', '2024-01-01', NULL, 90)) AS s (segment_cd, valid_from, valid_to, pct)
WHERE prod_id % CASE segment_cd WHEN 'KEY' THEN 5 ELSE 10 END = 0
ORDER BY prod_id, segment_cd, valid_from;

INSERT INTO sales.orders (order_no, cust_id, bill_to_addr_id, ship_to_addr_id, channel, status, ord_dt, req_dlv_dt,
                          dlv_dt, promo_cd, rep_emp_no, curr_cd, cust_ref, created_at)
SELECT format('SO-%s-%s', to_char(ord_dt, 'YY'), lpad(n::text, 4, '0')),
       c.cust_id, addr_id, CASE WHEN addr_id % 2 = 0 THEN 120 + addr_id / 2 ELSE addr_id END,
       s.channel, s.status::sales.order_status, ord_dt, ord_dt + 5 + n % 4,
       CASE WHEN s.status = 'delivered' THEN ord_dt + 4 + n % 7 END,
       (SELECT min(promo_cd) FROM sales.promotion WHERE ord_dt BETWEEN valid_from AND valid_to AND n % 3 = 0),
       CASE WHEN s.channel <> 'web' THEN acct_mgr_emp_no END,
       CASE country_cd WHEN 'CH' THEN 'CHF' WHEN 'GB' THEN 'GBP' ELSE 'EUR' END,
       CASE WHEN cust_type = 'B' AND n % 3 <> 1 THEN format('PO %s/%s', 700 + n, to_char(ord_dt, 'YYYY')) END,
       (ord_dt + time '08:10') AT TIME ZONE 'UTC' + n % 9 * interval '47 minutes'
FROM generate_series(1, 200) AS n
JOIN crm.customer AS c ON c.cust_id = 1 + n * 37 % 120
JOIN crm.address ON addr_id = c.cust_id
CROSS JOIN LATERAL (
    SELECT date '2023-01-09' + n * 3,
           CASE WHEN n = 200 THEN 'draft' WHEN n > 194 THEN 'placed' WHEN n > 189 THEN 'picking'
                WHEN n > 182 THEN 'shipped' WHEN n % 19 = 0 THEN 'cancelled' ELSE 'delivered' END,
           CASE WHEN cust_type = 'P' THEN 'web' ELSE seed.pick(n, 'phone', 'edi', 'web', 'edi', 'fair') END
) AS s (ord_dt, status, channel)
ORDER BY n;

INSERT INTO sales.order_line (order_id, line_no, prod_id, qty, unit_price_cents, disc_pct)
SELECT order_id, line_no, p.prod_id,
       CASE cust_type WHEN 'B' THEN 4 + (order_id * 5 + line_no * 3) % 17 ELSE 1 + (order_id + line_no) % 2 END,
       coalesce(price_cents, list_price_cents), CASE WHEN price_cents IS NULL THEN disc_pct ELSE 0 END
FROM sales.orders
JOIN crm.customer AS c USING (cust_id)
JOIN crm.segment AS s ON s.segment_cd = c.segment_cd
JOIN generate_series(1, 3) AS line_no ON line_no <= 1 + order_id % 3
JOIN stock.product AS p ON p.prod_id = 1 + (order_id * 11 + line_no * 17) % 60
LEFT JOIN sales.price_list AS l ON l.prod_id = p.prod_id AND l.segment_cd = c.segment_cd
                               AND ord_dt >= l.valid_from AND (l.valid_to IS NULL OR ord_dt < l.valid_to)
ORDER BY order_id, line_no;

UPDATE sales.orders SET tot_amt_cents = (
    SELECT sum(line_amt_cents) FROM sales.order_line WHERE order_line.order_id = orders.order_id);

INSERT INTO sales.shipment (order_id, whse_cd, carrier_cd, trk_no, shipped_at, weight_g, cost_cents)
SELECT order_id, seed.pick(order_id + parcel, 'BER', 'BER', 'HAM', 'VIE'), carrier_cd,
       CASE WHEN carrier_cd <> 'PICKUP' THEN carrier_cd || lpad((order_id * 7919 + parcel)::text, 10, '0') END,
       created_at + interval '2 days 4 hours' + parcel * interval '1 day', weight, 490 + weight / 20
FROM sales.orders
JOIN (SELECT order_id, sum(qty * weight_g) / 2 AS weight
      FROM sales.order_line JOIN stock.product USING (prod_id) GROUP BY order_id) AS w USING (order_id)
CROSS JOIN generate_series(0, 1) AS parcel
CROSS JOIN LATERAL (SELECT seed.pick(order_id, 'DHL', 'DHL', 'DPD', 'UPS', 'DHL', 'PICKUP') AS carrier_cd) AS c
WHERE status IN ('shipped', 'delivered') AND (parcel = 0 OR order_id % 21 = 0)
ORDER BY order_id, parcel;

INSERT INTO sales.return_reason VALUES
    ('01', 'Does not fit', true), ('02', 'Damaged in transit', false), ('03', 'Defective', false),
    ('04', 'Wrong article delivered', true), ('05', 'Changed mind (right of withdrawal)', true);

INSERT INTO sales.return_request
SELECT 'RMA' || 5000 + row_number() OVER (ORDER BY order_id), order_id, 1, '0' || 1 + order_id % 5, 1 + qty / 6,
       CASE WHEN order_id > 175 THEN 10 WHEN order_id > 160 THEN 20 WHEN order_id % 5 = 0 THEN 90 ELSE 30 END,
       dlv_dt + 6, CASE WHEN order_id <= 160 THEN 1030 END
FROM sales.orders JOIN sales.order_line USING (order_id)
WHERE status = 'delivered' AND line_no = 1 AND order_id % 7 = 4
ORDER BY order_id;

INSERT INTO stock.movement (mvmt_type, prod_id, from_whse_cd, from_bin_cd, to_whse_cd, to_bin_cd, qty, ref_doc, emp_no,
                            moved_at)
SELECT mvmt_type, prod_id,
       CASE WHEN mvmt_type IN ('PCK', 'TRF') THEN whse_cd END, CASE WHEN mvmt_type IN ('PCK', 'TRF') THEN bin_cd END,
       CASE WHEN mvmt_type <> 'PCK' THEN whse_cd END,
       CASE mvmt_type WHEN 'PCK' THEN NULL WHEN 'RET' THEN 'Q-10' WHEN 'TRF' THEN 'A-01' ELSE bin_cd END,
       qty, ref_doc, 1009 + k % 3 * 7, moved_at
FROM (SELECT 'PCK', prod_id, qty, order_no, order_id, created_at + interval '1 day'
      FROM sales.order_line JOIN sales.orders USING (order_id)
      WHERE status IN ('shipped', 'delivered') AND order_id > 130
      UNION ALL
      SELECT 'RCV', prod_id, qty_rcv, po_no, prod_id, (ordered_dt + 25 + time '11:00') AT TIME ZONE 'UTC'
      FROM stock.po_line JOIN stock.purchase_order USING (po_no) WHERE qty_rcv > 0
      UNION ALL
      SELECT 'RET', prod_id, r.qty, rma_no, order_id, (requested_dt + 4 + time '15:20') AT TIME ZONE 'UTC'
      FROM sales.return_request AS r JOIN sales.order_line USING (order_id, line_no) WHERE status > 10
      UNION ALL
      SELECT seed.pick(n, 'TRF', 'ADJ'), 1 + n * 13 % 60, 1 + n % 9, NULL, n,
             timestamptz '2024-02-01 17:00+00' + n * interval '9 days'
      FROM generate_series(1, 24) AS n) AS m (mvmt_type, prod_id, qty, ref_doc, k, moved_at)
JOIN stock.stock_level USING (prod_id)
WHERE whse_cd = seed.pick(prod_id, 'BER', 'HAM', 'VIE')
ORDER BY moved_at, ref_doc, prod_id;

-- billing

INSERT INTO billing.currency VALUES
    ('EUR', 'Euro', 1.00000, 2),            ('CHF', 'Swiss franc', 0.95200, 2),
    ('GBP', 'Pound sterling', 0.85600, 2),  ('JPY', 'Yen', 163.10000, 0);

INSERT INTO billing.invoice (inv_no, cust_id, order_id, inv_dt, due_dt, status, dun_level)
SELECT format('INV-%s-%s', to_char(inv_dt, 'YYYY'), lpad(k::text, 5, '0')), cust_id, order_id, inv_dt,
       inv_dt + pay_terms_days, s.status,
       CASE s.status WHEN 'writeoff' THEN 3 WHEN 'part' THEN 1 WHEN 'open' THEN k % 3 ELSE 0 END
FROM (SELECT order_id, cust_id, pay_terms_days, ord_dt + 2 AS inv_dt, row_number() OVER (ORDER BY order_id) AS k
      FROM sales.orders JOIN crm.customer USING (cust_id) WHERE status IN ('shipped', 'delivered')) AS o
CROSS JOIN LATERAL (SELECT CASE WHEN k % 47 = 0 THEN 'void' WHEN k % 53 = 0 THEN 'writeoff'
                                WHEN k > 160 OR k % 11 = 0 THEN 'open' WHEN k % 13 = 0 THEN 'part' ELSE 'paid' END
                   ) AS s (status)
ORDER BY k;

INSERT INTO billing.invoice_line
SELECT inv_no, line_no, order_id, line_no, qty, line_amt_cents,
       CASE WHEN country_cd = 'DE' OR is_eu AND cust_type = 'P' THEN vat_rate_pct ELSE 0 END
FROM billing.invoice
JOIN sales.order_line USING (order_id)
JOIN sales.orders USING (order_id)
JOIN crm.customer ON customer.cust_id = invoice.cust_id
JOIN crm.address ON addr_id = bill_to_addr_id
JOIN crm.country USING (country_cd)
ORDER BY inv_no, line_no;

UPDATE billing.invoice SET (net_cents, vat_cents) = (
    SELECT sum(l.net_cents), sum(round(l.net_cents * vat_rate_pct / 100))
    FROM billing.invoice_line AS l WHERE l.inv_no = invoice.inv_no);

INSERT INTO billing.bank_acct (cust_id, holder, iban, mandate_ref, signed_dt, revoked_dt)
SELECT cust_id, name, seed.iban(cust_id + 100), 'LARK-' || lpad(cust_id::text, 5, '0'),
       date '2019-03-01' + cust_id * 11, CASE WHEN cust_id % 25 = 0 THEN date '2024-04-30' END
FROM crm.customer WHERE cust_id % 3 = 0 OR cust_id % 25 = 0
ORDER BY cust_id;

INSERT INTO billing.payment (inv_no, acct_id, method, amt_cents, val_dt, card_last4, ext_ref)
SELECT inv_no, acct_id, method, gross_cents * share / 100, due_dt - 3 + order_id % 9 + instalment * 30,
       CASE WHEN method = 'card' THEN lpad((order_id * 617 % 10000)::text, 4, '0') END,
       CASE WHEN method IN ('card', 'paypal') THEN upper(left(md5(inv_no), 12)) END
FROM billing.invoice
JOIN crm.customer USING (cust_id)
LEFT JOIN billing.bank_acct USING (cust_id)
JOIN (VALUES ('paid', 0, 100), ('part', 0, 40), ('part', 1, 25)) AS p (status, instalment, share) USING (status)
CROSS JOIN LATERAL (SELECT CASE WHEN acct_id IS NOT NULL THEN 'sepa' WHEN cust_type = 'B' THEN 'transfer'
                                ELSE seed.pick(order_id / 4, 'card', 'paypal') END AS method) AS m
ORDER BY due_dt, inv_no, instalment;

INSERT INTO billing.dunning_run (run_dt, emp_no)
SELECT date '2023-04-03' + n * 91, 1015 FROM generate_series(0, 6) AS n ORDER BY n;

INSERT INTO billing.dunning_letter
SELECT run_id, inv_no, lvl, (lvl - 1) * 500, CASE lvl WHEN 3 THEN 'post' ELSE 'email' END
FROM (SELECT run_id, inv_no, dun_level, row_number() OVER (PARTITION BY inv_no ORDER BY run_dt) AS lvl
      FROM billing.dunning_run JOIN billing.invoice ON due_dt < run_dt WHERE dun_level > 0) AS d
WHERE lvl <= dun_level
ORDER BY run_id, inv_no;

INSERT INTO billing.credit_note
SELECT 'CN-' || 8000 + row_number() OVER (ORDER BY rma_no), inv_no, rma_no, line_amt_cents * r.qty / l.qty,
       requested_dt + 10
FROM sales.return_request AS r
JOIN sales.order_line AS l USING (order_id, line_no)
JOIN billing.invoice USING (order_id)
WHERE r.status = 30
ORDER BY rma_no;

-- support

INSERT INTO support.sla VALUES
    ('STD', 480, 4800, true), ('PLUS', 120, 1440, true), ('KEY', 60, 480, true), ('24X7', 30, 240, false);

INSERT INTO support.ticket (cust_id, contact_id, order_no, subject, priority, status, sla_cd, assigned_emp_no, labels,
                            opened_at, first_resp_at, closed_at)
SELECT cust_id, cust_id,
       CASE WHEN n % 17 = 0 THEN 'SO-??'
            WHEN n % 3 <> 0 THEN (SELECT min(order_no) FROM sales.orders WHERE orders.cust_id = c.cust_id) END,
       seed.pick(n, 'Where is my parcel?', 'Zip of the tent is broken', 'Invoice shows the wrong address',
                 'Stove does not light', 'Change of delivery date', 'Return label missing', 'Wrong colour delivered'),
       (CASE WHEN n % 23 = 0 THEN 'urgent' WHEN n % 6 = 0 THEN 'high' WHEN n % 5 = 0 THEN 'low'
             ELSE 'normal' END)::support.ticket_priority,
       status, CASE WHEN segment_cd = 'KEY' THEN 'KEY' WHEN n % 9 = 0 THEN 'PLUS' ELSE 'STD' END,
       CASE WHEN status <> 'new' THEN 1011 + n % 4 * 7 END,
       CASE WHEN n % 7 IN (1, 3) THEN ARRAY['warranty', 'photo-attached'] WHEN n % 7 = 0 THEN ARRAY['shipping']
            ELSE '{}' END,
       opened_at,
       CASE WHEN status <> 'new' THEN opened_at + interval '1 hour' * (1 + n % 11) END,
       CASE WHEN status IN ('solved', 'closed') THEN opened_at + interval '1 hour' * (20 + n * 7 % 90) END
FROM generate_series(1, 90) AS n
JOIN crm.customer AS c ON cust_id = 1 + n * 23 % 120
CROSS JOIN LATERAL (SELECT CASE WHEN n > 87 THEN 'new' WHEN n > 83 THEN 'open' WHEN n > 80 THEN 'waiting'
                                WHEN n > 70 THEN 'solved' ELSE 'closed' END,
                           timestamptz '2023-06-01 07:15+00' + n * interval '5 days 2 hours') AS s (status, opened_at)
ORDER BY n;

INSERT INTO support.message
SELECT ticket_no, seq_no, sender,
       CASE sender
           WHEN 'S' THEN 'Ticket was opened by the web form.'
           WHEN 'A' THEN seed.pick(ticket_no + seq_no, 'Thank you, we are looking into it.',
                                   'A replacement leaves our warehouse today.', 'Please send a photo of the damage.')
           ELSE seed.pick(ticket_no / 4, format('Please call me back at %s.', mobile), 'Still waiting.',
                          format('Write to %s, not to the old address.', email), 'That solved it, thanks!')
       END,
       sender = 'A' AND (ticket_no + seq_no) % 9 = 0,
       opened_at + (seq_no - 1) * interval '5 hours'
FROM support.ticket
JOIN crm.contact USING (contact_id)
JOIN generate_series(1, 4) AS seq_no ON seq_no <= 1 + ticket_no % 4
CROSS JOIN LATERAL (SELECT seed.pick(seq_no - 1, 'S', 'C', 'A', 'C') AS sender) AS m
ORDER BY ticket_no, seq_no;

INSERT INTO support.csat
SELECT ticket_no, 1 + (ticket_no * 7 + 3) % 5,
       CASE WHEN ticket_no % 5 = 0 THEN 'Quick and friendly.' WHEN ticket_no % 7 = 0 THEN 'Took too long.' END,
       closed_at + interval '1 day'
FROM support.ticket WHERE closed_at IS NOT NULL AND ticket_no % 2 = 0
ORDER BY ticket_no;

-- audit and leftovers

INSERT INTO audit.change_log (changed_at, schema_nm, table_nm, row_key, op, changed_by, old_row, new_row)
SELECT timestamptz '2023-03-01 06:00+00' + n * interval '80 hours', schema_nm, table_nm, 1 + n * 13 % 120, op,
       CASE WHEN n % 6 = 0 THEN 'nightly-import' ELSE work_email END,
       CASE WHEN op <> 'I' THEN jsonb_build_object(col, old_val) END,
       CASE WHEN op <> 'D' THEN jsonb_build_object(col, new_val) END
FROM generate_series(1, 200) AS n
JOIN people.employee ON emp_no = 1001 + n % 40
CROSS JOIN LATERAL (SELECT seed.pick(n, 'U', 'I', 'U', 'U', 'D') AS op) AS o
JOIN LATERAL (VALUES (0, 'crm', 'customer', 'phone', seed.phone(n), seed.phone(n + 1)),
                     (1, 'sales', 'orders', 'status', 'placed', 'picking'),
                     (2, 'billing', 'invoice', 'dun_level', '0', '1'),
                     (3, 'crm', 'address', 'line1', 'Holzweg ' || n, 'Holzweg ' || n + 2)
             ) AS t (k, schema_nm, table_nm, col, old_val, new_val) ON k = n % 4
ORDER BY n;

-- Number 1099 was never an employee.
INSERT INTO audit.login_evt (emp_no, login_nm, src_ip, ok, ua, evt_at)
SELECT CASE WHEN n % 50 = 0 THEN 1099 ELSE emp_no END, CASE WHEN n % 50 = 0 THEN 'admin' ELSE work_email END,
       ('192.0.2.' || 10 + n * 7 % 60)::inet, n % 50 <> 0 AND n % 12 <> 0,
       seed.pick(n, 'Firefox/127', 'Chrome/126', 'scanner-app/4.2'),
       timestamptz '2024-06-03 05:45+00' + n * interval '7 hours 13 minutes'
FROM generate_series(1, 160) AS n
JOIN people.employee ON emp_no = 1001 + n * 3 % 40
ORDER BY n;

INSERT INTO public.tmp_mig_2019_bak
SELECT 'K' || 400 + n * 2, upper(seed.last_name(n) || ', ' || seed.first_name(n + 3)),
       replace(seed.phone(n + 200), ' ', ''),
       CASE WHEN n % 4 <> 0 THEN lower(seed.last_name(n)) || n || '@example.org' END,
       n % 2, n * 31 % 7, seed.pick(n, 'J', 'J', 'N')
FROM generate_series(1, 30) AS n;

DROP SCHEMA seed CASCADE;


-- views ----------------------------------------------------------------------------------------------------------

CREATE VIEW crm.v_customer_live AS
SELECT cust_id, cust_no, name, cust_type, segment_cd, email, city, country_cd
FROM crm.customer
LEFT JOIN crm.address USING (cust_id)
WHERE deleted_at IS NULL AND addr_type = 'B' AND is_dflt;
COMMENT ON VIEW crm.v_customer_live IS
    'Customers that are not closed, with the billing address. Start here instead of crm.customer.';

CREATE VIEW billing.v_open_item AS
SELECT i.inv_no, i.cust_id, i.inv_dt, i.due_dt, i.gross_cents,
       i.gross_cents - coalesce(sum(p.amt_cents), 0) AS due_cents
FROM billing.invoice AS i
LEFT JOIN billing.payment AS p USING (inv_no)
WHERE i.status IN ('open', 'part')
GROUP BY i.inv_no;

CREATE VIEW sales.v_order_margin AS
SELECT o.order_id, o.order_no, o.cust_id, o.ord_dt, sum(l.line_amt_cents) AS net_cents,
       sum(l.line_amt_cents - l.qty * p.unit_cost_cents) AS margin_cents
FROM sales.orders AS o
JOIN sales.order_line AS l USING (order_id)
JOIN stock.product AS p USING (prod_id)
WHERE o.status NOT IN ('draft', 'cancelled')
GROUP BY o.order_id;

CREATE MATERIALIZED VIEW billing.mv_revenue_month AS
SELECT date_trunc('month', inv_dt)::date AS month, segment_cd, count(*) AS invoices, sum(net_cents) AS net_cents
FROM billing.invoice
JOIN crm.customer USING (cust_id)
WHERE status <> 'void'
GROUP BY 1, 2;
CREATE UNIQUE INDEX mv_revenue_month_key ON billing.mv_revenue_month (month, segment_cd);
COMMENT ON MATERIALIZED VIEW billing.mv_revenue_month IS
    'Net revenue by invoice month and segment; refreshed nightly at 03:00. The board report reads it.';


-- triggers -------------------------------------------------------------------------------------------------------

CREATE FUNCTION audit.log_customer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit.change_log (changed_at, schema_nm, table_nm, row_key, op, old_row, new_row)
    VALUES (now(), 'crm', 'customer', OLD.cust_id, left(TG_OP, 1), to_jsonb(OLD), to_jsonb(NEW));
    RETURN NULL;
END $$;
COMMENT ON FUNCTION audit.log_customer() IS 'Keeps every change of a customer, before and after.';
CREATE TRIGGER customer_logged AFTER UPDATE OR DELETE ON crm.customer
    FOR EACH ROW EXECUTE FUNCTION audit.log_customer();
COMMENT ON TRIGGER customer_logged ON crm.customer IS 'Auditors rely on it: never disable it for an import.';

ANALYZE;
