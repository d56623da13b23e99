-- question: What do customers owe us?
-- question: Which customers have not paid their invoices?
-- owner: Finance
-- verified: 2026-01-01
SELECT c.cust_no, sum(i.gross_cents) AS owed_cents
FROM billing.invoice i
JOIN crm.customer c USING (cust_id)
WHERE i.status IN ('open', 'part')
GROUP BY c.cust_no;
