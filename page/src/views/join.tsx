// How two tables are joined: by the server, by the keys of a site, or along one key in the one file.
import {Fragment, h} from "preact";
import {useEffect, useRef, useState} from "preact/hooks";
import {type App, useApp, useLoaded} from "../app";
import {type Catalog, joinLink, type Table, tableLink} from "../data/catalog";
import {fromServer} from "../data/source";
import {namesOf} from "../graph_loading";
import {joinAnswer} from "../joins/answer";
import type {JoinAnswer, KeysPart} from "../joins/types";
import type {Search} from "../search/search";
import {counted, prose, visible} from "../text";
import {Code, Codes, Heading, Joined, Lead, Loading, Name, Problem, Sql, TableName, Trail} from "../ui";

const SUGGESTED = 12;

export function JoinView({from, to, search}: {from: string; to?: string; search: Search}) {
  const {catalog, source} = useApp();
  const [start, end] = [catalog.tables.get(from), catalog.tables.get(to ?? "")];
  const missing = from && !start ? from : to && !end ? to : undefined;
  return (
    <>
      <Trail>{[<a href="#/">Catalog</a>, "Joins"]}</Trail>
      <Heading>Joins</Heading>
      {source.form === "file" ? (
        <Lead>
          This file shows the keys of each table. The site (<Code>tribal site</Code>), the served page (
          <Code>tribal serve</Code>) and <Code>tribal join</Code> find joins between any two tables.
        </Lead>
      ) : (
        <>
          <Lead>Choose two tables to see how they are joined, with the SQL for it.</Lead>
          <JoinForm key={`${from} ${to}`} from={from} to={to ?? ""} search={search} />
          {missing ? (
            <p role="status">
              There is no table <Name>{missing}</Name>. Choose one from the list.
            </p>
          ) : null}
          {start && end ? <JoinOf start={start} end={end} /> : null}
        </>
      )}
    </>
  );
}

function JoinForm({from, to, search}: {from: string; to: string; search: Search}) {
  const [texts, setTexts] = useState([from, to]);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const empty = [...(form.current?.querySelectorAll("input") ?? [])].find(field => !field.value);
    empty?.focus({preventScroll: true});
  }, []);
  const submit = (event: Event) => {
    event.preventDefault();
    const [from = "", to = ""] = texts.map(text => text.trim());
    const start = search.index.named(from);
    location.hash = joinLink(start?.n ?? from, search.index.named(to, start?.b)?.n ?? to);
  };
  const field = (place: 0 | 1, id: string, label: string) => (
    <TableField
      id={id}
      label={label}
      value={texts[place] ?? ""}
      search={search}
      onInput={text => setTexts(before => before.map((each, at) => (at === place ? text : each)))}
    />
  );
  return (
    <form class="ask" ref={form} onSubmit={submit}>
      {field(0, "from", "From table")}
      {field(1, "to", "To table")}
      <button type="submit">Find the join</button>
    </form>
  );
}

interface FieldProps {
  id: string;
  label: string;
  value: string;
  search: Search;
  onInput: (text: string) => void;
}

/** A field for the name of a table, with suggestions. */
export function TableField({id, label, value, search, onInput}: FieldProps) {
  const [options, setOptions] = useState<string[]>([]);
  const suggest = (text: string) => {
    const tables = text.trim() ? search.index.find(text).hits.filter(hit => !hit.column) : [];
    setOptions(tables.slice(0, SUGGESTED).map(hit => hit.table.n));
    onInput(text);
  };
  return (
    <span class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        autocomplete="off"
        spellcheck={false}
        placeholder={label}
        list={`${id}-tables`}
        value={value}
        onInput={event => suggest(event.currentTarget.value)}
      />
      <datalist id={`${id}-tables`}>
        {options.map(option => (
          <option key={option} value={option} />
        ))}
      </datalist>
    </span>
  );
}

async function answerOf({catalog, source}: App, start: Table, end: Table): Promise<JoinAnswer> {
  if (source.form === "server") {
    return fromServer("v1/tools/get_join_path", {source_table: start.n, target_table: end.n});
  }
  return joinAnswer(await source.part<KeysPart>("keys"), namesOf(catalog), start.place, end.place);
}

export function JoinOf({start, end}: {start: Table; end: Table}) {
  const app = useApp();
  const {value, problem} = useLoaded(`${start.n} ${end.n}`, () => answerOf(app, start, end));
  if (problem) return <Problem problem={problem} />;
  return value ? <Answer answer={value} start={start} /> : <Loading />;
}

