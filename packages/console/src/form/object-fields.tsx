import { Plus, X } from "lucide-react";
import { type ReactElement, useContext, useState } from "react";
import { type JsonPath, removeAt, renameMember, setCreatingPath, treeAt } from "../json/edit.ts";
import type { JsonTree } from "../json/tree.ts";
import { visible } from "../text/visible.ts";
import { Button } from "../ui/button.tsx";
import { Input } from "../ui/field.tsx";
import { FieldContext, FormContext, jsonPointer } from "./context.ts";
import { removeWithFocus } from "./focus.ts";
import { initialValue } from "./start.ts";
import { additionalPropertyParts, type FormView, formView } from "./view.ts";

/** Fields shown at once; a button shows more. */
export const FIELDS_PER_PAGE = 100;

interface Props {
  readonly path: JsonPath;
  readonly name: string;
  readonly view: FormView;
  readonly tree: JsonTree | undefined;
}

/** Returns declared names in the schema's order. If there are very many, required and set ones come first. */
function orderOf({ properties, required }: FormView, set: ReadonlySet<string>): readonly string[] {
  const names = [...properties.keys()];
  if (names.length <= FIELDS_PER_PAGE) return names;
  const isFirst = (name: string): boolean => required.has(name) || set.has(name);
  return [...names.filter(isFirst), ...names.filter((name) => !isFirst(name))];
}

/** Shows more fields, a page at a time. */
export function MoreFields({
  left,
  onMore,
}: {
  readonly left: number;
  readonly onMore: () => void;
}): ReactElement {
  return (
    <Button size="sm" className="self-start" onClick={onMore}>
      Show {Math.min(left, FIELDS_PER_PAGE)} more of {left.toLocaleString("en")}
    </Button>
  );
}

/** A property that the schema does not name. Its name can be changed. */
function Extra({
  path,
  name,
  view,
  tree,
  onRename,
}: Props & { readonly onRename: (from: string, to: string) => boolean }): ReactElement {
  const { source, edit } = useContext(FormContext);
  const Field = useContext(FieldContext);
  const parts = additionalPropertyParts(source, view, name);
  const label = visible(name);
  const rename = (input: HTMLInputElement): void => {
    if (input.value !== name && (input.value === "" || !onRename(name, input.value))) {
      input.value = name;
    }
  };
  return (
    <Field
      path={[...path, name]}
      name={name}
      parts={parts}
      tree={tree}
      isKept
      heading={
        <Input
          key={name}
          className="max-w-56 font-mono text-[0.8125rem]"
          defaultValue={name}
          aria-label={`Name of property ${label}`}
          onBlur={({ target }) => rename(target)}
        />
      }
      actions={
        <Button
          variant="quiet"
          size="sm"
          data-remover=""
          aria-label={`Remove property ${label}`}
          onClick={({ currentTarget }) =>
            removeWithFocus(currentTarget, () => {
              onRename(name, "");
              edit((old) => removeAt(old, [...path, name]));
            })
          }
        >
          <X aria-hidden="true" />
        </Button>
      }
    />
  );
}

/** Shows the properties of an object: declared ones, others that exist, and a way to add one. */
export function ObjectFields({ path, name, view, tree }: Props): ReactElement {
  const { source, edit } = useContext(FormContext);
  const Field = useContext(FieldContext);
  const [shown, setShown] = useState(FIELDS_PER_PAGE);
  /** Names of added properties that have no value yet; undefined while a property has no name. */
  const [added, setAdded] = useState<readonly string[]>([]);
  const [isNaming, setIsNaming] = useState(false);
  const members = tree?.kind === "object" ? tree.members : [];
  const [set] = useState(() => new Set(members.map((member) => member.name)));
  const names = orderOf(view, set);
  const others = [...new Set(members.map((member) => member.name))].filter(
    (each) => !view.properties.has(each),
  );
  const pending = added.filter((each) => !others.includes(each));
  const extras = [...others, ...pending];
  const at = (each: string): JsonTree | undefined => tree && treeAt(tree, [each]);
  const isTaken = (each: string): boolean => view.properties.has(each) || extras.includes(each);
  const rename = (from: string, to: string): boolean => {
    if (to !== "" && isTaken(to)) return false;
    setAdded(added.flatMap((each) => (each === from ? (to === "" ? [] : [to]) : [each])));
    if (to !== "") edit((old) => renameMember(old, [...path, from], to));
    return true;
  };
  const begin = (each: string): void => {
    setIsNaming(false);
    if (each === "" || isTaken(each)) return;
    const parts = additionalPropertyParts(source, view, each);
    const { kind } = formView(source, parts, undefined);
    const empty: JsonTree | undefined = kind === "array" ? { kind: "array", items: [] } : undefined;
    const start = initialValue(source, parts) ?? empty;
    setAdded([...added, each]);
    if (start !== undefined) edit((old) => setCreatingPath(old, [...path, each], start));
  };
  return (
    <>
      {names.slice(0, shown).map((each) => (
        <Field
          key={each}
          path={[...path, each]}
          name={each}
          parts={view.properties.get(each) ?? []}
          tree={at(each)}
          isRequired={view.required.has(each)}
        />
      ))}
      {names.length > shown && (
        <MoreFields left={names.length - shown} onMore={() => setShown(shown + FIELDS_PER_PAGE)} />
      )}
      {extras.slice(0, shown).map((each) => (
        <Extra
          key={`+${each}`}
          path={path}
          name={each}
          view={view}
          tree={at(each)}
          onRename={rename}
        />
      ))}
      {names.length + extras.length === 0 && !view.isOpen && (
        <p className="text-soft">There is nothing to fill in.</p>
      )}
      {isNaming && (
        <Input
          autoFocus
          className="max-w-56 font-mono text-[0.8125rem]"
          aria-label="Name of the new property"
          placeholder="Name"
          onBlur={({ target }) => begin(target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.ctrlKey && !event.metaKey)
              event.currentTarget.blur();
            if (event.key === "Escape") setIsNaming(false);
          }}
        />
      )}
      {view.isOpen && (
        <Button
          size="sm"
          className="self-start"
          data-adder=""
          aria-label={`Add a property${jsonPointer(path) === "" ? "" : ` to ${visible(name)}`}`}
          onClick={() => setIsNaming(true)}
        >
          <Plus aria-hidden="true" />
          Add a property
        </Button>
      )}
    </>
  );
}
