-- question: What do customers owe us?
-- question: Which customers have not paid?
-- owner: Finance
-- verified: 2026-11-01
SELECT c.name, sum(i.net_cents) AS owed_cents
FROM billing.invoice i
JOIN sales.orders o USING (order_id)
JOIN sales.customer c USING (customer_id)
WHERE i.status = 1
GROUP BY c.name;
