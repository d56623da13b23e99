// Lineage: what a table, or one column of it, is made from, and what reads it, with the SQL of each step.
import {type ComponentChildren, Fragment, h} from "preact";
import {useEffect, useMemo, useState} from "preact/hooks";
import {type App, useApp, useLoaded} from "../app";
import {definitionLink, type Table, tableLink} from "../data/catalog";
import {definitionsOf, type TableDefinitions} from "../data/definitions";
import {Lineage as LineageData, type LineageEdge} from "../data/lineage";
import type {LineagePart} from "../data/types";
import type {LineageFlow, LineageNode} from "../graph/props";
import {graphTable, LineageOf, namesOf} from "../graph_loading";
import {grouped} from "../grouped";
import {counted, cut, prose, visible} from "../text";
import {Code, Joined, Loading, Problem, Sql, TableName} from "../ui";

/** Steps that are followed. */
const DEPTH = 3;
/** Most tables, queries and metrics that are drawn. */
const DRAWN = 40;

interface Props {
  table: Table;
  /** The column that the address names. */
  column?: string;
  definitions: TableDefinitions;
  /** Whether the reader has come for it. */
  isChosen: boolean;
}

export function Lineage({table, column, definitions, isChosen}: Props) {
  const {source} = useApp();
  const [isOpen, setOpen] = useState(isChosen);
  useEffect(() => setOpen(before => before || isChosen), [isChosen]);
  return (
    <>
      <Reads label="Reads" read={table.rd} />
      <Reads label="Read by" read={table.rb} />
      {source.form === "file" ? null : (
        <details class="folded" open={isOpen} onToggle={event => setOpen(event.currentTarget.open)}>
          <summary>By column, with queries and metrics</summary>
          {isOpen ? (
            <Graph key={`${table.n} ${column ?? ""}`} table={table} column={column} definitions={definitions} />
          ) : null}
        </details>
      )}
      {table.v ? (
        <details class="folded" open={!table.rd && !table.rb}>
          <summary>Definition</summary>
          <Sql>{table.v}</Sql>
        </details>
      ) : null}
    </>
  );
}

function Reads({label, read}: {label: string; read?: [string[], number]}) {
  if (!read) return null;
  const [names, total] = read;
  return (
    <p>
      {label}{" "}
      <Joined>
        {names.map(name => (
          <TableName key={name} name={name} />
        ))}
      </Joined>
      {total > names.length ? ` and ${total - names.length} more` : ""}.
    </p>
  );
}

const known = new WeakMap<App["catalog"], Promise<LineageData>>();

function loadLineage({catalog, source}: App): Promise<LineageData> {
  let loading = known.get(catalog);
  if (!loading) {
    loading = source.part<LineagePart>("lineage").then(part => new LineageData(part, namesOf(catalog)));
    loading.catch(() => known.delete(catalog));
    known.set(catalog, loading);
  }
  return loading;
}

/** What reads a column directly, and the way to everything that does. */
export function Readers({table, column}: {table: Table; column: string}) {
  const app = useApp();
  const {value, problem} = useLoaded(`${table.n} ${column}`, () =>
    Promise.all([loadLineage(app), definitionsOf(app.source, table)]),
  );
  if (problem) return <Problem problem={problem} />;
  if (!value) return <Loading />;
  const [lineage, definitions] = value;
  const edges = lineage.around(table.n, column, 1);
  const views = [...new Set(edges.flatMap(({from, to}) => (from === table.n ? [to] : [])))];
  const readers = [
    ...views.map(name => <TableName key={name} name={name} />),
    ...definedReaders(definitions, column).map(({id, kind, name}) => (
      <a key={id} href={definitionLink(name)}>
        {kind} {visible(name)}
      </a>
    )),
  ];
  return (
    <>
      {readers.length ? <Joined>{readers}</Joined> : <span class="soft">nothing that is documented</span>}
      {" \u00b7 "}
      <a href={`${tableLink(table.n, column)}?section=lineage`}>Lineage</a>
    </>
  );
}

/** A step from what is read to what reads it; columns where they are known. */
interface Flow extends LineageFlow {
  pairs: LineageEdge[];
  /** SQL of a query or metric; of a view it is loaded. */
  sql?: string;
}

function Graph({table, column: named, definitions}: Omit<Props, "isChosen">) {
  const app = useApp();
  const {value, problem} = useLoaded("lineage", () => loadLineage(app));
  const [column, setColumn] = useState(named ?? "");
  const [chosen, setChosen] = useState("");
  const {nodes, flows} = useMemo(
    () =>
      value
        ? flowsOf(app, table, column, value.around(table.n, column || undefined, DEPTH), definitions)
        : {nodes: [], flows: []},
    [value, column, definitions],
  );
  if (problem) return <Problem problem={problem} />;
  if (!value) return <Loading />;
  const columns = (table.c ?? []).map(([name]) => name);
  const flow = flows.find(({id}) => id === chosen);
  const reasons = nodes.flatMap(({name}) => value.problems.get(name) ?? []);
  const drawn = nodes.slice(0, DRAWN);
  return (
    <>
      <p class="actions">
        <label class="choice">
          Column{" "}
          <select value={column} onChange={event => setColumn(event.currentTarget.value)}>
            <option value="">all</option>
            {columns.map(name => (
              <option key={name} value={name}>
                {visible(name)}
              </option>
            ))}
          </select>
        </label>
      </p>
      {flows.length ? (
        <>
          <LineageOf
            label={`Lineage of ${visible(table.l)}${column ? `.${visible(column)}` : ""}`}
            nodes={drawn}
            flows={flows}
            focus={table.n}
            chosen={chosen}
            choose={setChosen}
          />
          <p class="g-note">
            What is read is on the left. Choose a line to see its SQL.
            {nodes.length > drawn.length
              ? ` ${counted(nodes.length - drawn.length, "more table")} only in the list.`
              : ""}
          </p>
          {flow ? <FlowSql flow={flow} /> : null}
          <details class="g-list">
            <summary>As a list ({counted(flows.length, "step")})</summary>
            <ul>
              {flows.map(each => (
                <li key={each.id}>
                  {each.title} <Pairs pairs={each.pairs} />{" "}
                  <button type="button" class="quiet" onClick={() => setChosen(each.id)}>
                    Show SQL
                  </button>
                </li>
              ))}
            </ul>
          </details>
        </>
      ) : (
        <p class="soft">
          {column ? "Nothing that is documented reads this column." : "Nothing that is documented reads it."}
        </p>
      )}
      {reasons.length ? (
        <ul class="warnings">
          {reasons.map(reason => (
            <li key={reason}>Columns are not known everywhere: {prose(reason)}</li>
          ))}
        </ul>
      ) : null}
    </>
  );
}

