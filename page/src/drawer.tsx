// All databases, domains and tables, in a drawer over the page; on a phone the navigation too.
import {h} from "preact";
import {useEffect, useRef, useState} from "preact/hooks";
import {useApp} from "./app";
import {type Domain, databaseLink, domainLink, tableLink} from "./data/catalog";
import type {Route} from "./route";
import {visible} from "./text";
import {Name} from "./ui";

interface Props {
  route: Route;
  places: [address: string, title: string][];
  close: () => void;
}

export function Drawer({route, places, close}: Props) {
  const {catalog} = useApp();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    const shut = () => dialog.current?.close();
    window.addEventListener("hashchange", shut);
    return () => window.removeEventListener("hashchange", shut);
  }, []);
  const leave = (event: Event) => {
    const isBackdrop = event.target === dialog.current;
    if (isBackdrop || (event.target as Element).closest("a")) dialog.current?.close();
  };
  const table = catalog.tables.get(route.first);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog, and Enter clicks a link.
    <dialog class="drawer" aria-label="All tables" ref={dialog} onClose={close} onClick={leave}>
      <div class="inside-drawer">
        <button type="button" class="shut" onClick={() => dialog.current?.close()}>
          Close
        </button>
        <nav aria-label="Views" class="places">
          {places.map(([address, title]) => (
            <a key={address} href={address}>
              {title}
            </a>
          ))}
        </nav>
        <nav aria-label="Databases, domains and tables" id="tree">
          {[...catalog.databases.values()].map(database => (
            <div key={database.n}>
              <a class="database" href={databaseLink(database.n)}>
                <Name>{database.n}</Name>
              </a>
              <ul>
                {database.domains.map(domain => (
                  <Branch key={domain.n} domain={domain} current={route.kind === "table" ? table?.n : undefined} />
                ))}
              </ul>
            </div>
          ))}
        </nav>
      </div>
    </dialog>
  );
}

function Branch({domain, current}: {domain: Domain; current?: string}) {
  const [isOpen, setOpen] = useState(domain.tables.some(table => table.n === current));
  const names = [...domain.tables].sort((one, other) => (one.l < other.l ? -1 : 1));
  return (
    <li>
      <button
        type="button"
        class="fold"
        aria-expanded={isOpen}
        aria-label={`Tables of ${visible(domain.h)}`}
        onClick={() => setOpen(!isOpen)}
      />
      <a href={domainLink(domain.b, domain.n)}>{visible(domain.h)}</a> <span class="soft">{domain.tables.length}</span>
      {isOpen ? (
        <ul>
          {names.map(table => (
            <li key={table.n}>
              <a href={tableLink(table.n)} aria-current={table.n === current ? "page" : undefined}>
                <Name>{table.l}</Name>
              </a>
            </li>
          ))}
        </ul>
      ) : null}
    </li>
  );
}
