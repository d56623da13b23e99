// What a map shows, as a list.
import {h} from "preact";
import {useState} from "preact/hooks";
import {counted, prose, visible} from "../text";
import {TableName} from "./list";
import type {MapDomain} from "./props";

/** Every domain with its links; made when it is opened. */
export function DomainList({domains}: {domains: MapDomain[]}) {
  const [open, setOpen] = useState(false);
  return (
    <details class="g-list" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>{`As a list (${counted(domains.length, "domain")})`}</summary>
      {open && (
        <ul>
          {domains.map(domain => (
            <DomainItem key={domain.name} domain={domain} domains={domains} />
          ))}
        </ul>
      )}
    </details>
  );
}

function DomainItem({domain, domains}: {domain: MapDomain; domains: MapDomain[]}) {
  const [open, setOpen] = useState(false);
  const titles = new Map(domains.map(each => [each.name, each]));
  const links = domain.links.flatMap(([name, keys]) => {
    const other = titles.get(name);
    return other && other !== domain ? [{other, keys}] : [];
  });
  return (
    <li>
      <a href={domain.href}>{visible(domain.title)}</a> {prose(domain.description)}
      {links.length > 0 && (
        <div>
          {"Keys with "}
          {links.map(({other, keys}, number) => (
            <span key={other.name}>
              {number ? ", " : ""}
              <a href={other.href}>{visible(other.title)}</a> ({keys.toLocaleString("en-US")})
            </span>
          ))}
        </div>
      )}
      <details onToggle={event => setOpen(event.currentTarget.open)}>
        <summary>{counted(domain.tables.length, "table")}</summary>
        {open && (
          <ul>
            {domain.tables.map(table => (
              <li key={table.name}>
                <TableName table={table} />
              </li>
            ))}
          </ul>
        )}
      </details>
    </li>
  );
}
