"""Queries over the sample company: joins along composite keys, and columns whose values are listed."""

from __future__ import annotations

COMPOSITE_KEYS = (
    "SELECT b.zone, sum(l.qty_on_hand) FROM stock.stock_level l"
    " JOIN stock.bin b ON l.whse_cd = b.whse_cd AND l.bin_cd = b.bin_cd GROUP BY b.zone",
    "SELECT m.mvmt_id, b.max_weight_kg FROM stock.movement m"
    " JOIN stock.bin b ON m.from_whse_cd = b.whse_cd AND m.from_bin_cd = b.bin_cd",
    "SELECT m.mvmt_id, b.zone FROM stock.movement m"
    " LEFT JOIN stock.bin b ON b.whse_cd = m.to_whse_cd AND b.bin_cd = m.to_bin_cd WHERE m.qty > 10",
    "SELECT r.rma_no, l.unit_price_cents FROM sales.return_request r"
    " JOIN sales.order_line l ON r.order_id = l.order_id AND r.line_no = l.line_no",
    "SELECT o.order_no, sum(r.qty) FROM sales.orders o JOIN sales.order_line l ON l.order_id = o.order_id"
    " JOIN sales.return_request r ON r.order_id = l.order_id AND r.line_no = l.line_no GROUP BY o.order_no",
    "SELECT i.inv_no, l.prod_id, i.net_cents FROM billing.invoice_line i"
    " JOIN sales.order_line l ON i.order_id = l.order_id AND i.order_line_no = l.line_no",
    "SELECT p.name, sum(i.net_cents) FROM billing.invoice_line i"
    " JOIN sales.order_line l ON l.order_id = i.order_id AND l.line_no = i.order_line_no"
    " JOIN stock.product p ON p.prod_id = l.prod_id GROUP BY p.name",
    "SELECT w.name, count(*) FROM stock.warehouse w JOIN stock.bin b ON b.whse_cd = w.whse_cd"
    " JOIN stock.stock_level l ON l.bin_cd = b.bin_cd AND l.whse_cd = b.whse_cd GROUP BY w.name",
    "WITH quarantined AS (SELECT b.whse_cd, b.bin_cd FROM stock.bin b WHERE b.zone = 'Q')"
    " SELECT sum(l.qty_on_hand) FROM stock.stock_level l"
    " JOIN quarantined q ON q.whse_cd = l.whse_cd AND q.bin_cd = l.bin_cd",
    "SELECT r.rma_no FROM sales.return_request r, sales.order_line l, stock.product p"
    " WHERE r.order_id = l.order_id AND r.line_no = l.line_no AND l.prod_id = p.prod_id",
    "SELECT f.zone AS from_zone, t.zone AS to_zone FROM stock.movement m"
    " JOIN stock.bin f ON f.whse_cd = m.from_whse_cd AND f.bin_cd = m.from_bin_cd"
    " JOIN stock.bin t ON t.whse_cd = m.to_whse_cd AND t.bin_cd = m.to_bin_cd WHERE m.mvmt_type = 'TRF'",
    "SELECT l.order_id, l.line_no FROM sales.order_line l LEFT JOIN billing.invoice_line i"
    " ON i.order_id = l.order_id AND i.order_line_no = l.line_no WHERE i.inv_no IS NULL",
)
"""Each joins by two columns."""

VALUES = (
    "SELECT sum(net_cents) FROM billing.invoice WHERE status <> 'void'",
    "SELECT inv_no FROM billing.invoice WHERE status IN ('open', 'part')",
    "SELECT count(*) FROM people.leave_request WHERE kind = 'sick' AND status = 'A'",
    "SELECT cust_id FROM crm.customer WHERE cust_type = 'B'",
    "SELECT order_no FROM sales.orders WHERE channel = 'web'",
    "SELECT order_no FROM sales.orders WHERE status = 'placed'",
    "SELECT sum(CASE WHEN method = 'sepa' THEN amt_cents ELSE 0 END) FROM billing.payment",
    "SELECT CASE zone WHEN 'Q' THEN 1 ELSE 0 END FROM stock.bin WHERE zone = 'A'",
    "SELECT t.ticket_no FROM support.ticket t WHERE t.status NOT IN ('solved', 'closed')",
    "WITH moved AS (SELECT mvmt_type AS kind, qty FROM stock.movement) SELECT sum(qty) FROM moved WHERE kind = 'PCK'",
    "SELECT c.contact_id FROM crm.contact c WHERE EXISTS (SELECT 1 FROM crm.consent s"
    " WHERE s.contact_id = c.contact_id AND s.purpose = 'newsletter')",
    "SELECT m.body FROM support.message m JOIN support.ticket t USING (ticket_no) WHERE m.sender = 'C'",
)
"""Every text literal is compared with a column that allows a list of values."""
