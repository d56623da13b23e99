// Control characters, and marks that change the direction of writing, are shown as text.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
// Sentences may use joiners, but must not change the direction of the text next to them.
const TURNING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Names and code as they are shown: control characters and marks of direction become readable. */
export function visible(text: unknown): string {
  return String(text).replace(
    UNSEEN,
    mark => `\u27e8U+${mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}\u27e9`,
  );
}

/** Sentences as they are shown. */
export function prose(text: string | undefined): string {
  return String(text ?? "").replace(TURNING, visible);
}

/** At most `limit` characters, the last of which shows that there are more. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const characters = Array.from(text);
  return characters.length > limit ? `${characters.slice(0, limit - 1).join("")}\u2026` : text;
}

const plural = (noun: string) => (/[^aeo]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`);

/** A number with its noun, such as "1 table" and "1,200 tables". */
export function counted(number: number, noun: string): string {
  return `${number.toLocaleString("en-US")} ${number === 1 ? noun : plural(noun)}`;
}

/** A number of rows, which may be unknown. */
export function rows(number: number | undefined): string {
  return number === undefined || number < 0 ? "unknown" : number.toLocaleString("en-US");
}

/** A part of a whole in percent; 0 and 100 only where they are exact. */
export function share(part: number, whole: number): string {
  if (!whole) return "\u2013";
  const percent = Math.round((100 * part) / whole);
  return `${part && part < whole ? Math.min(99, Math.max(1, percent)) : percent} %`;
}

const DAY = 86_400_000;

/** How long ago something was. */
export function ago(time: string): string {
  const days = Math.floor(Date.now() / DAY) - Math.floor(Date.parse(time) / DAY);
  if (!(days >= 0)) return time;
  return days === 0 ? "today" : days === 1 ? "yesterday" : `${counted(days, "day")} ago`;
}

/** A date for people, such as "29 Nov 2026". */
export function day(time: string): string {
  const date = new Date(`${time.slice(0, 10)}T00:00:00Z`);
  if (Number.isNaN(date.getTime())) return time;
  return date.toLocaleDateString("en-GB", {day: "numeric", month: "short", year: "numeric", timeZone: "UTC"});
}

/** A date with its time, such as "29 Nov 2026, 10:15 UTC". */
export const moment = (time: string) => `${day(time)}, ${time.slice(11, 16)} UTC`;

/** When a run began, which its id starts with: "20261130T075338Z-e893f5". */
export function runTime(id: string): string {
  const parts = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})/.exec(id);
  return parts ? `${day(parts.slice(1, 4).join("-"))}, ${parts.slice(4).join(":")} UTC` : id;
}

const SHORT_TYPES: [RegExp, string][] = [
  [/^character varying(?=$|[ ([])/, "varchar"],
  [/^character(?=$|[([])/, "char"],
  [/^timestamp(\(\d+\))? without time zone/, "timestamp$1"],
  [/^timestamp(\(\d+\))? with time zone/, "timestamptz$1"],
  [/^time(\(\d+\))? without time zone/, "time$1"],
  [/^time(\(\d+\))? with time zone/, "timetz$1"],
  [/^double precision(?=$|[ ([])/, "double"],
  [/^integer(?=$|[ ([])/, "int"],
  [/^boolean(?=$|[ ([])/, "bool"],
];

/** A type as people write it: `varchar(14)` for `character varying(14)`. */
export function shortType(type: string): string {
  for (const [long, short] of SHORT_TYPES) if (long.test(type)) return type.replace(long, short);
  return type;
}

/** A value of an object that came as JSON; names such as `constructor` are no values. */
export function own<Value>(values: {[name: string]: Value} | undefined | 0, name: string): Value | undefined {
  return values && Object.hasOwn(values, name) ? values[name] : undefined;
}
