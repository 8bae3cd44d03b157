import { ChevronDown, ChevronRight, Plus, X } from "lucide-react";
import { type ReactElement, useContext, useEffect, useMemo, useReducer, useState } from "react";
import type { Finding } from "../check/check-text.ts";
import { removeAt, setCreatingPath } from "../json/edit.ts";
import type { JsonTree } from "../json/tree.ts";
import { visible } from "../text/visible.ts";
import { Button } from "../ui/button.tsx";
import { cx } from "../ui/classes.ts";
import { ExternalText } from "../ui/external-text.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { BooleanControl, ChecksControl, ChoiceControl, NullToggle } from "./choice-inputs.tsx";
import {
  BudgetContext,
  FieldContext,
  type FieldProps,
  FormContext,
  fieldIdOf,
  issuesIdOf,
  jsonPointer,
} from "./context.ts";
import { type EnumChoice, typeOfTree, type Union } from "./expansion.ts";
import { type ControlProps, JsonControl, StringControl } from "./inputs.tsx";
import { ListFields } from "./list-fields.tsx";
import { ObjectFields } from "./object-fields.tsx";
import { treeText } from "./source.ts";
import { initialValue, valueForBranch } from "./start.ts";
import { UnionTabs } from "./union-tabs.tsx";
import { constraintSummary, type FormView, formView } from "./view.ts";

/** Levels that are indented. */
const MAX_INDENTED = 5;
/** Maximum number of values shown as checkboxes. */
const MAX_CHECKS = 24;

const NULL: JsonTree = { kind: "scalar", text: "null" };

function isNull(tree: JsonTree | undefined): boolean {
  return tree?.kind === "scalar" && tree.text === "null";
}

/** Returns the choices of a list that can be shown as checkboxes; empty if the list has any other values. */
function checksOf(
  items: FormView | undefined,
  view: FormView,
  tree: JsonTree | undefined,
): readonly EnumChoice[] {
  if (items?.kind !== "choice" || items.choices.length > MAX_CHECKS || view.prefix.length > 0)
    return [];
  if (tree === undefined) return items.choices;
  if (tree.kind !== "array") return [];
  const texts = tree.items.map(treeText);
  const known = new Set(items.choices.map(({ text }) => text));
  const isPlain = new Set(texts).size === texts.length && texts.every((text) => known.has(text));
  return isPlain ? items.choices : [];
}

function Issues({
  pointer,
  findings,
}: {
  readonly pointer: string;
  readonly findings: readonly Finding[];
}): ReactElement {
  const told = findings.map(({ predicate, hint }) =>
    hint === undefined ? predicate : `${predicate}; ${hint}`,
  );
  return (
    <ul
      className="issues mt-1 text-[0.8125rem] text-bad"
      id={issuesIdOf(pointer)}
      hidden={told.length === 0}
    >
      {[...new Set(told)].map((text) => (
        <li key={text}>
          <ExternalText text={text} />
        </li>
      ))}
    </ul>
  );
}

/** Reports to the check of the arguments which branch of a union is shown. */
function useChoice(pointer: string, union: Union | undefined): void {
  const { onChoice } = useContext(FormContext);
  const branch = union?.branches[union.index]?.at;
  useEffect(() => {
    if (branch === undefined || branch.includes("/type:")) return undefined;
    onChoice(pointer, branch);
    return () => onChoice(pointer, undefined);
  }, [pointer, branch, onChoice]);
}

/**
 * Shows one value of a form: its name, its description from the schema, its control or fields, and what is wrong with
 * it.
 */
