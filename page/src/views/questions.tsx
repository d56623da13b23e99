// Questions that are blocked because something is not documented, and answers that were marked as wrong.
import {Fragment, h} from "preact";
import {useContext, useState} from "preact/hooks";
import {useApp} from "../app";
import {askLink} from "../ask/link";
import {messageOf} from "../data/source";
import type {Blocked, Mark} from "../data/types";
import {EditingContext} from "../editing/saved";
import {counted, day, prose, rows, visible} from "../text";
import {Name} from "../ui";

/** What questions found missing, and the questions as far as they may be shown. */
export function BlockedQuestions({blocked}: {blocked: Blocked}) {
  const [count, questions, lacks, marks = []] = blocked;
  const what = lacks.map(each => visible(each).replace(/\.$/, "")).join("; ");
  const more = count - questions.length;
  return (
    <>
      {count ? (
        <>
          {what ? `${what} \u00b7 ` : ""}
          {counted(count, "question")}
        </>
      ) : null}
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
      {marks.map(mark => (
        <MarkedAnswer key={mark[0]} mark={mark} />
      ))}
    </>
  );
}

/** An answer that someone marked as wrong, until someone closes the mark. */
function MarkedAnswer({mark: [id, question, why, by, date]}: {mark: Mark}) {
  const {caller} = useApp();
  const {closedMarks, closeMark} = useContext(EditingContext);
  const [problem, setProblem] = useState("");
  const close = () => closeMark(id).catch(reason => setProblem(messageOf(reason)));
  if (closedMarks.has(id))
    return (
      <p class="soft" role="status">
        The mark is closed.
      </p>
    );
  return (
    <div class="mark">
      <p dir="auto">
        Marked as wrong: {prose(why)}{" "}
        <span class="src">
          the answer to <a href={askLink(question)}>{visible(question)}</a>, by <Name>{by}</Name> on {day(date)}
        </span>
      </p>
      {caller.rights.interrogate ? (
        <button type="button" onClick={close}>
          Close this mark
        </button>
      ) : null}
      {problem ? <p role="alert">{visible(problem)}</p> : null}
    </div>
  );
}
