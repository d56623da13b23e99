// The columns of a table: a line each, which opens to all that is known of it.
import {type ComponentChildren, Fragment, h} from "preact";
import {useEffect, useState} from "preact/hooks";
import {useApp} from "../app";
import {type Table, tableLink} from "../data/catalog";
import {
  type Blocked,
  EXPLAINED,
  FOREIGN,
  NULLABLE,
  type OpenQuestions,
  PRIMARY,
  SENSITIVE_IN_RECORD,
  UNIQUE,
} from "../data/types";
import {Pencil, Pending} from "../editing/pencil";
import {type Editable, pendingIn, type SavedTexts, useSaved} from "../editing/saved";
import {counted, own, prose, shortType, visible} from "../text";
import {Code, Codes, Joined, TableName} from "../ui";
import {type ColumnLine, columnLine, fromWords} from "./column_line";
import {Readers} from "./lineage";
import {BlockedQuestions} from "./questions";

/** Allowed values on the line of a column; the others are shown when it is opened. */
const CHIPS = 6;
/** From this number of columns on there is a field that filters them. */
const FILTERED = 15;
type Order = "position" | "name" | "type" | "from";

const ORDERS: Record<Order, (line: ColumnLine) => string | number> = {
  position: line => line.position,
  name: line => line.name,
  type: line => shortType(line.type),
  from: line => fromWords(line) || "\uffff",
};

interface Props {
  table: Table;
  /** The column that the address names. */
  chosen?: string;
  questions: OpenQuestions;
}

export function Columns({table, chosen, questions}: Props) {
  const [order, setOrder] = useState<Order>("position");
  const [wanted, setWanted] = useState("");
  const saved = useSaved({table: table.n});
  const lines = (table.c ?? []).map((record, position) => columnLine(record, position, table));
  const isKept = ({name, text}: ColumnLine) => `${name} ${text}`.toLowerCase().includes(wanted.trim().toLowerCase());
  const kept = lines.filter(line => line.name === chosen || isKept(line));
  const sortValue = ORDERS[order];
  const sorted = [...kept].sort((one, other) =>
    sortValue(one) < sortValue(other) ? -1 : sortValue(one) > sortValue(other) ? 1 : 0,
  );
  return (
    <>
      {lines.length > FILTERED ? (
        <p class="filter">
          <label>
            <span class="hidden">Filter columns</span>
            <input
              type="search"
              placeholder="Filter columns"
              value={wanted}
              onInput={event => setWanted(event.currentTarget.value)}
            />
          </label>
          <span class="soft" role="status">
            {wanted.trim() ? `${kept.length} of ${counted(lines.length, "column")}` : ""}
          </span>
        </p>
      ) : null}
      <table class="cols" aria-label="Columns">
        <thead>
          <tr>
            <Sorter order={order} own="name" set={setOrder}>
              Column
            </Sorter>
            <Sorter order={order} own="type" set={setOrder}>
              Type
            </Sorter>
            <th scope="col">Meaning</th>
            <Sorter order={order} own="from" set={setOrder}>
              From
            </Sorter>
          </tr>
        </thead>
        {sorted.map(line => (
          <ColumnRow
            key={line.name}
            line={line}
            table={table}
            saved={saved}
            isChosen={line.name === chosen}
            blocked={questions.find(([column]) => column === line.name)}
          />
        ))}
      </table>
    </>
  );
}

interface SorterProps {
  order: Order;
  own: Order;
  set: (order: Order) => void;
  children: string;
}

function Sorter({order, own, set, children}: SorterProps) {
  const isOn = order === own;
  return (
    <th scope="col" class={own} aria-sort={isOn ? "ascending" : undefined}>
      <button type="button" class="sort" onClick={() => set(isOn ? "position" : own)}>
        {children}
        {isOn ? " \u25b4" : ""}
      </button>
    </th>
  );
}