export function Field(props: FieldProps): ReactElement {
  const { path, name, parts, tree, isRequired = false, isKept = false, heading, actions } = props;
  const { source, findings, showsMissing, shown, edit } = useContext(FormContext);
  const budget = useContext(BudgetContext);
  const [picked] = useState(() => new Map<string, number>());
  const [turn, redraw] = useReducer((count: number) => count + 1, 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` says that `picked` has changed
  const view = useMemo(
    () => formView(source, parts, tree, picked),
    [source, parts, tree, picked, turn],
  );
  const [isLeft, setIsLeft] = useState(false);
  const [isOpen, setIsOpen] = useState(
    () => path.length === 0 || budget.take(view.properties.size + 1),
  );
  const pointer = jsonPointer(path);
  useChoice(pointer, view.unions[0]);
  useEffect(() => shown.add(pointer), [shown, pointer]);
  const set: ControlProps["onSet"] =
    props.onSet ??
    ((next) =>
      edit((old) => (next === undefined ? removeAt(old, path) : setCreatingPath(old, path, next))));
  const itemView = useMemo(
    () =>
      view.kind === "array" ? view.items && formView(source, view.items, undefined) : undefined,
    [source, view],
  );
  const checks = checksOf(itemView, view, tree);
  const isGroup = (view.kind === "object" || view.kind === "array") && checks.length === 0;
  const isRoot = path.length === 0;
  const isHole = isNull(tree) && !view.isNullable;
  // An absent list can be started by adding its first item.
  const isList = view.kind === "array" && view.prefix.length === 0;
  const isHere = (tree !== undefined && !isHole) || isList;
  const isOff = view.isNullable && isNull(tree);
  const found = (findings.get(pointer) ?? []).filter(
    ({ isMissing }) => showsMissing || isLeft || !isMissing,
  );
  const control: ControlProps = {
    path,
    view,
    tree: isOff ? undefined : tree,
    isInvalid: found.length > 0,
    isRequired,
    isKept,
    label: heading === undefined ? undefined : name,
    onSet: set,
  };
  const pick = (union: Union, index: number): void => {
    picked.set(union.at, index);
    const next = valueForBranch(source, parts, isOff ? undefined : tree, picked);
    redraw();
    if (next !== undefined || tree !== undefined) set(next ?? (isKept ? NULL : undefined));
  };
  const add = (): void => {
    setIsOpen(true);
    const empty: JsonTree =
      view.kind === "array" ? { kind: "array", items: [] } : { kind: "object", members: [] };
    set(initialValue(source, parts, picked) ?? empty);
  };
  const words = constraintSummary(view);
  const isBranchTitle = view.unions.some(({ names, index }) => names[index] === view.title);
  const label = visible(name);
  const isLabelled = !isGroup && view.kind !== "boolean" && checks.length === 0;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only notes that its control was left
    <div
      className={isRoot ? "flex flex-col gap-5" : "min-w-0"}
      data-pointer={pointer}
      onBlur={isGroup ? undefined : () => setIsLeft(true)}
    >
      {!isRoot && (
        <div className="mb-1 flex flex-wrap items-center gap-x-2 gap-y-0.5">
          {isGroup && isHere && !isOff && tree !== undefined && (
            <Button
              variant="quiet"
              size="icon"
              className="-ms-1 size-6!"
              aria-expanded={isOpen}
              aria-label={`${isOpen ? "Collapse" : "Expand"} ${label}`}
              onClick={() => setIsOpen(!isOpen)}
            >
              {isOpen ? <ChevronDown aria-hidden="true" /> : <ChevronRight aria-hidden="true" />}
            </Button>
          )}
          {heading ??
            (isLabelled ? (
              <label className="font-medium" htmlFor={fieldIdOf(pointer)}>
                <ExternalText text={name} />
              </label>
            ) : (
              <span className="font-medium">
                <ExternalText text={name} />
              </span>
            ))}
          {view.title !== undefined && view.title !== name && !isBranchTitle && (
            <span className="text-soft">
              <ExternalText text={view.title} />
            </span>
          )}
          {isRequired && <small className="text-xs font-medium text-warn">required</small>}
          {view.isDeprecated && <small className="text-xs text-soft">deprecated</small>}
          <small className="text-xs text-soft">
            <ExternalText text={words} />
          </small>
          <span className="ms-auto flex items-center gap-1">
            {view.isNullable && view.kind !== "null" && (
              <NullToggle tree={tree} name={name} onSet={set} />
            )}
            {isGroup && isHere && !isOff && tree !== undefined && !isRequired && !isKept && (
              <Button
                variant="quiet"
                size="sm"
                aria-label={`Clear ${label}`}
                onClick={() => set(undefined)}
              >
                <X aria-hidden="true" />
                Clear
              </Button>
            )}
            {actions}
          </span>
        </div>
      )}
      {isRoot && view.constraints.length > 0 && (
        <p className="-mb-3 text-xs text-soft">
          <ExternalText text={view.constraints.join(" · ")} />
        </p>
      )}
      {!isRoot && view.description !== undefined && <Markdown text={view.description} />}
      {view.lost !== undefined && (
        <p className="text-[0.8125rem] text-soft">
          The form cannot follow the reference <ExternalText text={view.lost} />. The check can.
        </p>
      )}
      {!isOff && (
        <>
          {view.unions.map((union) => (
            <UnionTabs key={union.at} union={union} name={label} onPick={(at) => pick(union, at)} />
          ))}
          {isGroup && !isHere && !isRoot && (
            <Button size="sm" data-adder="" aria-label={`Add ${label}`} onClick={add}>
              <Plus aria-hidden="true" />
              Add
            </Button>
          )}
          {isGroup && (isHere || isRoot) && (isOpen || tree === undefined) && (
            <Group {...{ control, name, isRoot, add }} />
          )}
          {!isGroup && checks.length > 0 && <ChecksControl {...control} choices={checks} />}
          {!isGroup && checks.length === 0 && <Control {...control} />}
        </>
      )}
      <Issues pointer={pointer} findings={found} />
    </div>
  );
}

/** Shows the fields of an object or a list; if the value is neither, shows what it is. */
function Group({
  control,
  name,
  isRoot,
  add,
}: {
  readonly control: ControlProps;
  readonly name: string;
  readonly isRoot: boolean;
  readonly add: () => void;
}): ReactElement {
  const { view, tree, path } = control;
  if (tree !== undefined && typeOfTree(tree) !== view.kind) {
    return (
      <div className="flex flex-col items-start gap-2">
        <JsonControl {...control} label={name} />
        <Button size="sm" onClick={add}>
          Replace it with a form
        </Button>
      </div>
    );
  }
  const Fields = view.kind === "object" ? ObjectFields : ListFields;
  return (
    <fieldset
      id={fieldIdOf(jsonPointer(path))}
      data-group=""
      className={
        isRoot
          ? "flex min-w-0 flex-col gap-5"
          : cx(
              "flex min-w-0 flex-col gap-4",
              // Deeply nested fields stay wide enough to type in.
              path.length <= MAX_INDENTED && "border-s-2 border-line ps-3 md:ps-4",
            )
      }
    >
      <legend className="sr-only">{isRoot ? "Arguments" : visible(name)}</legend>
      <FieldContext value={Field}>
        <Fields path={path} name={name} view={view} tree={tree} />
      </FieldContext>
    </fieldset>
  );
}

function Control(props: ControlProps): ReactElement {
  switch (props.view.kind) {
    case "never":
      return (
        <p className="text-soft">
          {props.tree === undefined ? (
            "No value is valid here."
          ) : (
            <ExternalText text={treeText(props.tree)} />
          )}
        </p>
      );
    case "choice":
      return <ChoiceControl {...props} />;
    case "boolean":
      return <BooleanControl {...props} />;
    case "string":
      return <StringControl {...props} />;
    case "null":
      return (
        <NullToggle tree={props.tree} name={String(props.path.at(-1) ?? "")} onSet={props.onSet} />
      );
    default:
      return <JsonControl {...props} />;
  }
}
