// What a gap is about: a table, a column, or a word that nothing explains.
import {Fragment, h} from "preact";
import {useContext} from "preact/hooks";
import {useApp} from "../app";
import {type Catalog, type Table, tableLink} from "../data/catalog";
import {visible} from "../text";
import {Code, Name} from "../ui";
import {Pencil, Pending} from "./pencil";
import {type Editable, EditingContext, textKey} from "./saved";

const WORD = "word:";
const LAST = /^(.*)\.(?:"((?:[^"]|"")*)"|([^."]+))$/;

/** The table and column that a target names, as the server writes them. */
function readTarget(target: string, catalog: Catalog): {table?: Table; column?: string} {
  const table = catalog.tables.get(target);
  if (table) return {table};
  const [, name = "", quoted, plain] = LAST.exec(target) ?? [];
  const column = quoted === undefined ? plain : quoted.replaceAll('""', '"');
  return {table: catalog.tables.get(name), column};
}

export function TargetName({target}: {target: string}) {
  const {table, column} = readTarget(target, useApp().catalog);
  if (target.startsWith(WORD))
    return (
      <>
        the word <Code>{target.slice(WORD.length)}</Code>
      </>
    );
  if (!table) return <Name>{target}</Name>;
  return (
    <a href={tableLink(table.n, column)}>
      <Name>{column === undefined ? table.l : `${table.l}.${column}`}</Name>
    </a>
  );
}

/** A pencil for the table or column of a target; a word is defined as a term, in a file. */
export function EditTarget({target}: {target: string}) {
  const {table, column} = readTarget(target, useApp().catalog);
  if (target.startsWith(WORD)) return <span class="src">define it as a term</span>;
  return table ? <EditText table={table.n} column={column} /> : null;
}

interface EditTextProps {
  table: string;
  column?: string;
  pending?: string;
}

/** A pencil in a list, with the text that waits for the next run. */
export function EditText({table: name, column, pending}: EditTextProps) {
  const table = useApp().catalog.tables.get(name);
  const {written} = useContext(EditingContext);
  if (!table) return null;
  const label = visible(column === undefined ? table.l : `${table.l}.${column}`);
  const text: Editable = {named: {table: name}, column, label};
  return (
    <>
      <Pencil text={text} />
      <Pending>{written.get(textKey(text)) ?? pending}</Pending>
    </>
  );
}
