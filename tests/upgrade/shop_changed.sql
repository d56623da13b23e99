-- What changed in the database between the two runs.
ALTER TABLE sales.customer ADD COLUMN deleted_on date;
COMMENT ON COLUMN sales.customer.deleted_on IS 'The day on which the customer asked to be deleted.';
ANALYZE;
