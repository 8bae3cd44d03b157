import type { ReactElement, ReactNode } from "react";
import { type JsonTree, readTree } from "../json/tree.ts";
import { visible } from "../text/visible.ts";
import { cx } from "../ui/classes.ts";
import { jsonPointer } from "./context.ts";
import type { EnumChoice } from "./expansion.ts";
import {
  CONTROL_CLASS,
  type ControlProps,
  controlAttributes,
  NULL_TREE,
  scalarTree,
} from "./inputs.tsx";
import { treeText } from "./source.ts";

/** One of several values, or none. The value is the text in the schema. */
export function ChoiceControl(props: ControlProps): ReactElement {
  const { view, tree, isKept, onSet } = props;
  const text = tree && treeText(tree);
  const chosen = view.choices.findIndex((choice) => choice.text === text);
  const isOther = chosen < 0 && tree !== undefined && text !== "null";
  return (
    <select
      {...controlAttributes(props)}
      className={cx(CONTROL_CLASS, "max-w-md")}
      value={chosen < 0 ? "" : chosen}
      onChange={({ target }) => {
        const choice = target.value === "" ? undefined : view.choices[Number(target.value)];
        onSet(choice === undefined ? (isKept ? NULL_TREE : undefined) : scalarOf(choice));
      }}
    >
      <option value="">{isOther ? visible(treeText(tree).slice(0, 80)) : "Not set"}</option>
      {view.choices.map((choice, index) => (
        <option key={choice.text} value={index}>
          {visible(choice.label)}
        </option>
      ))}
    </select>
  );
}

function scalarOf({ text }: EnumChoice): JsonTree {
  const read = readTree(text);
  return read.ok ? read.tree : scalarTree(text);
}

interface RadioProps {
  readonly name: string;
  readonly isChecked: boolean;
  readonly onPick: () => void;
  readonly children: ReactNode;
}

function Radio({ name, isChecked, onPick, children }: RadioProps): ReactElement {
  return (
    <label className="inline-flex items-center gap-1.5">
      <input
        type="radio"
        name={name}
        className="size-4 accent-accent"
        checked={isChecked}
        onChange={onPick}
      />
      {children}
    </label>
  );
}

/** true, false or absent. A checkbox could not show that a value is absent. */
export function BooleanControl(props: ControlProps): ReactElement {
  const { path, tree, isKept, onSet } = props;
  const { id, "aria-label": label, "aria-describedby": describedBy } = controlAttributes(props);
  const text = tree?.kind === "scalar" ? tree.text : undefined;
  const name = `value of ${jsonPointer(path)}`;
  return (
    <div
      id={id}
      role="radiogroup"
      aria-label={label ?? visible(String(path.at(-1) ?? ""))}
      aria-describedby={describedBy}
      className="flex min-h-8 flex-wrap items-center gap-4"
    >
      {["true", "false"].map((value) => (
        <Radio
          key={value}
          name={name}
          isChecked={text === value}
          onPick={() => onSet(scalarTree(value))}
        >
          {value}
        </Radio>
      ))}
      {!isKept && (
        <Radio name={name} isChecked={tree === undefined} onPick={() => onSet(undefined)}>
          <span className="text-soft">not set</span>
        </Radio>
      )}
    </div>
  );
}

/** Several of the values that a schema lists, each at most once. */
export function ChecksControl({
  choices,
  ...props
}: ControlProps & { readonly choices: readonly EnumChoice[] }): ReactElement {
  const { path, tree } = props;
  const { id, "aria-describedby": describedBy } = controlAttributes(props);
  const chosen = new Set(tree?.kind === "array" ? tree.items.map(treeText) : []);
  return (
    <fieldset
      id={id}
      aria-label={visible(props.label ?? String(path.at(-1) ?? ""))}
      aria-describedby={describedBy}
      className="flex flex-wrap gap-x-4 gap-y-1 py-1"
    >
      {choices.map((choice) => (
        <label key={choice.text} className="inline-flex items-center gap-1.5">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={chosen.has(choice.text)}
            onChange={({ target }) => {
              const items = tree?.kind === "array" ? tree.items : [];
              const next = target.checked
                ? [...items, scalarOf(choice)]
                : items.filter((item) => treeText(item) !== choice.text);
              props.onSet({ kind: "array", items: next });
            }}
          />
          {visible(choice.label)}
        </label>
      ))}
    </fieldset>
  );
}

/** A value that can be null as well as something else. */
export function NullToggle({
  tree,
  name,
  onSet,
}: {
  readonly tree: JsonTree | undefined;
  readonly name: string;
  readonly onSet: ControlProps["onSet"];
}): ReactElement {
  return (
    <label className="inline-flex items-center gap-1.5 text-[0.8125rem] text-soft">
      <input
        type="checkbox"
        className="size-3.5 accent-accent"
        aria-label={`${visible(name)} is null`}
        checked={tree?.kind === "scalar" && tree.text === "null"}
        onChange={({ target }) => onSet(target.checked ? NULL_TREE : undefined)}
      />
      null
    </label>
  );
}
