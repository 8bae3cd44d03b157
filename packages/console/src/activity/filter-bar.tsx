import type { ReactElement } from "react";
import { TypedField } from "../page/typed-field.tsx";
import { CHOICES, type ChoiceName, type FilterName, type Filters, SINCE } from "./filter.ts";

interface Props {
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
}

const LABELS: Readonly<Record<FilterName, string>> = {
  type: "Type",
  server: "Server",
  tool: "Tool",
  direction: "Direction",
  decision: "Decision",
  status: "Status",
  outcome: "Outcome",
  client: "Client",
  session: "Session",
  request: "Request",
  since: "Since",
  until: "Until",
};
const HINTS: Readonly<Partial<Record<FilterName, string>>> = {
  since: "24h, or 2026-01-31T12:00:00Z",
  until: "15m, or 2026-01-31T12:00:00Z",
  session: "its id or its hash",
};

function Choice(props: {
  readonly name: ChoiceName;
  readonly value: string;
  readonly onChange: (value: string) => void;
}): ReactElement {
  const { name, value, onChange } = props;
  const choices = CHOICES[name];
  // An address may hold several, joined by commas.
  const all = value === "" || choices.includes(value) ? choices : [...choices, value];
  return (
    <label>
      {LABELS[name]}
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">any</option>
        {all.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    </label>
  );
}

const SINCE_LIST = "since-choices";

/** The filters. All hold at once. */
export function FilterBar({ filters, onChange }: Props): ReactElement {
  const set = (name: FilterName) => (value: string) => onChange({ ...filters, [name]: value });
  const typed = (name: FilterName, list?: string): ReactElement => (
    <TypedField
      label={LABELS[name]}
      placeholder={HINTS[name] ?? "any"}
      value={filters[name] ?? ""}
      onChange={set(name)}
      {...(list === undefined ? {} : { list })}
    />
  );
  const choice = (name: ChoiceName): ReactElement => (
    <Choice name={name} value={filters[name] ?? ""} onChange={set(name)} />
  );
  const rare = ["decision", "outcome", "session", "request", "until"] as const;
  return (
    <search className="filters" aria-label="Filters">
      <div className="fields">
        {choice("type")}
        {typed("server")}
        {typed("tool")}
        {choice("status")}
        {choice("direction")}
        {typed("since", SINCE_LIST)}
        <datalist id={SINCE_LIST}>
          {SINCE.map((since) => (
            <option key={since} value={since} />
          ))}
        </datalist>
      </div>
      <details open={rare.some((name) => filters[name] !== undefined)}>
        <summary>More filters</summary>
        <div className="fields">
          {choice("decision")}
          {choice("outcome")}
          {typed("until")}
          {typed("session")}
          {typed("request")}
        </div>
      </details>
      {Object.keys(filters).length > 0 && (
        <button type="button" onClick={() => onChange({})}>
          Clear filters
        </button>
      )}
    </search>
  );
}
