-- What customers owe us.
SELECT c.cust_no, sum(i.gross_cents) AS owed_cents
FROM billing.invoice i
JOIN crm.customer c USING (cust_id)
WHERE i.status IN ('open', 'part')
GROUP BY c.cust_no;
