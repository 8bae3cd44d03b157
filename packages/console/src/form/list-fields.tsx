import { ArrowDown, ArrowUp, Plus, X } from "lucide-react";
import { type ReactElement, useContext, useEffect, useRef, useState } from "react";
import {
  insertItem,
  type JsonPath,
  moveItem,
  removeAt,
  setCreatingPath,
  setValueAt,
  treeAt,
} from "../json/edit.ts";
import type { JsonTree } from "../json/tree.ts";
import { visible } from "../text/visible.ts";
import { Button } from "../ui/button.tsx";
import { FieldContext, FormContext, fieldIdOf, jsonPointer } from "./context.ts";
import { removeWithFocus } from "./focus.ts";
import { FIELDS_PER_PAGE, MoreFields } from "./object-fields.tsx";
import { initialValue } from "./start.ts";
import { type FormView, formView } from "./view.ts";

interface Props {
  readonly path: JsonPath;
  readonly name: string;
  readonly view: FormView;
  readonly tree: JsonTree | undefined;
}

const NULL: JsonTree = { kind: "scalar", text: "null" };

/** Keys that stay with their items when these move. */
function useKeys(count: number) {
  const keys = useRef<number[]>([]);
  const next = useRef(0);
  while (keys.current.length < count) keys.current.push(next.current++);
  if (keys.current.length > count) keys.current.length = count;
  return keys.current;
}

/** Shows the items of a list: those with a fixed position, those that exist, and a way to add one. */
export function ListFields({ path, name, view, tree }: Props): ReactElement {
  const { source, edit } = useContext(FormContext);
  const Field = useContext(FieldContext);
  const [shown, setShown] = useState(FIELDS_PER_PAGE);
  const [isAdding, setIsAdding] = useState(false);
  const items = tree?.kind === "array" ? tree.items : [];
  const { prefix, items: rest } = view;
  const count = Math.max(items.length, prefix.length);
  const isPending = isAdding && items.length === count;
  const keys = useKeys(count + (isPending ? 1 : 0));
  const target = fieldIdOf(jsonPointer([...path, count]));
  useEffect(() => {
    if (isPending) document.getElementById(target)?.focus();
  }, [isPending, target]);
  const move = (from: number, to: number): void => {
    const [key] = keys.splice(from, 1);
    if (key !== undefined) keys.splice(to, 0, key);
    edit((old) => moveItem(old, path, from, to));
  };
  const setItem = (index: number, value: JsonTree | undefined): void => {
    setIsAdding(false);
    edit((old) => {
      const at = treeAt(old, path);
      const length = at?.kind === "array" ? at.items.length : 0;
      if (value === undefined) {
        if (index >= length) return old;
        // The last item is removed; an earlier one becomes a gap that still has to be filled in.
        return index + 1 === length && index < prefix.length
          ? removeAt(old, [...path, index])
          : setValueAt(old, [...path, index], NULL);
      }
      let open =
        at?.kind === "array" ? old : setCreatingPath(old, path, { kind: "array", items: [] });
      for (let hole = length; hole < index; hole++) open = insertItem(open, path, hole, NULL);
      return setCreatingPath(open, [...path, index], value);
    });
  };
  const add = (): void => {
    const parts = rest ?? [];
    const { kind } = formView(source, parts, undefined);
    const empty: JsonTree | undefined = kind === "array" ? { kind: "array", items: [] } : undefined;
    const start = initialValue(source, parts) ?? empty;
    if (start === undefined) setIsAdding(true);
    else setItem(count, start);
    setShown(Math.max(shown, count + 1));
  };
  const buttonsOf = (index: number): ReactElement => {
    const item = `item ${index + 1}`;
    return (
      <>
        <Button
          variant="quiet"
          size="sm"
          aria-label={`Move ${item} up`}
          disabled={index === 0 || index >= items.length}
          onClick={() => move(index, index - 1)}
        >
          <ArrowUp aria-hidden="true" />
        </Button>
        <Button
          variant="quiet"
          size="sm"
          aria-label={`Move ${item} down`}
          disabled={index + 1 >= items.length}
          onClick={() => move(index, index + 1)}
        >
          <ArrowDown aria-hidden="true" />
        </Button>
        <Button
          variant="quiet"
          size="sm"
          data-remover=""
          aria-label={`Remove ${item}`}
          onClick={({ currentTarget }) =>
            removeWithFocus(currentTarget, () => {
              keys.splice(index, 1);
              if (index >= items.length) setIsAdding(false);
              else edit((old) => removeAt(old, [...path, index]));
            })
          }
        >
          <X aria-hidden="true" />
        </Button>
      </>
    );
  };
  const canAdd = rest !== undefined && count < view.maxItems && !isPending;
  return (
    <>
      {keys.slice(0, shown).map((key, index) => {
        const isFixed = index < prefix.length;
        const tooMany = !isFixed && rest === undefined;
        return (
          <Field
            key={key}
            path={[...path, index]}
            name={`Item ${index + 1}`}
            parts={isFixed ? (prefix[index] ?? []) : (rest ?? [])}
            tree={items[index]}
            isKept={!isFixed}
            onSet={(value) => setItem(index, value)}
            actions={(!isFixed || tooMany) && buttonsOf(index)}
          />
        );
      })}
      {keys.length > shown && (
        <MoreFields left={keys.length - shown} onMore={() => setShown(shown + FIELDS_PER_PAGE)} />
      )}
      {canAdd && (
        <Button
          size="sm"
          className="self-start"
          data-adder=""
          aria-label={`Add an item to ${visible(name) || "the list"}`}
          onClick={add}
        >
          <Plus aria-hidden="true" />
          Add an item
        </Button>
      )}
    </>
  );
}
