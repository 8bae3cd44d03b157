import { Eye, EyeOff } from "lucide-react";
import { type ReactElement, useState } from "react";
import type { JsonPath } from "../json/edit.ts";
import { type JsonTree, readTree } from "../json/tree.ts";
import { InvisibleCharacters } from "../page/invisible-characters.tsx";
import { visible } from "../text/visible.ts";
import { Button } from "../ui/button.tsx";
import { cx } from "../ui/classes.ts";
import { Input } from "../ui/field.tsx";
import { fieldIdOf, issuesIdOf, jsonPointer } from "./context.ts";
import { treeText } from "./source.ts";
import type { FormView } from "./view.ts";
import { plainText } from "./words.ts";

/** The style of a control that is not an {@link Input}. */
export const CONTROL_CLASS: string =
  "min-h-8 w-full min-w-0 rounded-md border border-edge bg-raised px-2.5 py-1 max-lg:min-h-9 aria-[invalid=true]:border-bad";

/** What a control needs from the field around it. */
export interface ControlProps {
  readonly path: JsonPath;
  readonly view: FormView;
  /** The value; undefined if there is none. */
  readonly tree: JsonTree | undefined;
  readonly isInvalid: boolean;
  readonly isRequired: boolean;
  /** Whether the value keeps its position when it is emptied. Items do, because later items would move up. */
  readonly isKept: boolean;
  /** Names the control if it has no label. */
  readonly label: string | undefined;
  /** Called with a new value, or with none. */
  readonly onSet: (tree: JsonTree | undefined) => void;
}

/** The value `null`. */
export const NULL_TREE: JsonTree = { kind: "scalar", text: "null" };

/** Returns a value from its text. */
export function scalarTree(text: string): JsonTree {
  return { kind: "scalar", text };
}

function stringTree(text: string): JsonTree {
  return scalarTree(JSON.stringify(text));
}

/** Attributes of a control. */
interface Ties {
  readonly id: string;
  readonly "aria-describedby": string;
  readonly "aria-invalid": boolean;
  readonly "aria-required": true | undefined;
  readonly "aria-label": string | undefined;
}

/** Returns the attributes that link a control to its label and to what is wrong with it. */
export function controlAttributes({ path, isInvalid, isRequired, label }: ControlProps): Ties {
  const pointer = jsonPointer(path);
  return {
    id: fieldIdOf(pointer),
    "aria-describedby": issuesIdOf(pointer),
    "aria-invalid": isInvalid,
    "aria-required": isRequired || undefined,
    "aria-label": label === undefined ? undefined : visible(label),
  };
}

/** Returns the text of a value as shown in a field: a string without quotes, a gap as an empty text. */
function shownText(tree: JsonTree | undefined): string {
  if (tree === undefined || (tree.kind === "scalar" && tree.text === "null")) return "";
  return tree.kind === "scalar" ? plainText(tree.text) : treeText(tree);
}

function exampleOf({ examples: [first] }: FormView): string | undefined {
  return first === undefined ? undefined : `e.g. ${visible(plainText(first))}`;
}

const DATE = /^\d{4}-\d\d-\d\d$/;
const DATE_TIME = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)([Zz]|[+-]\d\d:\d\d)$/;
const TIME = /^(\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)([Zz]|[+-]\d\d:\d\d)$/;

