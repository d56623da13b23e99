// Descriptions that agents propose: they wait here until a person accepts, edits or rejects them.
import {Fragment, h} from "preact";
import {useContext, useEffect, useRef, useState} from "preact/hooks";
import {useApp, useLoaded} from "../app";
import {fromServer, messageOf, removeFromServer} from "../data/source";
import {CORRECTIONS, type Editable, EditingContext} from "../editing/saved";
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
  const {caller, refreshCaller} = useApp();
  const {written} = useContext(EditingContext);
  const [decided, setDecided] = useState(0);
  const [said, setSaid] = useState("");
  const mayRead = caller.rights.write || caller.rights.propose;
  const {value, problem} = useLoaded(`proposals ${written.size} ${decided} ${mayRead}`, async () =>
    mayRead ? (await fromServer<{proposals: Proposal[]}>("v1/proposals")).proposals : [],
  );
  // The list before stays while the next one is loaded.
  const last = useRef<Proposal[]>(undefined);
  last.current = value ?? last.current;
  if (!mayRead)
    return (
      <Lead>
        Seeing proposals needs the right to write or to propose descriptions: <Code>tribal serve --write</Code>
      </Lead>
    );
  if (problem) return <Problem problem={problem} />;
  if (!last.current) return <Loading />;
  const done = (message: string) => {
    setSaid(message);
    setDecided(before => before + 1);
    refreshCaller();
    document.querySelector<HTMLElement>("main h1")?.focus({preventScroll: true});
  };
  return (
    <>
      <Lead>
        {last.current.length
          ? "What agents propose. None of this is documentation until you accept it."
          : "There are no proposals. Agents make them with the tool propose_description."}
      </Lead>
      <p role="status">{visible(said)}</p>
      {last.current.map(proposal => (
        <ProposalCard key={proposal.id} proposal={proposal} done={done} />
      ))}
    </>
  );
}

interface Preview {
  difference: string;
  token: string;
}

interface CardProps {
  proposal: Proposal;
  /** Called with a message once it is decided. */
  done: (message: string) => void;
}

/** A proposal with what accepting it changes now, which may differ from when it was proposed. */
function ProposalCard({proposal, done}: CardProps) {
  const {edit, saved} = useContext(EditingContext);
  const {id, table, column, before, description, by, at} = proposal;
  const [preview, setPreview] = useState<Preview>();
  const [problem, setProblem] = useState("");
  const [isSure, setSure] = useState(false);
  const [isBusy, setBusy] = useState(false);
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
      () => done(`${message} ${nameOf(proposal)}.`),
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
      <p class="actions">
        {isSure ? (
          <>
            <button type="button" disabled={isBusy} onClick={() => decide(remove, isWriter ? "Rejected" : "Withdrew")}>
              {isWriter ? "Reject for good" : "Withdraw for good"}
            </button>
            <button type="button" onClick={() => setSure(false)}>
              Keep it
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
                  onClick={() => decide(accept, "Accepted, and pending until the next run:")}
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

const nameOf = ({table, column}: Proposal) => (column === undefined ? table : `${table}.${column}`);

const editableOf = (proposal: Proposal): Editable => ({
  named: {table: proposal.table},
  column: proposal.column,
  label: nameOf(proposal),
  proposal: {id: proposal.id, text: proposal.description},
});
