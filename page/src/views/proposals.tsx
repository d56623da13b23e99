// Descriptions that agents propose: they wait here until a person accepts, edits or rejects them.
import {Fragment, h} from "preact";
import {useContext, useEffect, useState} from "preact/hooks";
import {useApp, useLoaded} from "../app";
import {fromServer, messageOf, removeFromServer} from "../data/source";
import {CORRECTIONS, type Editable, EditingContext, textKey} from "../editing/saved";
import {ago, prose, visible} from "../text";
import {Code, Difference, Heading, Lead, Loading, Name, Problem, TableName} from "../ui";
import {OnlyServed, ReportTabs} from "./report";

interface Proposal {
  id: string;
  table: string;
  column?: string;
  /** What was documented when it was proposed. */
  before: string;
  description: string;
  by: string;
  at: string;
}

export function ProposalsView() {
  const {source, isCallerKnown} = useApp();
  return (
    <>
      <ReportTabs title="Proposals" />
      <Heading>Proposals</Heading>
      {source.form !== "server" ? <OnlyServed /> : isCallerKnown ? <Proposals /> : <Loading />}
    </>
  );
}

function Proposals() {
  const {caller} = useApp();
  const mayRead = caller.rights.write || caller.rights.propose;
  const {value, problem} = useLoaded(`proposals ${mayRead}`, async () =>
    mayRead ? (await fromServer<{proposals: Proposal[]}>("v1/proposals")).proposals : [],
  );
  if (!mayRead)
    return (
      <Lead>
        Seeing proposals needs the right to write or to propose descriptions: <Code>tribal serve --write</Code>
      </Lead>
    );
  if (problem) return <Problem problem={problem} />;
  if (!value) return <Loading />;
  return (
    <>
      <Lead>
        {value.length
          ? "What agents propose. None of this is documentation until you accept it."
          : "There are no proposals. Agents make them with the tool propose_description."}
      </Lead>
      {value.map(proposal => (
        <ProposalCard key={proposal.id} proposal={proposal} />
      ))}
    </>
  );
}

interface Preview {
  difference: string;
  token: string;
}

/** A proposal with what accepting it changes now, which may differ from when it was proposed. */
function ProposalCard({proposal}: {proposal: Proposal}) {
  const {refreshCaller} = useApp();
  const {edit, saved, written} = useContext(EditingContext);
  const {id, table, column, before, description, by, at} = proposal;
  const [preview, setPreview] = useState<Preview>();
  const [problem, setProblem] = useState("");
  const [isSure, setSure] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [decision, setDecision] = useState("");
  const correction = {table, words: description, ...(column === undefined ? {} : {column})};
  const isWriter = edit !== undefined;
  const show = () => {
    if (isWriter)
      fromServer<Preview>(`${CORRECTIONS}/preview`, correction).then(setPreview, reason =>
        setProblem(messageOf(reason)),
      );
  };
  useEffect(show, [id, isWriter]);
  const decide = (act: () => Promise<unknown>, message: string) => {
    setBusy(true);
    act().then(
      () => {
        setDecision(message);
        refreshCaller();
      },
      reason => {
        setBusy(false);
        setProblem(messageOf(reason));
        show();
      },
    );
  };
  const accept = async () => {
    await fromServer(CORRECTIONS, {...correction, proposal: id, token: preview?.token});
    saved(editableOf(proposal), description);
  };
  // Edited and saved in the editor.
  const isEdited = !decision && written.has(textKey(editableOf(proposal)));
  const done = decision || (isEdited ? ACCEPTED : "");
  const remove = () => removeFromServer(`v1/proposals/${encodeURIComponent(id)}`);
  return (
    <article class="box proposal">
      <h2>
        <TableName name={table} column={column} />
      </h2>
      <p class="src">
        Proposed by <Name>{by}</Name>, {ago(at)}
      </p>
      <p dir="auto">{prose(description)}</p>
      {preview?.difference ? (
        <Difference>{preview.difference}</Difference>
      ) : before ? (
        <p class="src" dir="auto">
          When it was proposed: {prose(before)}
        </p>
      ) : null}
      {problem ? (
        <p class="problem" role="alert">
          {visible(problem)}
        </p>
      ) : null}
      {/* The card stays where it is, so that no other button moves under the pointer. */}
      <p class="actions" role="status">
        {done ? (
          done
        ) : isSure ? (
          <>
            <button
              type="button"
              disabled={isBusy}
              onClick={() => decide(remove, isWriter ? "Rejected." : "Withdrawn.")}
            >
              {isWriter ? "Reject for good" : "Withdraw for good"}
            </button>
            <button type="button" onClick={() => setSure(false)}>
              Cancel
            </button>
          </>
        ) : (
          <>
            {edit ? (
              <>
                <button
                  type="button"
                  class="main"
                  disabled={isBusy || !preview}
                  onClick={() => decide(accept, ACCEPTED)}
                >
                  Accept
                </button>
                <button type="button" onClick={() => edit(editableOf(proposal))}>
                  Edit first{"\u2026"}
                </button>
              </>
            ) : null}
            <button type="button" onClick={() => setSure(true)}>
              {isWriter ? "Reject" : "Withdraw"}
            </button>
          </>
        )}
      </p>
    </article>
  );
}

const ACCEPTED = "Accepted; pending until the next run.";

const nameOf = ({table, column}: Proposal) => (column === undefined ? table : `${table}.${column}`);

const editableOf = (proposal: Proposal): Editable => ({
  named: {table: proposal.table},
  column: proposal.column,
  label: nameOf(proposal),
  proposal: {id: proposal.id, text: proposal.description},
});
