// Questions that are blocked because something is not documented.
import {Fragment, h} from "preact";
import type {Blocked} from "../data/types";
import {counted, rows, visible} from "../text";

/** What questions found missing, and the questions as far as they may be shown. */
export function BlockedQuestions({blocked}: {blocked: Blocked}) {
  const [count, questions, lacks] = blocked;
  const what = lacks.map(each => visible(each).replace(/\.$/, "")).join("; ");
  const more = count - questions.length;
  return (
    <>
      {what ? `${what} \u00b7 ` : ""}
      {counted(count, "question")}
      {questions.length ? (
        <ul class="inside">
          {questions.map(question => (
            <li key={question}>
              <q dir="auto">{visible(question)}</q>
            </li>
          ))}
          {more > 0 ? <li class="soft">{`and ${rows(more)} more`}</li> : null}
        </ul>
      ) : null}
    </>
  );
}
