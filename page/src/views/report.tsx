// Reports: loaded when they are opened; the one file does not have them.
import {type ComponentChildren, Fragment, h} from "preact";
import {useApp, useLoaded} from "../app";
import {Code, Heading, Lead, Loading, Problem} from "../ui";

type Tab = [address: string, title: string];

/** Reports that belong together; the first one is in the navigation. */
export const REPORTS: Record<string, Tab[]> = {
  "To document": [
    ["#/todo", "To document"],
    ["#/proposals", "Proposals"],
    ["#/contributions", "Contributions"],
  ],
  Coverage: [
    ["#/coverage", "Coverage"],
    ["#/exam", "Exam"],
    ["#/changes", "Changes"],
  ],
};

/** The reports of the same group as tabs, with the number of what waits. */
export function ReportTabs({title}: {title: string}) {
  const {caller} = useApp();
  const waiting: Record<string, number> = {
    Proposals: caller.waiting.proposals,
    Contributions: caller.waiting.contributions,
  };
  const tabs = Object.values(REPORTS).find(each => each.some(([, other]) => other === title)) ?? [];
  return (
    <nav class="tabs" aria-label="Reports">
      {tabs.map(([address, other]) => (
        <a key={address} href={address} aria-current={other === title ? "page" : undefined}>
          {other}
          {waiting[other] ? <span class="count">{waiting[other]}</span> : null}
        </a>
      ))}
    </nav>
  );
}

interface ReportProps<Part> {
  title: string;
  /** The part that has its data. */
  part: string;
  children: (part: Part) => ComponentChildren;
}

export function Report<Part>({title, part, children}: ReportProps<Part>) {
  const {source} = useApp();
  return (
    <>
      <ReportTabs title={title} />
      <Heading>{title}</Heading>
      {source.form === "file" ? <NotInFile /> : <LoadedReport part={part}>{children}</LoadedReport>}
    </>
  );
}

/** Names the forms that have a view. */
export function NotInFile() {
  return (
    <Lead>
      This file does not have this view. The site (<Code>tribal site</Code>) and the served page (
      <Code>tribal serve</Code>) do.
    </Lead>
  );
}

export function OnlyServed() {
  return (
    <Lead>
      Only the served page has this view: run <Code>tribal serve</Code> and open its address.
    </Lead>
  );
}

function LoadedReport<Part>({part, children}: {part: string; children: (part: Part) => ComponentChildren}) {
  const {source} = useApp();
  const {value, problem} = useLoaded(part, () => source.part<Part>(part));
  if (problem) return <Problem problem={problem} />;
  return value === undefined ? <Loading /> : children(value);
}
