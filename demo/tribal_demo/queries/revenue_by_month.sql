-- question: What was our revenue in each month?
-- owner: Finance
-- verified: 2026-01-01
SELECT date_trunc('month', inv_dt) AS month, sum(net_cents) / 100.0 AS net_revenue
FROM billing.invoice
WHERE status <> 'void'
GROUP BY 1
ORDER BY 1;
