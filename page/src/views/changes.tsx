// What changed in the databases since a run that the reader picks.
import {Fragment, h} from "preact";
import {useApp} from "../app";
import type {ChangesPart, InsideChange} from "../data/types";
import {runTime, visible} from "../text";
import {Code, Difference, Grid, type Head, Lead, Name, Section, TableName} from "../ui";
import {lineDifference} from "./line_difference";
import {Report} from "./report";

const FATES: Record<string, string> = {
  added: "new",
  dropped: "gone",
  changed: "changed",
  excluded: "left out by the configuration",
  unreadable: "no longer readable",
};

export function ChangesView({since}: {since: string}) {
  const {source} = useApp();
  const isPicked = since && source.form === "server";
  return (
    <Report<ChangesPart> title="Changes" part={isPicked ? `changes?${new URLSearchParams({since})}` : "changes"}>
      {changes =>
        changes.why ? (
          <>
            <Lead>{visible(changes.why)}</Lead>
            {changes.runs.length ? <SincePicker runs={changes.runs} chosen={since} /> : null}
          </>
        ) : (
          <>
            <Lead>What is different in the databases since an earlier run.</Lead>
            <p class="facts">
              {changes.runs.length ? (
                <SincePicker runs={changes.runs} chosen={changes.before} />
              ) : (
                runTime(changes.before)
              )}{" "}
              {"\u2192"} {runTime(changes.after)}
            </p>
            {changes.databases.map(database => (
              <Section key={database.n} title={<Name>{database.n}</Name>}>
                {database.problem ? (
                  <p>Not compared: {visible(database.problem)}</p>
                ) : database.tables.length ? (
                  <ChangeGrid database={database} />
                ) : (
                  <p>Nothing has changed.</p>
                )}
              </Section>
            ))}
          </>
        )
      }
    </Report>
  );
}

function ChangeGrid({database}: {database: ChangesPart["databases"][number]}) {
  const {catalog} = useApp();
  const places = new Map(catalog.places.filter(table => table.b === database.n).map(table => [table.l, table.n]));
  const heads: Head[] = [
    ["Table", "name"],
    ["What", ""],
    ["Inside", "wide"],
  ];
  const body = database.tables.map(([label, fate, inside]) => [
    <ChangedTable key={label} label={label} name={places.get(label)} />,
    FATES[fate] ?? fate,
    <ul class="inside">
      {inside.map((change, place) => (
        <li key={place}>{insideChange(change)}</li>
      ))}
    </ul>,
  ]);
  return <Grid label={`Changes of ${visible(database.n)}`} heads={heads} body={body} />;
}

function ChangedTable({label, name}: {label: string; name?: string}) {
  return name === undefined ? <Name>{label}</Name> : <TableName name={name} />;
}

function insideChange([what, name, aspect, before, after]: InsideChange) {
  const subject = (
    <>
      {what}
      {name ? (
        <>
          {" "}
          <Code>{name}</Code>
        </>
      ) : null}
      {aspect ? ` \u00b7 ${aspect}` : null}
    </>
  );
  if (before === null && after === null) return subject;
  if (before === null)
    return (
      <>
        {subject}
        {aspect ? ": now " : " is new: "}
        <Code>{after ?? ""}</Code>
      </>
    );
  if (after === null)
    return (
      <>
        {subject}
        {aspect ? ": was " : " is gone: "}
        <Code>{before}</Code>
      </>
    );
  if (/\n/.test(before + after))
    return (
      <>
        {subject}: <Difference>{lineDifference(before, after)}</Difference>
      </>
    );
  return (
    <>
      {subject}: <Code>{before}</Code> {"\u2192"} <Code>{after}</Code>
    </>
  );
}

function SincePicker({runs, chosen}: {runs: string[]; chosen: string}) {
  return (
    <label class="choice">
      Since{" "}
      <select
        value={chosen}
        onChange={event => {
          location.hash = `#/changes/${encodeURIComponent(event.currentTarget.value)}`;
        }}
      >
        {runs.map(run => (
          <option key={run} value={run}>
            {runTime(run)}
          </option>
        ))}
      </select>
    </label>
  );
}
