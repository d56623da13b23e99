// Uploads: what became of each file, and a form for more.
import {Fragment, h} from "preact";
import {useEffect, useRef, useState} from "preact/hooks";
import {useApp, useLoaded} from "../app";
import {passageLink} from "../ask/link";
import {fromServer, messageOf, sendForm} from "../data/source";
import {counted, prose, visible} from "../text";
import {Code, Grid, Problem, Section} from "../ui";

interface JobFile {
  filename: string;
  source_path?: string;
  status: string;
  reason?: string;
}

interface Job {
  job_id: string;
  filename: string;
  collection: string;
  status: "processing" | "completed" | "partial" | "failed";
  files: JobFile[];
  total_files?: number;
  removes?: string;
  error?: {message: string};
}

/** Uploads that are listed, newest first. */
const LISTED = 50;
/** A pause after which the state of uploads is asked again while one is processing. */
const LOOK_AGAIN = 1500;
const LOOK_AGAIN_LATER = 10_000;

export function Uploads() {
  const {caller, refreshCaller} = useApp();
  const [look, setLook] = useState(0);
  const [said, setSaid] = useState("");
  const {value, problem} = useLoaded(`jobs ${look}`, () =>
    fromServer<{jobs: Job[]; total: number}>(`api/admin/etl/jobs?limit=${LISTED}`),
  );
  const [jobs, setJobs] = useState<Job[]>();
  const wasBusy = useRef(false);
  useEffect(() => {
    if (value) setJobs(newestOfEach(value.jobs));
    if (!value && !problem) return;
    const isBusy = value?.jobs.some(({status}) => status === "processing") ?? true;
    if (wasBusy.current && !isBusy) refreshCaller();
    wasBusy.current = isBusy;
    if (!isBusy) return;
    const again = setTimeout(() => setLook(before => before + 1), problem ? LOOK_AGAIN_LATER : LOOK_AGAIN);
    return () => clearTimeout(again);
  }, [value, problem]);
  const collections = caller.collections.filter(([name]) => name !== "catalog");
  if (!collections.length && !jobs?.length) return null;
  const upload = (event: Event) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    setSaid("Uploading \u2026");
    sendForm<{message: string}>("api/admin/upload", new FormData(form)).then(
      ({message}) => {
        setSaid(message.replace(/;.*$/, "."));
        form.reset();
        setLook(before => before + 1);
        refreshCaller();
      },
      reason => setSaid(messageOf(reason)),
    );
  };
  return (
    <Section id="uploads" title="Uploads">
      {caller.rights.upload && collections.length ? (
        <form class="ask" onSubmit={upload}>
          <div class="field">
            <label for="file">A PDF, DOCX, Markdown, text or HTML file, or a ZIP of them</label>
            <input id="file" name="file" type="file" required accept=".zip,.pdf,.docx,.md,.txt,.html" />
          </div>
          <label class="choice">
            Collection{" "}
            <select name="collection">
              {collections.map(([name, title]) => (
                <option key={name} value={name}>
                  {visible(title)}
                </option>
              ))}
            </select>
          </label>
          <button type="submit">Upload</button>
        </form>
      ) : null}
      <p role="status">{visible(said)}</p>
      {problem ? <Problem problem={problem} /> : null}
      {jobs?.length ? <Jobs jobs={jobs} /> : <p class="soft">Nothing was uploaded yet.</p>}
      {value && jobs && value.total > jobs.length ? (
        <p class="soft">
          {counted(value.total - jobs.length, "earlier upload")}: see <Code>tribal jobs</Code>
        </p>
      ) : null}
    </Section>
  );
}

/** Of several uploads of a file, the last one. */
function newestOfEach(jobs: Job[]): Job[] {
  const seen = new Set<string>();
  return jobs.filter(({collection, filename, removes}) => {
    const key = JSON.stringify([collection, filename, removes]);
    return !seen.has(key) && seen.add(key);
  });
}

const JOB_KINDS: Record<string, string> = {completed: "good", partial: "warn", failed: "bad"};

function Jobs({jobs}: {jobs: Job[]}) {
  return (
    <Grid
      label="Uploads"
      heads={[
        ["File", "name"],
        ["Collection", ""],
        ["State", ""],
        ["Files", "wide"],
      ]}
      body={jobs.map(job => [
        <Code key={job.job_id}>{job.filename}</Code>,
        visible(job.collection),
        <span class={`tag ${JOB_KINDS[job.status] ?? ""}`}>{job.status}</span>,
        <JobFiles job={job} />,
      ])}
    />
  );
}

/** Files that are listed by name. */
const NAMED = 5;

function JobFiles({job}: {job: Job}) {
  const isDone = ({status}: JobFile) => status === "indexed" || status === "unchanged";
  const done = job.files.filter(isDone);
  const total = job.total_files ?? job.files.length;
  const ofAll = job.status === "processing" ? ` of ${total}` : "";
  return (
    <>
      {job.error ? <p class="problem">{prose(job.error.message)}</p> : null}
      {job.removes ? "removes a file" : `${done.length}${ofAll} indexed`}
      <ul class="inside">
        {done.slice(0, NAMED).map(file => (
          <li key={nameOf(file)}>
            <a href={passageLink(job.collection, file.filename, 1, file.source_path)}>{visible(nameOf(file))}</a>
          </li>
        ))}
        {done.length > NAMED ? <li class="soft">{`and ${counted(done.length - NAMED, "more file")}`}</li> : null}
        {job.files
          .filter(file => !isDone(file))
          .map(file => (
            <li key={nameOf(file)}>
              <Code>{nameOf(file)}</Code> {visible(file.status)}
              {file.reason ? `: ${visible(file.reason)}` : ""}
            </li>
          ))}
      </ul>
    </>
  );
}

const nameOf = ({filename, source_path}: JobFile) => source_path ?? filename;
