import type { WidgetProps } from "@rjsf/utils";
import { type ReactElement, useContext } from "react";
import { Unseen } from "../page/unseen.tsx";
import { visible } from "../text/visible.ts";
import { InvalidContext, useFieldIds } from "./context.ts";

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