/** Returns the offset of this computer's clock (RFC 3339, section 5.6), such as `+02:00`. */
export function localOffset(minutes: number = -new Date().getTimezoneOffset()): string {
  const two = (part: number): string => String(Math.floor(part)).padStart(2, "0");
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${two(size / 60)}:${two(size % 60)}`;
}

function withSeconds(time: string): string {
  return time.length === 5 ? `${time}:00` : time;
}

/** A date, a time, or both, with the UTC offset that RFC 3339 requires. */
function TimeControl(props: ControlProps & { readonly text: string }): ReactElement {
  const { view, text, onSet, label, path } = props;
  const isBoth = view.format === "date-time";
  const [, date, clock, offset] = isBoth
    ? (DATE_TIME.exec(text) ?? [])
    : [undefined, undefined, ...(TIME.exec(text)?.slice(1) ?? [])];
  const [zone, setZone] = useState(offset ?? "Z");
  const shown = isBoth ? date && `${date}T${clock}` : clock;
  const set = (value: string, at: string): void =>
    onSet(value === "" ? undefined : stringTree(value + at));
  const normal = (value: string): string =>
    isBoth ? value.slice(0, 11) + withSeconds(value.slice(11)) : withSeconds(value);
  const zones = [...new Set(["Z", localOffset(), offset ?? zone])];
  const what = visible(label ?? String(path.at(-1) ?? ""));
  return (
    <div className="flex gap-2">
      <Input
        {...controlAttributes(props)}
        type={isBoth ? "datetime-local" : "time"}
        step="1"
        className="max-w-64"
        value={shown ?? ""}
        onChange={({ target }) => set(target.value && normal(target.value), offset ?? zone)}
      />
      <select
        className={cx(CONTROL_CLASS, "max-w-28")}
        aria-label={`Offset of ${what} from UTC`}
        value={offset ?? zone}
        onChange={({ target }) => {
          setZone(target.value);
          if (shown !== undefined) set(shown, target.value);
        }}
      >
        {zones.map((each) => (
          <option key={each} value={each}>
            {each.toUpperCase() === "Z" ? "UTC" : each}
          </option>
        ))}
      </select>
    </div>
  );
}

function SecretControl(props: ControlProps & { readonly text: string }): ReactElement {
  const { text, onSet, isKept } = props;
  const [isShown, setIsShown] = useState(false);
  const Icon = isShown ? EyeOff : Eye;
  return (
    <div className="flex gap-2">
      <Input
        {...controlAttributes(props)}
        type={isShown ? "text" : "password"}
        autoComplete="new-password"
        className="max-w-md"
        value={text}
        onChange={({ target }) =>
          onSet(target.value === "" && !isKept ? undefined : stringTree(target.value))
        }
      />
      <Button
        variant="quiet"
        size="icon"
        aria-label={isShown ? "Hide the value" : "Show the value"}
        onClick={() => setIsShown(!isShown)}
      >
        <Icon aria-hidden="true" />
      </Button>
    </div>
  );
}

/** Formats of single-line text, with the input type that shows the right keyboard on a phone. */
const LINES: Readonly<Record<string, string>> = {
  email: "email",
  "idn-email": "email",
  uri: "url",
  url: "url",
  iri: "url",
  "uri-reference": "text",
  uuid: "text",
  hostname: "text",
  ipv4: "text",
  ipv6: "text",
};

/** A string. Dates and times get a picker, if the picker can show the text. */
export function StringControl(props: ControlProps): ReactElement {
  const { view, tree, onSet, isKept } = props;
  const text = shownText(tree);
  const { format } = view;
  const isOneLine = !/[\n\r]/.test(text) && text.trim() === text;
  if (view.isSecret && isOneLine) return <SecretControl {...props} text={text} />;
  const set = (value: string): void =>
    onSet(value === "" && !isKept ? undefined : stringTree(value));
  if (format === "date" && (text === "" || DATE.test(text))) {
    return (
      <Input
        {...controlAttributes(props)}
        type="date"
        className="max-w-48"
        value={text}
        onChange={({ target }) => set(target.value)}
      />
    );
  }
  if (format === "date-time" && (text === "" || DATE_TIME.test(text))) {
    return <TimeControl {...props} text={text} />;
  }
  if (format === "time" && (text === "" || TIME.test(text))) {
    return <TimeControl {...props} text={text} />;
  }
  const type = format === undefined || !Object.hasOwn(LINES, format) ? undefined : LINES[format];
  return (
    <>
      {type !== undefined && isOneLine ? (
        <Input
          {...controlAttributes(props)}
          type={type}
          placeholder={exampleOf(view)}
          value={text}
          onChange={({ target }) => set(target.value)}
        />
      ) : (
        // A single-line input would drop line breaks.
        <textarea
          {...controlAttributes(props)}
          rows={1}
          className={cx(CONTROL_CLASS, "block max-h-96 resize-y field-sizing-content")}
          spellCheck={false}
          placeholder={exampleOf(view)}
          value={text}
          onChange={({ target }) => set(target.value)}
        />
      )}
      <InvisibleCharacters text={text} />
    </>
  );
}

/** Returns typed text as a value: JSON if it is valid JSON, else a string; nothing if it is empty. */
export function typedTree(typed: string): JsonTree | undefined {
  if (typed.trim() === "") return undefined;
  const read = readTree(typed);
  return read.ok ? read.tree : stringTree(typed);
}

/**
 * A value entered as JSON: numbers, because a JavaScript `number` would lose digits, and values of any type. Text
 * that is not JSON becomes a string, which the check then reports.
 */
export function JsonControl(props: ControlProps): ReactElement {
  const { view, tree, isKept, onSet } = props;
  const [typed, setTyped] = useState<string | undefined>();
  const isNumber = view.kind === "number" || view.kind === "integer";
  const isHole = isNumber && tree?.kind === "scalar" && tree.text === "null";
  const shown = typed ?? (tree === undefined || isHole ? "" : treeText(tree));
  const change = (text: string): void => {
    setTyped(text);
    onSet(typedTree(text) ?? (isKept ? NULL_TREE : undefined));
  };
  const shared = {
    ...controlAttributes(props),
    value: shown,
    spellCheck: false,
    placeholder: exampleOf(view) ?? (isNumber ? undefined : 'JSON, such as 5, "text" or [1, 2]'),
    onBlur: () => setTyped(undefined),
  };
  return (
    <>
      {isNumber ? (
        <Input
          {...shared}
          className="max-w-64 font-mono text-[0.8125rem]"
          inputMode={view.kind === "integer" ? "numeric" : "decimal"}
          onChange={({ target }) => change(target.value)}
        />
      ) : (
        <textarea
          {...shared}
          rows={1}
          className={cx(
            CONTROL_CLASS,
            "block max-h-96 resize-y field-sizing-content font-mono text-[0.8125rem]",
          )}
          onChange={({ target }) => change(target.value)}
        />
      )}
      <InvisibleCharacters text={shown} />
    </>
  );
}
