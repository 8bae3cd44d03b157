import type { WidgetProps } from "@rjsf/utils";
import { type ReactElement, useContext, useEffect } from "react";
import { Unseen } from "../page/unseen.tsx";
import { visible } from "../text/visible.ts";
import { FormContext, InvalidContext, KindContext, UnionContext, useFieldIds } from "./context.ts";

/** A text of any length. In a line of its own a browser would drop line breaks. */
export function TextWidget(props: WidgetProps): ReactElement {
  const { value, label, hideLabel, onChange } = props;
  const text = typeof value === "string" ? value : "";
  return (
    <>
      <textarea
        {...useFieldIds()}
        rows={1}
        value={text}
        aria-label={hideLabel === true ? visible(label) : undefined}
        aria-invalid={useContext(InvalidContext)}
        onChange={(event) => onChange(event.target.value === "" ? undefined : event.target.value)}
      />
      <Unseen text={text} />
    </>
  );
}

function optionText(label: string, value: unknown): string {
  return visible(typeof value === "object" && value !== null ? JSON.stringify(value) : label);
}

/** One of several values, or none. */
export function SelectWidget(props: WidgetProps): ReactElement {
  const { value, label, options, onChange } = props;
  const { enumOptions = [] } = options;
  const isChoice = useContext(KindContext);
  const ids = useFieldIds();
  const { pointer, branches, names } = useContext(UnionContext);
  const { onChoice } = useContext(FormContext);
  const chosen = enumOptions.findIndex(
    (option) => JSON.stringify(option.value) === JSON.stringify(value),
  );
  const branch = isChoice ? branches[chosen] : undefined;
  useEffect(() => {
    if (branch === undefined) return undefined;
    onChoice(pointer, branch);
    return () => onChoice(pointer, undefined);
  }, [pointer, branch, onChoice]);
  return (
    <select
      {...(isChoice ? {} : ids)}
      value={chosen < 0 ? "" : chosen}
      aria-label={isChoice ? `Kind of ${visible(label) || "value"}` : undefined}
      aria-invalid={useContext(InvalidContext)}
      onChange={(event) => onChange(enumOptions[Number(event.target.value || -1)]?.value)}
    >
      {(!isChoice || chosen < 0) && <option value="">–</option>}
      {enumOptions.map((option, index) => (
        <option key={JSON.stringify(option.value)} value={index}>
          {isChoice
            ? visible(names[index] ?? option.label)
            : optionText(option.label, option.value)}
        </option>
      ))}
    </select>
  );
}

/** true, false or absent: a box to tick could not say that a value is absent. */
export function BooleanWidget({ value, onChange }: WidgetProps): ReactElement {
  return (
    <select
      {...useFieldIds()}
      value={typeof value === "boolean" ? String(value) : ""}
      aria-invalid={useContext(InvalidContext)}
      onChange={({ target }) => onChange(target.value === "" ? undefined : target.value === "true")}
    >
      <option value="">–</option>
      <option value="true">true</option>
      <option value="false">false</option>
    </select>
  );
}
