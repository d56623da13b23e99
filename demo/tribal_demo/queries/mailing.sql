-- Whom to write to in December.
SELECT mail
FROM public.tmp_mig_2019_bak;
