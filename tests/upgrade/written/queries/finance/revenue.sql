-- question: How much did we bill each month?
-- owner: Finance
-- verified: 2026-10-15
-- Void invoices do not count.
SELECT date_trunc('month', due_on) AS month, sum(net_cents) / 100.0 AS revenue
FROM billing.invoice
WHERE status <> 9
GROUP BY 1;
