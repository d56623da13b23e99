// A page of an uploaded document, as answers cite it.
import {Fragment, h} from "preact";
import {useApp, useLoaded} from "../app";
import {passageLink} from "../ask/link";
import {fromServer} from "../data/source";
import type {PassagesPart} from "../data/types";
import type {Route} from "../route";
import {prose, visible} from "../text";
import {Heading, Lead, Loading, Problem, Trail} from "../ui";

export function PassageView({route}: {route: Route}) {
  const {source} = useApp();
  const collection = route.first;
  const file = route.second ?? "";
  const path = route.query.get("path") ?? undefined;
  const page = route.query.get("page") ?? "1";
  const query = new URLSearchParams({collection, file, page, ...(path ? {path} : {})});
  const {value, problem} = useLoaded(String(query), async () => {
    if (source.form !== "server") throw new Error("uploaded documents are in the served page only");
    return fromServer<PassagesPart>(`v1/page/passages?${query}`);
  });
  return (
    <>
      <Trail>{[<a href="#/ask">Ask</a>, visible(collection)]}</Trail>
      <Heading>{path ?? file}</Heading>
      {problem ? <Problem problem={problem} /> : null}
      {value ? (
        <>
          <Lead>
            Page {value.page} of {value.pages}, as it was indexed.
          </Lead>
          <Pages value={value} collection={collection} path={path} />
          {value.truncated ? <p class="soft">Only the beginning of this page is shown.</p> : null}
          <div class="box">
            {value.passages.map((text, place) => (
              <p key={place} class="passage" dir="auto">
                {prose(text)}
              </p>
            ))}
          </div>
        </>
      ) : problem ? null : (
        <Loading />
      )}
    </>
  );
}

function Pages({value, collection, path}: {value: PassagesPart; collection: string; path?: string}) {
  const {file, page, pages} = value;
  if (pages < 2) return null;
  return (
    <p class="actions">
      {page > 1 ? (
        <a class="button" href={passageLink(collection, file, page - 1, path)}>
          Previous page
        </a>
      ) : null}
      {page < pages ? (
        <a class="button" href={passageLink(collection, file, page + 1, path)}>
          Next page
        </a>
      ) : null}
    </p>
  );
}
