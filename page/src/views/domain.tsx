// A domain with its tables, a database with its domains, and the map.
import {Fragment, h} from "preact";
import {useApp} from "../app";
import {type Database, type Domain, databaseLink, domainLink, type Table} from "../data/catalog";
import {ByHand} from "../editing/by_hand";
import {Pencil, Pending} from "../editing/pencil";
import {type Editable, pendingIn, useSaved} from "../editing/saved";
import {DiagramOf, MapOfDatabase} from "../graph_loading";
import {counted, cut, prose, rows, visible} from "../text";
import {Grid, Heading, kindOf, Lead, Name, Section, Sql, TableName, Text, Trail, TrailTo} from "../ui";
import {Domains} from "./home";

const LISTED_CHARS = 300;
/** Texts that rules derive from keys say less. */
const DERIVED_CHARS = 100;

export function DomainView({domain}: {domain: Domain}) {
  const named = {database: domain.b, domain: domain.n};
  const text: Editable = {named, label: `Description of the domain ${domain.h}`, shown: domain.s};
  const title: Editable = {named, field: "title", label: `Title of the domain ${domain.h}`, shown: domain.h};
  const saved = useSaved(named);
  const described = domain.tables.filter(table => table.described).length;
  return (
    <>
      <TrailTo database={domain.b} />
      <div class="with-pencil">
        <Heading>{domain.h}</Heading>
        {saved ? <Pencil text={title} /> : null}
      </div>
      <Pending>{pendingIn(saved, title)}</Pending>
      <Lead>
        {prose(domain.s)} {saved ? <Pencil text={text} /> : null}
        <Pending>{pendingIn(saved, text)}</Pending>
      </Lead>
      <p class="facts">
        <span>
          {counted(domain.tables.length, "table")}, {described} described
        </span>
        {domain.ow ? (
          <span>
            Owner <b>{visible(domain.ow)}</b>
          </span>
        ) : null}
      </p>
      <Section title="Tables">
        <TableGrid tables={domain.tables} />
      </Section>
      {domain.tables.some(table => table.connections) ? (
        <Section title="Diagram">
          <DiagramOf
            key={domain.n}
            label={`Keys between the tables of ${visible(domain.h)}`}
            start={domain.tables.map(table => table.n)}
          />
        </Section>
      ) : null}
      {domain.x?.length ? (
        <Section title="Related domains">
          <p class="chips">
            {domain.x.map(([name, keys]) => (
              <a key={name} class="chip" href={domainLink(domain.b, name)}>
                <RelatedTitle domain={domain} name={name} /> <span class="soft">{counted(keys, "key")}</span>
              </a>
            ))}
          </p>
        </Section>
      ) : null}
      {domain.j?.length ? (
        <details class="folded">
          <summary>
            <h2>Common joins</h2>
          </summary>
          {domain.j.map(join => (
            <Sql key={join}>{join}</Sql>
          ))}
        </details>
      ) : null}
      <ByHand database={domain.b} line={domain.al} where={`domains: ${domain.n}`} />
    </>
  );
}

function RelatedTitle({domain, name}: {domain: Domain; name: string}) {
  return <>{visible(useApp().catalog.domain(domain.b, name)?.h ?? name)}</>;
}

function TableGrid({tables}: {tables: Table[]}) {
  return (
    <Grid
      label="Tables of the domain"
      heads={[
        ["Table", "name"],
        ["Description", "wide"],
        ["Columns", "number"],
        ["Rows", "number"],
      ]}
      body={tables.map(table => [
        <>
          <TableName name={table.n} /> {table.k === "table" ? null : <span class="tag">{kindOf(table)}</span>}
        </>,
        table.described || !table.s ? (
          <Text>{cut(table.s ?? "", LISTED_CHARS)}</Text>
        ) : (
          <span class="soft">{prose(cut(table.s, DERIVED_CHARS))}</span>
        ),
        rows(table.columnCount),
        table.k === "view" ? "" : rows(table.r),
      ])}
    />
  );
}

export function DatabaseView({database}: {database: Database}) {
  const text: Editable = {named: {database: database.n}, label: `Database ${database.n}`, shown: database.s};
  // Callers with a schema scope cannot write here.
  const saved = useSaved(text.named);
  return (
    <>
      <Trail>{[<a href="#/">Catalog</a>, <Name>{database.n}</Name>]}</Trail>
      <Heading>{database.n}</Heading>
      <Lead>
        {prose(database.s)} {saved ? <Pencil text={text} /> : null}
        <Pending>{pendingIn(saved, text)}</Pending>
      </Lead>
      <Section title="Domains">
        <Domains database={database} />
      </Section>
      <Section title="Map">
        <MapOfDatabase database={database} />
      </Section>
      <ByHand database={database.n} where="description:" />
    </>
  );
}

export function MapView({database}: {database?: string}) {
  const {catalog} = useApp();
  const all = [...catalog.databases.values()];
  const shown = database ? all.filter(each => each.n === database) : all;
  return (
    <>
      <Trail>{[<a href="#/">Catalog</a>, "Map"]}</Trail>
      <Heading>Map</Heading>
      <Lead>Domains and the keys between them. Open a domain to see its tables.</Lead>
      {shown.map(each => (
        <Section
          key={each.n}
          title={
            <a href={databaseLink(each.n)}>
              <Name>{each.n}</Name>
            </a>
          }
        >
          <MapOfDatabase database={each} />
        </Section>
      ))}
    </>
  );
}
