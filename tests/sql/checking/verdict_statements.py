"""A small database, and statements over it of which PostgreSQL runs some and refuses the others."""

from __future__ import annotations

SCHEMA = """
CREATE TYPE mood AS ENUM ('calm', 'wild');
CREATE TABLE keeper (id int PRIMARY KEY, name text NOT NULL, boss int REFERENCES keeper, born date, "Shift" text);
CREATE TABLE animal (
    id bigint PRIMARY KEY, keeper_id int REFERENCES keeper, name text, mood mood, moods mood[], weight numeric,
    tame boolean, size text CHECK (size IN ('S', 'M')), tags text[], facts jsonb, since timestamptz, place point
);
CREATE TABLE feeding (animal_id bigint REFERENCES animal, at timestamptz, kilos numeric) PARTITION BY RANGE (at);
CREATE TABLE feeding_2024 PARTITION OF feeding FOR VALUES FROM ('2024-01-01') TO ('2025-01-01')
    PARTITION BY LIST (kilos);
CREATE TABLE feeding_2024_rest PARTITION OF feeding_2024 DEFAULT;
CREATE FUNCTION heaviest(n int) RETURNS SETOF animal LANGUAGE sql STABLE
    AS 'SELECT * FROM animal ORDER BY weight DESC LIMIT n';
CREATE FUNCTION totals(OUT animals bigint, OUT kilos numeric) LANGUAGE sql STABLE
    AS 'SELECT count(*), sum(weight) FROM animal';
"""

