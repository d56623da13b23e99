// The pencil next to a description, and the text that waits for the next run.
import {Fragment, h} from "preact";
import {useContext} from "preact/hooks";
import {prose, visible} from "../text";
import {type Editable, EditingContext} from "./saved";

/** A button that opens the editor; nothing where the reader may not write. */
export function Pencil({text}: {text: Editable}) {
  const {edit} = useContext(EditingContext);
  if (!edit) return null;
  return (
    <button
      type="button"
      class="pencil"
      title="Edit"
      aria-label={`Edit ${visible(text.label)}`}
      onClick={() => edit(text)}
    >
      {"\u270e"}
    </button>
  );
}

export function Pending({children}: {children?: string}) {
  if (children === undefined) return null;
  return (
    <span class="pending">
      {children ? <span dir="auto">{prose(children)}</span> : "What people wrote is removed."}{" "}
      <span class="tag">pending until the next run</span>
    </span>
  );
}