/** The pairs of columns of a step. */
function Pairs({pairs}: {pairs: LineageEdge[]}) {
  const shown = pairs.filter(({fromColumn, toColumn}) => fromColumn || toColumn).slice(0, 8);
  const words = ({fromColumn, toColumn, via}: LineageEdge): ComponentChildren => (
    <>
      <Code>{fromColumn || "rows"}</Code> {"\u2192"} {toColumn ? <Code>{toColumn}</Code> : "which rows"}
      {via === "direct" || !toColumn ? "" : ` (${via})`}
    </>
  );
  return shown.length ? <span class="soft">({<Joined>{shown.map(words)}</Joined>})</span> : null;
}

function FlowSql({flow}: {flow: Flow}) {
  const app = useApp();
  const {value, problem} = useLoaded(flow.id, async () => flow.sql ?? (await viewSql(app, flow.to)));
  return (
    <section class="box" aria-label="SQL of the step">
      <h3>{flow.title}</h3>
      <Pairs pairs={flow.pairs} />
      {problem ? <Problem problem={problem} /> : value ? <Sql>{value}</Sql> : null}
      {value === "" ? <p class="soft">Its SQL is not documented.</p> : null}
    </section>
  );
}

async function viewSql({catalog, source}: App, name: string): Promise<string> {
  const view = catalog.tables.get(name);
  if (!view) return "";
  await source.table(view, catalog);
  return view.v ?? "";
}

/** Queries and metrics of a table, or those whose SQL names a column of it. */
function definedReaders({queries, metrics}: TableDefinitions, column: string) {
  const name = column.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const named = new RegExp(`(?<![\\p{L}\\p{N}_$])${name}(?![\\p{L}\\p{N}_$])`, "iu");
  return [
    ...queries.map(({q, f, sql}) => ({kind: "query", id: `query ${f ?? sql}`, name: q[0] ?? "", sql})),
    ...metrics.map(({n, x}) => ({kind: "metric", id: `metric ${n}`, name: n, sql: x})),
  ].filter(({sql}) => !column || named.test(sql));
}

/** The tables, queries and metrics to draw, and the steps between them. */
function flowsOf(
  {catalog}: App,
  table: Table,
  column: string,
  edges: LineageEdge[],
  definitions: TableDefinitions,
): {nodes: LineageNode[]; flows: Flow[]} {
  const label = (name: string) => visible(catalog.tables.get(name)?.l ?? name);
  // With a column, each line begins and ends at one; otherwise two tables have one line.
  const idOf = ({from, fromColumn, to, toColumn}: LineageEdge) =>
    JSON.stringify(column ? [from, fromColumn, to, toColumn] : [from, to]);
  const flows = [...grouped(edges, idOf)].flatMap(([id, pairs]): Flow[] => {
    const [first] = pairs;
    if (!first) return [];
    const ends = column ? {fromColumn: first.fromColumn, toColumn: first.toColumn} : {fromColumn: "", toColumn: ""};
    return [
      {id, from: first.from, to: first.to, ...ends, title: `${label(first.to)} reads ${label(first.from)}`, pairs},
    ];
  });
  const columnsOf = (name: string) => {
    const ends = column
      ? edges.flatMap(edge => [
          [edge.from, edge.fromColumn],
          [edge.to, edge.toColumn],
        ])
      : [];
    return [...new Set(ends.flatMap(([end, part]) => (end === name && part ? [part] : [])))].slice(0, 8);
  };
  const names = new Set([table.n, ...edges.flatMap(({from, to}) => [from, to])]);
  const nodes = [...names].map(name => ({...graphTable(catalog, name), columns: columnsOf(name)}));
  const readers = definedReaders(definitions, column);
  const definedNodes = readers.map(({kind, id, name}) => {
    return {name: id, label: cut(`${kind}: ${name}`, 40), href: definitionLink(name), columns: []};
  });
  for (const {kind, id, name, sql} of readers) {
    // Their columns are known by name alone.
    const verb = column ? "names this column of" : "reads";
    const title = `The ${kind} \u201c${visible(name)}\u201d ${verb} ${label(table.n)}`;
    flows.push({id, from: table.n, fromColumn: column, to: id, toColumn: "", title, pairs: [], sql});
  }
  // The table and what reads it first: of many, the last ones are only in the list.
  const [own, ...others] = nodes;
  return {nodes: own ? [own, ...definedNodes, ...others] : [], flows};
}
