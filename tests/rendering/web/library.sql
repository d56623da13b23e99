-- Tables joined in every way that the search weighs: keys of several columns, several keys to one table, junctions,
-- extensions, hubs, self-references, and names that need quotes.
CREATE SCHEMA stock;
CREATE SCHEMA people;
CREATE SCHEMA "Front Desk";
CREATE TABLE people.tenant (id bigint PRIMARY KEY, name text);
CREATE TABLE people.branch (id bigint PRIMARY KEY, tenant_id bigint NOT NULL REFERENCES people.tenant, city text);
CREATE TABLE people.staff (
  id bigint PRIMARY KEY, tenant_id bigint NOT NULL REFERENCES people.tenant, branch_id bigint REFERENCES people.branch,
  manager_id bigint REFERENCES people.staff, name text
);
CREATE TABLE people.member (
  id bigint PRIMARY KEY, tenant_id bigint NOT NULL REFERENCES people.tenant,
  home_branch_id bigint REFERENCES people.branch, guardian_id bigint REFERENCES people.member, name text
);
CREATE TABLE people.member_card (
  member_id bigint PRIMARY KEY REFERENCES people.member, printed_by bigint REFERENCES people.staff, code text
);
CREATE TABLE people.member_consent (
  id bigint PRIMARY KEY, member_id bigint NOT NULL UNIQUE REFERENCES people.member, kind text
);
CREATE TABLE stock.publisher (
  id bigint PRIMARY KEY, tenant_id bigint NOT NULL REFERENCES people.tenant,
  parent_publisher_id bigint REFERENCES stock.publisher, name text
);
CREATE TABLE stock.title (
  id bigint PRIMARY KEY, tenant_id bigint NOT NULL REFERENCES people.tenant,
  publisher_id bigint NOT NULL REFERENCES stock.publisher, original_title_id bigint REFERENCES stock.title, name text
);
CREATE TABLE stock.author (id bigint PRIMARY KEY, tenant_id bigint NOT NULL REFERENCES people.tenant, name text);
CREATE TABLE stock.title_author (
  title_id bigint REFERENCES stock.title, author_id bigint REFERENCES stock.author, PRIMARY KEY (title_id, author_id)
);
CREATE TABLE stock.title_translator (
  title_id bigint REFERENCES stock.title, author_id bigint REFERENCES stock.author, language text,
  PRIMARY KEY (title_id, author_id)
);
CREATE TABLE stock.subject (id bigint PRIMARY KEY, parent_id bigint REFERENCES stock.subject, name text);
CREATE TABLE stock.title_subject (
  id bigint PRIMARY KEY, title_id bigint NOT NULL REFERENCES stock.title,
  subject_id bigint NOT NULL REFERENCES stock.subject, added_by bigint REFERENCES people.staff
);
CREATE TABLE stock.shelf (
  branch_id bigint REFERENCES people.branch, shelf_no int, subject_id bigint REFERENCES stock.subject,
  PRIMARY KEY (branch_id, shelf_no)
);
CREATE TABLE stock.copy (
  branch_id bigint REFERENCES people.branch, copy_no int, title_id bigint NOT NULL REFERENCES stock.title,
  shelf_no int, tenant_id bigint NOT NULL REFERENCES people.tenant, PRIMARY KEY (branch_id, copy_no),
  FOREIGN KEY (branch_id, shelf_no) REFERENCES stock.shelf
);
CREATE TABLE stock.repair (
  id bigint PRIMARY KEY, branch_id bigint NOT NULL, copy_no int NOT NULL, done_by bigint REFERENCES people.staff,
  FOREIGN KEY (branch_id, copy_no) REFERENCES stock.copy
);
CREATE TABLE "Front Desk"."Loan" (
  id bigint PRIMARY KEY, tenant_id bigint NOT NULL REFERENCES people.tenant, "from" bigint NOT NULL, copy_no int NOT NULL,
  member_id bigint NOT NULL REFERENCES people.member, lent_by_staff_id bigint NOT NULL REFERENCES people.staff,
  returned_to_staff_id bigint REFERENCES people.staff, "returned Branch" bigint REFERENCES people.branch,
  FOREIGN KEY ("from", copy_no) REFERENCES stock.copy
);
CREATE TABLE "Front Desk"."order" (
  id bigint PRIMARY KEY, tenant_id bigint NOT NULL REFERENCES people.tenant,
  title_id bigint NOT NULL REFERENCES stock.title, for_member_id bigint REFERENCES people.member,
  "user" bigint REFERENCES people.staff
);
CREATE TABLE "Front Desk".fine (
  id bigint PRIMARY KEY, tenant_id bigint NOT NULL REFERENCES people.tenant,
  loan_id bigint NOT NULL REFERENCES "Front Desk"."Loan", waived_by bigint REFERENCES people.staff, cents int
);
CREATE TABLE "Front Desk".fine_payment (
  fine_id bigint, payment_no int, branch_id bigint, copy_no int, PRIMARY KEY (fine_id, payment_no),
  FOREIGN KEY (fine_id) REFERENCES "Front Desk".fine, FOREIGN KEY (branch_id, copy_no) REFERENCES stock.copy
);
CREATE TABLE "Front Desk".loan_history (
  id bigint PRIMARY KEY, tenant_id bigint NOT NULL REFERENCES people.tenant,
  loan_id bigint NOT NULL REFERENCES "Front Desk"."Loan", member_id bigint NOT NULL REFERENCES people.member, at timestamptz
);
CREATE TABLE people.opening_hour (weekday int PRIMARY KEY, opens time);
CREATE TABLE people.holiday (day date PRIMARY KEY, opening_weekday int, branch_city text);
