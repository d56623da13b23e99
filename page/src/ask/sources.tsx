// What an answer cites, and where the page shows it.
import {h} from "preact";
import {useApp} from "../app";
import {type Catalog, definitionLink, domainLink, joinLink, tableLink} from "../data/catalog";
import {visible} from "../text";
import {Name} from "../ui";
import type {ChatSource} from "./events";
import {passageLink} from "./link";

const DEFINITION = /\.(sql|ya?ml)$/;

/** The address of the view that shows a source; none for decisions and memories. */
function addressOf(source: ChatSource, catalog: Catalog, collection: string | undefined): string | undefined {
  const {title, url, source_filename: file, source_path: path, page_number: page} = source;
  if (catalog.tables.has(title)) return tableLink(title);
  const [one = "", other = ""] = title.split(" and ");
  if (catalog.tables.has(one) && catalog.tables.has(other)) return joinLink(one, other);
  const [, database, domain] = /^tribal:\/\/([^/]+)\/domains\/([^/?]+)$/.exec(url ?? "") ?? [];
  if (database && domain) return domainLink(decodeURIComponent(database), decodeURIComponent(domain));
  if (url) return undefined;
  if (DEFINITION.test(file)) return definitionLink(title);
  if (!collection || !/, page \d+$/.test(title)) return undefined;
  return passageLink(collection, file, page, path);
}

interface Props {
  source: ChatSource;
  collection?: string;
  /** Only the number. */
  short?: boolean;
}

export function SourceLink({source, collection, short}: Props) {
  const {catalog} = useApp();
  const address = addressOf(source, catalog, collection);
  const title = labelOf(source.title, catalog);
  const label = short ? `[${source.source_id}]` : title;
  if (!address) return short ? <span class="soft">{label}</span> : <Name>{label}</Name>;
  return (
    <a
      href={address}
      title={short ? visible(title) : undefined}
      aria-label={short ? `${label} ${visible(title)}` : undefined}
    >
      {short ? label : <Name>{label}</Name>}
    </a>
  );
}

/** Tables without their database. */
const labelOf = (title: string, catalog: Catalog) =>
  title
    .split(" and ")
    .map(name => catalog.tables.get(name)?.l ?? name)
    .join(" and ");

export function Sources({sources, collection}: {sources: ChatSource[]; collection?: string}) {
  if (!sources.length) return null;
  return (
    <ol class="sources" aria-label="Sources">
      {sources.map(source => (
        <li key={source.source_id} value={Number(source.source_id)}>
          <SourceLink source={source} collection={collection} />
        </li>
      ))}
    </ol>
  );
}
