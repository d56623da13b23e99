// Where people correct texts by hand.
import {Fragment, h} from "preact";
import {useContext} from "preact/hooks";
import {useApp} from "../app";
import {Code} from "../ui";
import {EditingContext} from "./saved";

interface Props {
  database: string;
  /** Line of the annotations file that has its texts, or where they belong there. */
  line?: number;
  where: string;
}

export function ByHand({database, line, where}: Props) {
  const file = useApp().catalog.databases.get(database)?.f ?? "";
  if (useContext(EditingContext).edit) return null;
  return (
    <p class="foot">
      Something wrong or missing? Write it in <Code>{file}</Code>
      {line ? (
        `, line ${line}`
      ) : (
        <Fragment>
          {" "}
          under <Code>{where}</Code>
        </Fragment>
      )}
      ; your words are never overwritten.
    </p>
  );
}