_TREE = (
    "WITH RECURSIVE t AS (SELECT id, boss FROM keeper UNION ALL"
    " SELECT k.id, k.boss FROM keeper k JOIN t ON k.boss = t.id)"
)
STATEMENTS = f"""
SELECT kilos FROM feeding_2024
SELECT f.at, r.kilos FROM public.feeding_2024_rest r JOIN feeding f USING (animal_id)
SELECT r.nope FROM feeding_2024_rest r
SELECT name FROM animal WHERE size <> 'L'
SELECT name FROM animal WHERE size IS DISTINCT FROM 'L' AND size NOT IN ('L', 'S') AND NOT size = 'L'
SELECT CASE size WHEN 'L' THEN 1 END FROM animal
SELECT name FROM animal WHERE mood::text = 'angry' OR mood::text IN ('angry', 'sad')
SELECT name FROM animal WHERE mood <> 'angry'
SELECT name FROM animal WHERE mood > 'angry'
SELECT name FROM animal WHERE mood LIKE 'c%'
SELECT name FROM animal WHERE mood = ANY (ARRAY['calm'])
SELECT name FROM animal WHERE mood = ANY (ARRAY['calm']::mood[]) AND 'wild' = ANY (moods)
SELECT name FROM animal WHERE 'angry' = ANY (moods)
SELECT coalesce(mood, 'none') FROM animal
SELECT coalesce(mood::text, 'none'), nullif(mood, 'calm') FROM animal
SELECT CASE WHEN tame THEN mood ELSE 'angry' END FROM animal
SELECT 'angry'::mood, mood FROM animal
SELECT e.value, e.n FROM animal a, LATERAL jsonb_array_elements(a.facts) WITH ORDINALITY AS e(value, n)
SELECT u.tag, u.ordinality FROM animal a, unnest(a.tags) WITH ORDINALITY AS u(tag)
SELECT u.tag, u.n FROM animal a, unnest(a.tags) WITH ORDINALITY AS u(tag)
SELECT e.key, e.nope FROM animal a, jsonb_each_text(a.facts) e
SELECT g, g.g FROM generate_series(1, 3) g
SELECT g.h FROM generate_series(1, 3) g(i)
SELECT b FROM unnest(ARRAY[1, 2], ARRAY['x', 'y']) AS u(a, b)
SELECT a FROM unnest(ARRAY[1, 2], ARRAY['x', 'y']) AS u(a, b, c)
{_TREE} CYCLE id SET looped USING path SELECT id, looped, path FROM t
{_TREE} SEARCH DEPTH FIRST BY id, boss SET place CYCLE id SET looped TO 'y' DEFAULT 'n' USING path SELECT place FROM t
{_TREE} SEARCH BREADTH FIRST BY id SET place, u AS (SELECT place FROM t) SELECT place FROM u
{_TREE} CYCLE id SET looped USING path SELECT nope FROM t
{_TREE} CYCLE nope SET looped USING path SELECT id FROM t
SELECT name, weight FROM heaviest(3)
SELECT h.name, h.kilos FROM totals() h(name, kilos)
SELECT animals, kilos FROM totals()
SELECT (totals()).kilos, totals.animals FROM totals()
SELECT (a).weight + 1 FROM animal a
SELECT (a).nope FROM animal a
SELECT name FROM animal LIMIT 5, 10
SELECT [name] FROM animal
SELECT ARRAY[[1, 2], [3, 4]], tags[1], (tags)[1:2] FROM animal
SELECT name FROM animal QUALIFY row_number() OVER (ORDER BY id) = 1
SELECT `name` FROM animal
SELECT TOP 5 name FROM animal
SELECT name FROM animal WHERE name = "Max"
SELECT name, FROM animal
SELECT name FROM animal WHERE id IN (1, 2,)
SELECT name AS 'n' FROM animal
SELECT name year FROM animal
SELECT name AS year, name value, id AS order FROM animal
SELECT name FROM animal user
SELECT name FROM animal WITH (NOLOCK)
SELECT a.name FROM animal a JOIN keeper k
SELECT a.name FROM animal a CROSS JOIN keeper k NATURAL JOIN (SELECT 1 AS one) x
SELECT a.name FROM animal a JOIN keeper k JOIN keeper b ON b.id = k.boss ON k.id = a.keeper_id
SELECT name FROM animal WHERE id == 1
SELECT name REGEXP 'x' FROM animal
SELECT name ~* 'x', name !~ 'y' FROM animal
SELECT name FROM animal WHERE since > now() - INTERVAL 1 DAY
SELECT name FROM animal WHERE since > now() - INTERVAL '1 day'
SELECT CONVERT(id, CHAR) FROM animal
SELECT CAST(weight AS double), weight::signed FROM animal
SELECT weight::double precision, id::varchar(5), since::date FROM animal
SELECT * EXCLUDE (name) FROM animal
SELECT mood, count(*) FROM animal GROUP BY mood WITH ROLLUP
SELECT mood, count(*) FROM animal GROUP BY ROLLUP (mood)
SELECT name FROM animal ORDER BY id WHERE id = 1
SELECT name FROM animal ORDER BY id LIMIT 1 UNION SELECT name FROM keeper
(SELECT name FROM animal ORDER BY id LIMIT 1) UNION SELECT name FROM keeper ORDER BY name
SELECT name FROM animal UNION SELECT name FROM keeper ORDER BY lower(name)
SELECT name + ' ' + size FROM animal
SELECT 'a' + name FROM animal
SELECT name || ' ' || id, facts - 'x', facts - name FROM animal
SELECT id || weight FROM animal
SELECT upper(id) FROM animal
SELECT round(name) FROM animal
SELECT round(weight), upper(name), length(name) FROM animal
SELECT id FROM animal WHERE name
SELECT id FROM animal WHERE tame AND weight
SELECT id FROM animal WHERE lower(name) = 5
SELECT id FROM animal WHERE facts ->> 'n' > 5
SELECT id FROM animal WHERE (facts ->> 'n')::int > 5 AND tame IS NOT TRUE
SELECT id FROM animal UNION SELECT name FROM keeper
SELECT weight FROM animal UNION SELECT id FROM keeper UNION SELECT 1.5
SELECT CASE WHEN tame THEN name ELSE id END FROM animal
SELECT coalesce(name, since) FROM animal
SELECT id FROM animal WHERE keeper_id IN (SELECT name FROM keeper)
SELECT id FROM animal WHERE sum(weight) > 5
SELECT id FROM animal WHERE row_number() OVER () = 1
SELECT a.id FROM animal a JOIN keeper k ON max(k.id) = a.keeper_id
SELECT sum(sum(weight)) FROM animal
SELECT sum(sum(weight)) OVER () FROM animal GROUP BY mood
SELECT mood FROM animal GROUP BY mood HAVING rank() OVER () = 1
SELECT k.id FROM keeper k GROUP BY k.id HAVING EXISTS (SELECT 1 FROM animal a WHERE a.id = max(k.boss))
SELECT count(DISTINCT id, name) FROM animal
SELECT count(DISTINCT (id, name)), lag(id) OVER (ORDER BY id) FROM animal GROUP BY id
SELECT lag(id) FROM animal
SELECT a.*, count(*) FROM animal a GROUP BY a.id
SELECT a.*, count(*) FROM animal a GROUP BY a.mood
SELECT DISTINCT mood FROM animal ORDER BY weight
SELECT DISTINCT mood AS m, lower(name) FROM animal ORDER BY m, lower(name)
SELECT DISTINCT ON (mood) name FROM animal ORDER BY id
SELECT DISTINCT ON (mood) name FROM animal ORDER BY mood, id
SELECT id FROM keeper WHERE id IN (SELECT id, keeper_id FROM animal)
SELECT id FROM keeper WHERE (id, name) IN (SELECT id, name FROM animal) AND EXISTS (SELECT id, name FROM animal)
SELECT (SELECT id, name FROM animal) FROM keeper
SELECT id FROM keeper WHERE (id, name) = (1, 'x', 2)
WITH t(a, b) AS (SELECT id FROM animal) SELECT a FROM t
WITH t AS (SELECT 1), t AS (SELECT 2) SELECT 1 FROM t
VALUES (1, 2), (3)
SELECT U&"\\006eame" FROM keeper
SELECT circle '<(0,0),1>', @ id FROM animal
SELECT "Shift" FROM keeper
SELECT Shift FROM keeper
SELECT $1
""".strip().splitlines()