interface RowProps {
  line: ColumnLine;
  table: Table;
  saved?: SavedTexts;
  isChosen: boolean;
  blocked?: [string | 0, ...Blocked];
}

function ColumnRow({line, table, saved, isChosen, blocked}: RowProps) {
  const [isOpen, setOpen] = useState(isChosen);
  useEffect(() => {
    if (isChosen) setOpen(true);
  }, [isChosen]);
  const id = `column-${line.position}`;
  const editable: Editable = {
    named: {table: table.n},
    column: line.name,
    label: `${table.l}.${line.name}`,
    shown: line.text,
    isHuman: line.source === "human",
  };
  const pending = pendingIn(saved, editable);
  return (
    <tbody class={`${isOpen ? "open" : ""}${isChosen ? " chosen" : ""}`} id={id}>
      <tr>
        <td class="name">
          <button
            type="button"
            class="fold"
            aria-expanded={isOpen}
            aria-controls={`${id}-all`}
            aria-label={`More about ${visible(line.name)}`}
            onClick={() => setOpen(!isOpen)}
          />
          <a class="column" href={tableLink(table.n, line.name)}>
            <Code>{line.name}</Code>
          </a>
          <Badges line={line} />
          <Pencil text={editable} />
        </td>
        <td class="type">
          <code dir="ltr" title={visible(line.type)}>
            {visible(shortType(line.type))}
          </code>
          {line.flags & NULLABLE ? <span class="soft"> null</span> : null}
        </td>
        <td class="meaning">
          <div>{isOpen ? null : pending === undefined ? <Meaning line={line} /> : <Pending>{pending}</Pending>}</div>
        </td>
        <td class="from" title={visible(fromWords(line))}>
          {visible(fromWords(line))}
        </td>
      </tr>
      {isOpen ? (
        <tr class="all" id={`${id}-all`}>
          <td colSpan={4}>
            <ColumnFacts line={line} table={table} blocked={blocked} />
            <Pending>{pending}</Pending>
          </td>
        </tr>
      ) : null}
    </tbody>
  );
}

function Badges({line}: {line: ColumnLine}) {
  const [reference] = line.references;
  const foreign = line.flags & FOREIGN || reference;
  return (
    <span class="badges">
      {line.flags & PRIMARY ? <Badge kind="pk" text="PK" meaning="primary key" /> : null}
      {line.flags & SENSITIVE_IN_RECORD ? <span class="tag warn">sensitive</span> : null}
      {line.flags & UNIQUE ? <Badge kind="uk" text="UK" meaning="unique" /> : null}
      {foreign ? (
        reference ? (
          <a
            class={`key fk${reference.likely ? " likely" : ""}`}
            href={tableLink(reference.table, reference.column)}
            title={`${reference.likely ? "likely" : "foreign"} key to ${visible(reference.table)}`}
          >
            FK
          </a>
        ) : (
          <Badge kind="fk" text="FK" meaning="foreign key" />
        )
      ) : null}
    </span>
  );
}

function Badge({kind, text, meaning}: {kind: string; text: string; meaning: string}) {
  return (
    <abbr class={`key ${kind}`} title={meaning}>
      {text}
    </abbr>
  );
}

/** Whether a text says only what the line shows in another way: a key, an expression, or values and their meanings. */
function isSaidOtherwise(line: ColumnLine): boolean {
  if (line.values.length) return line.isListed || Object.keys(line.meanings).length > 0;
  const isShown = line.flags & PRIMARY || line.references.length || line.filled.startsWith("generated");
  return line.source === "derived" && Boolean(isShown || line.basis === "unique key");
}

