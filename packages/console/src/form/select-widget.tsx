import type { WidgetProps } from "@rjsf/utils";
import { pointerTokens } from "@touchstone/core";
import { type ReactElement, useContext, useEffect } from "react";
import { treeAt } from "../json/edit.ts";
import { visible } from "../text/visible.ts";
import {
  FormContext,
  InvalidContext,
  KindContext,
  ToldContext,
  UnionContext,
  useFieldIds,
} from "./context.ts";
import { choiceText, Declared, lineOf } from "./declared.ts";

/** Which branch of a union is shown. */
function KindSelect({ value, label, options, onChange }: WidgetProps): ReactElement {
  const { enumOptions = [] } = options;
  const { pointer, branches, names } = useContext(UnionContext);
  const { onChoice } = useContext(FormContext);
  const chosen = enumOptions.findIndex((option) => option.value === value);
  const branch = branches[chosen];
  useEffect(() => {
    if (branch === undefined) return undefined;
    onChoice(pointer, branch);
    return () => onChoice(pointer, undefined);
  }, [pointer, branch, onChoice]);
  return (
    <select
      value={chosen < 0 ? "" : chosen}
      aria-label={`Kind of ${visible(label) || "value"}`}
      aria-invalid={useContext(InvalidContext)}
      onChange={({ target }) => onChange(enumOptions[Number(target.value || -1)]?.value)}
    >
      {chosen < 0 && <option value="">–</option>}
      {enumOptions.map((option, index) => (
        <option key={String(option.value)} value={index}>
          {visible(names[index] ?? option.label)}
        </option>
      ))}
    </select>
  );
}

interface Choice {
  /** JSON, as the schema writes it. */
  readonly text: string;
  /** The same as JavaScript writes it. */
  readonly plain: string;
  readonly label: string;
}

function choicesOf({ options, schema }: WidgetProps): readonly Choice[] {
  const { enumOptions = [] } = options;
  return enumOptions.map(({ value, label, schema: branch }, index) => {
    const text = branch ? choiceText(branch, 0, value) : choiceText(schema, index, value);
    const isTitled = typeof value === "string" || label !== String(value);
    return { text, plain: JSON.stringify(value), label: isTitled ? label : text };
  });
}

/** One of several values, or none. What is chosen stands in the arguments as the schema writes it. */
function ValueSelect(props: WidgetProps): ReactElement {
  const { value, onChange } = props;
  const { tree } = useContext(FormContext);
  const at = treeAt(tree, pointerTokens(useContext(ToldContext) ?? ""));
  const text = at && lineOf(at);
  const choices = choicesOf(props);
  const exact = choices.findIndex((choice) => choice.text === text);
  const plain = JSON.stringify(value);
  const chosen = exact < 0 ? choices.findIndex((choice) => choice.plain === plain) : exact;
  const choose = (choice: Choice | undefined): void =>
    onChange(choice === undefined ? undefined : new Declared(choice.text));
  return (
    <select
      {...useFieldIds()}
      value={chosen < 0 ? "" : chosen}
      aria-invalid={useContext(InvalidContext)}
      onChange={(event) => choose(choices[Number(event.target.value || -1)])}
    >
      <option value="">–</option>
      {choices.map((choice, index) => (
        <option key={choice.text} value={index}>
          {visible(choice.label)}
        </option>
      ))}
    </select>
  );
}

/** A choice between values, or between the branches of a union. */
export function SelectWidget(props: WidgetProps): ReactElement {
  return useContext(KindContext) ? <KindSelect {...props} /> : <ValueSelect {...props} />;
}