function Answer({answer, start}: {answer: JoinAnswer; start: Table}) {
  const {catalog} = useApp();
  const warnings = answer.warnings ?? [];
  const path = answer.path ?? [];
  const alternatives = answer.alternatives ?? [];
  if (!answer.path_found) {
    return (
      <div class="join">
        <p role="status">{warnings.length ? "" : "No declared or likely keys connect the two tables."}</p>
        <Warnings texts={warnings.map(warning => warning.message)} />
      </div>
    );
  }
  const label = (name: string) => catalog.tables.get(name)?.l ?? name;
  return (
    <div class="join">
      <p role="status" class="path">
        {path.length ? `Over ${counted(path.length, "join")}: ` : "The same table: "}
        <Joined by={" \u2192 "}>
          {[start.n, ...path.map(step => step.to_table)].map(name => (
            <TableName key={name} name={name} />
          ))}
        </Joined>
      </p>
      <Warnings texts={warnings.map(warning => warning.message)} />
      <div class="box two">
        <Sql>{answer.sql_snippet ?? ""}</Sql>
        <div>
          {path
            .filter(step => step.fans_out)
            .map(step => (
              <p key={step.step}>
                <b>
                  One row of {visible(label(step.from_table))} can have many of {visible(label(step.to_table))}.
                </b>{" "}
                <span class="soft">
                  Sums over {visible(label(step.from_table))} count rows several times: aggregate first.
                </span>
              </p>
            ))}
          {path.some(step => step.fans_out) || warnings.length ? null : (
            <p class="soft">Rows of {visible(label(start.n))} stay one row each.</p>
          )}
        </div>
      </div>
      {alternatives.length ? (
        <details class="folded" open={warnings.length > 0}>
          <summary>{counted(alternatives.length, "other way")} to join them</summary>
          {alternatives.map(other => (
            <div key={other.sql_snippet}>
              <p class="soft">
                {prose((other.reasons ?? []).join("; "))}
                {other.path.some(step => step.fans_out) ? "; rows of the first table are repeated" : ""}
              </p>
              <Sql>{other.sql_snippet}</Sql>
            </div>
          ))}
        </details>
      ) : null}
    </div>
  );
}

function Warnings({texts}: {texts: string[]}) {
  if (!texts.length) return null;
  return (
    <ul class="warnings">
      {texts.map(text => (
        <li key={text}>{prose(text)}</li>
      ))}
    </ul>
  );
}

/** Tables on the chips of a table's joins. */
const NEIGHBOURS = 8;

/** The joins of a table: with one of its neighbours, or with any table. */
export function TableJoins({table, search}: {table: Table; search: Search}) {
  const {catalog, source} = useApp();
  // A site and a server answer for documented tables alone.
  const neighbours = neighboursOf(table, catalog).filter(name => source.form === "file" || catalog.tables.has(name));
  const [areAllShown, setAllShown] = useState(false);
  const [chosen, setChosen] = useState(neighbours[0] ?? "");
  const [text, setText] = useState("");
  const [unknown, setUnknown] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    const other = search.index.named(text.trim(), table.b);
    setUnknown(other ? "" : text.trim());
    if (other) setChosen(other.n);
  };
  const end = catalog.tables.get(chosen);
  return (
    <>
      <div class="join-with">
        {neighbours.length ? <span class="soft">Join with</span> : null}
        {neighbours.slice(0, areAllShown ? neighbours.length : NEIGHBOURS).map(name => (
          <button key={name} type="button" class="chip" aria-pressed={name === chosen} onClick={() => setChosen(name)}>
            <Name>{catalog.tables.get(name)?.l ?? name}</Name>
          </button>
        ))}
        {neighbours.length > NEIGHBOURS && !areAllShown ? (
          <button type="button" class="chip" onClick={() => setAllShown(true)}>
            {neighbours.length - NEIGHBOURS} more
          </button>
        ) : null}
        {source.form === "file" ? null : (
          <form onSubmit={submit}>
            <TableField id="join-with" label="Any table" value={text} search={search} onInput={setText} />
            <button type="submit">Join</button>
          </form>
        )}
      </div>
      {unknown ? (
        <p role="status">
          There is no table <Name>{unknown}</Name>.
        </p>
      ) : null}
      {source.form === "file" ? <StoredJoins table={table} other={chosen} /> : null}
      {source.form !== "file" && end ? <JoinOf start={table} end={end} /> : null}
    </>
  );
}

/** The tables that keys join to a table, without itself, the most connected first. */
function neighboursOf(table: Table, catalog: Catalog): string[] {
  const names = new Set([...(table.e ?? []), ...(table.lk ?? [])].map(([name]) => name));
  names.delete(table.n);
  const connections = (name: string) => catalog.tables.get(name)?.connections ?? 0;
  return [...names].sort((one, other) => connections(other) - connections(one));
}

/** The statements that the one file has for a neighbour. */
function StoredJoins({table, other}: {table: Table; other: string}) {
  const joins = (table.e ?? []).flatMap(([name, , , , , , sql]) => (name === other && sql ? [sql] : []));
  return (
    <>
      {joins.map(sql => (
        <Sql key={sql}>{sql}</Sql>
      ))}
      <p class="soft">
        {joins.length ? "" : "This file has no statement for this key. "}
        Joins over several tables: in the site, the served page, and <Code>{`tribal join ${table.l} OTHER`}</Code>.
      </p>
    </>
  );
}

/** All keys of a table, with what they mean. */
export function KeyList({table}: {table: Table}) {
  const keys = [
    ...(table.e ?? []).map(([name, out, own, other, text]) => ({name, out, own, other, text, likely: false})),
    ...(table.lk ?? []).map(([name, out, own, other, text]) => ({name, out, own, other, text, likely: true})),
  ];
  return (
    <ul class="keys">
      {keys.map(({name, out, own, other, text, likely}) => (
        <li key={`${name} ${out} ${own.join()} ${other.join()}`}>
          {own.map((column, place) => (
            <Fragment key={column}>
              {place ? ", " : ""}
              <a href={tableLink(table.n, column)}>
                <Code>{column}</Code>
              </a>
            </Fragment>
          ))}{" "}
          {out ? "\u2192" : "\u2190"} <TableName name={name} /> (<Codes>{other}</Codes>){" "}
          <span class="soft">
            {likely ? "likely, not declared: " : ""}
            {prose(text)}
          </span>
        </li>
      ))}
    </ul>
  );
}
