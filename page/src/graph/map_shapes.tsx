// The shapes of a map: domains, the lines between them, and the tables of an open domain.
import {h} from "preact";
import type {Keys} from "../data/keys";
import {counted, cut, prose, visible} from "../text";
import {type Band, type DomainBox, type DomainLine, PAD} from "./map_layout";
import {fitted} from "./measure";
import type {GraphTable} from "./props";
import {Shape, Text, tableTitle} from "./shapes";

/** A line, with the number of its keys where it is lit. */
export function LineShape({line: {domains, keys, path, middle}, state}: {line: DomainLine; state: string}) {
  const number = state === " g-lit" && keys > 1 ? keys.toLocaleString("en-US") : "";
  return (
    <g class={`g-link${state}`}>
      <title>{`${domains.map(({title}) => visible(title)).join(" and ")}: ${counted(keys, "key")}`}</title>
      <path d={path} stroke-width={Math.min(9, 1 + Math.log2(keys))} />
      <Text class="g-number" x={middle.x} y={middle.y + 4} text-anchor="middle" text={number} />
    </g>
  );
}

interface DomainProps {
  box: DomainBox;
  state: string;
  isOpen: boolean;
  /** Shows the tables; without it, a link leads to the domain. */
  onOpen?: () => void;
  onPoint: (isPointed: boolean) => void;
}

export function DomainShape({box: {domain, title, lines, ...at}, state, isOpen, onOpen, onPoint}: DomainProps) {
  const description = domain.description && `: ${prose(cut(domain.description, 300))}`;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    onOpen?.();
  };
  const action = {role: "button", tabIndex: 0, "aria-expanded": isOpen, onClick: onOpen, onKeyDown};
  return (
    <Shape
      class={`g-domain${isOpen ? " g-own" : ""}${state}`}
      at={at}
      rx={9}
      title={`${visible(domain.title)}${description} (${counted(domain.tables.length, "table")})`}
      onPoint={onPoint}
      {...(onOpen ? action : {href: domain.href})}
    >
      <Text class="g-title" x={PAD} y={20} text={title} />
      {lines.map((line, number) => (
        <Text key={number} class="g-type" x={PAD} y={38 + number * 17} text={line} />
      ))}
    </Shape>
  );
}

interface BandProps {
  band: Band;
  keys: Keys | undefined;
  /** The table that is pointed at or has the focus, and all that keys join it to. */
  table: GraphTable | undefined;
  joined: Set<string>;
  found: GraphTable | undefined;
  onTable: (table?: GraphTable) => void;
}

/** The tables of an open domain, in a frame with a point towards it. */
export function BandView({band: {box, chips, y, width, height}, keys, table, joined, found, onTable}: BandProps) {
  const {title, tables, href} = box.domain;
  const middle = Math.min(Math.max(box.x + box.width / 2, 26), width - 26);
  const shown = chips.length < tables.length ? `${chips.length} of ` : "";
  const heading = fitted(`${visible(title)}, ${shown}${counted(tables.length, "table")}`, width - 150, "title");
  const state = (each: GraphTable) => {
    if (each === found) return " g-found";
    return joined.has(each.name) ? " g-lit" : table && each !== table ? " g-faint" : "";
  };
  return (
    <g>
      <rect class="g-open-band" y={y} width={width} height={height} rx={9} />
      <path class="g-open-band" d={`M${middle - 10} ${y}l10 -11l10 11`} />
      <Text class="g-title" x={PAD + 2} y={y + 25} text={heading} />
      <a class="g-more" href={href}>
        <Text x={width - PAD - 2} y={y + 25} text-anchor="end" text="Open the domain" />
      </a>
      {chips.map(chip => (
        <Shape
          key={chip.table.name}
          class={`g-chip${state(chip.table)}`}
          at={chip}
          rx={6}
          title={tableTitle(chip.table)}
          href={chip.table.href}
          onPoint={isPointed => onTable(isPointed ? chip.table : undefined)}
        >
          <Text class="g-column" x={8} y={16.5} text={chip.text} />
          <Text class="g-type" x={chip.width - 8} y={16.5} text-anchor="end" text={keys?.of(chip.table.name).length} />
        </Shape>
      ))}
    </g>
  );
}