/** What a column means, on its line. */
function Meaning({line}: {line: ColumnLine}) {
  const parts: ComponentChildren[] = [];
  if (line.values.length) parts.push(<Values line={line} limit={CHIPS} />);
  if (line.text && !isSaidOtherwise(line)) parts.push(<span dir="auto">{prose(line.text)}</span>);
  const [reference] = line.references;
  if (reference)
    parts.push(
      <span class="to">
        {"\u2192"} <TableName name={reference.table} />
        {reference.likely ? <span class="soft"> likely</span> : null}
      </span>,
    );
  if (line.filled.startsWith("generated: "))
    parts.push(
      <span>
        = <Code>{line.filled.slice("generated: ".length)}</Code>
      </span>,
    );
  if (!parts.length && !(line.flags & EXPLAINED))
    parts.push(<span class="gap">not described{line.filled ? ` \u00b7 default ${visible(line.filled)}` : ""}</span>);
  return <Joined by=" ">{parts}</Joined>;
}

function Values({line, limit}: {line: ColumnLine; limit?: number}) {
  const shown = limit ? line.values.slice(0, limit) : line.values;
  const more = line.values.length - shown.length;
  return (
    <span class="chips">
      {shown.map(value => (
        <span key={value} class="chip">
          <b>{visible(value)}</b>
          {own(line.meanings, value) ? ` ${visible(own(line.meanings, value))}` : ""}
        </span>
      ))}
      {more > 0 ? (
        <span class="soft">{` +${more}`}</span>
      ) : line.hasOthers ? (
        <span class="soft"> and other values</span>
      ) : null}
    </span>
  );
}

/** Why samples are hidden, and the patterns of their values. */
export function Hidden({line}: {line: ColumnLine}) {
  return (
    <Fragment>
      {visible(line.hidden)}
      {line.hidden && line.patterns.length ? ": " : ""}
      <Codes>{line.patterns}</Codes>
    </Fragment>
  );
}

/** Everything known about a column. */
interface FactsProps {
  line: ColumnLine;
  table: Table;
  blocked?: [string | 0, ...Blocked];
}

function ColumnFacts({line, table, blocked}: FactsProps) {
  const {source} = useApp();
  const facts: [string, ComponentChildren][] = [];
  if (line.text) facts.push(["Description", <span dir="auto">{prose(line.text)}</span>]);
  else if (!(line.flags & EXPLAINED)) facts.push(["Description", <span class="gap">not described</span>]);
  if (line.values.length)
    facts.push([
      "Values",
      <Fragment>
        <Values line={line} />
        {line.meaningSource ? <span class="soft">{visible(line.meaningSource)}</span> : null}
      </Fragment>,
    ]);
  facts.push([
    "Type",
    <Fragment>
      <Code>{line.type}</Code>
      {line.flags & NULLABLE ? ", may be null" : ", never null"}
      {line.filled ? (
        <Fragment>
          , {line.filled.includes(":") || line.filled.startsWith("identity") ? "" : "default "}
          <Code>{line.filled}</Code>
        </Fragment>
      ) : null}
    </Fragment>,
  ]);
  for (const {table, column, likely, why} of line.references) {
    facts.push([
      likely ? "Likely key" : "Foreign key",
      <Fragment>
        {"\u2192"} <TableName name={table} column={column} /> <span class="soft">{prose(why)}</span>
      </Fragment>,
    ]);
  }
  if (line.samples.length) facts.push(["Samples", <Codes>{line.samples}</Codes>]);
  if (line.hidden || (line.patterns.length && !line.samples.length && !line.values.length))
    facts.push([line.hidden ? "Not shown" : "Pattern", <Hidden line={line} />]);
  if (line.basis && (line.source === "model" || line.source === "derived"))
    facts.push(["Known from", visible(line.basis)]);
  if (source.form !== "file") facts.push(["Read by", <Readers table={table} column={line.name} />]);
  if (blocked) {
    const [, ...questions] = blocked;
    facts.push(["Questions", <BlockedQuestions blocked={questions} />]);
  }
  return (
    <dl class="facts-of">
      {facts.map(([name, fact], place) => (
        <Fragment key={place}>
          <dt>{name}</dt>
          <dd>{fact}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
