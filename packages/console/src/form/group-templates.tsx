import {
  type ArrayFieldItemTemplateProps,
  type ArrayFieldTemplateProps,
  type CyclicSchemaExpandProps,
  canExpand,
  type MultiSchemaFieldTemplateProps,
  type ObjectFieldTemplateProps,
  type UnsupportedFieldProps,
} from "@rjsf/utils";
import { type ReactElement, type ReactNode, useContext } from "react";
import { insertItem, type JsonPath, moveItem, removeAt, treeAt } from "../json/edit.ts";
import { Shown } from "../page/shown.tsx";
import { visible } from "../text/visible.ts";
import { FormContext, fieldIdOf, KindContext, pointerOf } from "./context.ts";
import { removeBy } from "./focus.ts";
import { fieldName, isItem } from "./names.ts";

interface GroupProps {
  readonly id: string;
  readonly title: string;
  readonly required: boolean;
  readonly description: unknown;
  readonly isRoot: boolean;
  readonly children: ReactNode;
}

function Group({ id, title, required, description, isRoot, children }: GroupProps): ReactElement {
  return (
    <fieldset id={id} className={isRoot ? "group root" : "group"}>
      <legend className={isRoot ? "off-screen" : ""}>
        <Shown text={isRoot ? "Arguments" : title} />{" "}
        {required && <small className="required">required</small>}
      </legend>
      {!isRoot && typeof description === "string" && (
        <p className="description">
          <Shown text={description} />
        </p>
      )}
      {children}
    </fieldset>
  );
}

/** The properties of an object. */
export function ObjectFieldTemplate(props: ObjectFieldTemplateProps): ReactElement | null {
  const { schema, uiSchema, formData, fieldPathId, title, required, properties } = props;
  const isUnion = (schema.oneOf ?? schema.anyOf) !== undefined;
  const isOpen = canExpand(schema, uiSchema, formData);
  // A choice between objects shows the one that is chosen.
  if (isUnion && properties.length === 0) return null;
  const { path } = fieldPathId;
  const isRoot = path.length === 0;
  const name = fieldName(path, title, schema.title);
  return (
    <Group
      id={fieldIdOf(pointerOf(path))}
      title={name}
      required={required === true && !isItem(path)}
      description={schema.description}
      isRoot={isRoot}
    >
      {properties.map(({ content }) => content)}
      {properties.length === 0 && !isOpen && <p className="empty">There is nothing to fill in.</p>}
      {isOpen && (
        <button type="button" onClick={props.onAddProperty}>
          Add a property{isRoot ? "" : ` to ${visible(name)}`}
        </button>
      )}
    </Group>
  );
}

function itemCount(path: JsonPath, tree: Parameters<typeof treeAt>[0]): number {
  const at = treeAt(tree, path);
  return at?.kind === "array" ? at.items.length : 0;
}

/** The items of an array. Items are added, moved and removed in the text, where each keeps its own. */
export function ArrayFieldTemplate(props: ArrayFieldTemplateProps): ReactElement {
  const { schema, fieldPathId, title, required, items, canAdd } = props;
  const { tree, edit } = useContext(FormContext);
  const { path } = fieldPathId;
  const count = itemCount(path, tree);
  const name = fieldName(path, title, schema.title);
  const add = (event: unknown): void => {
    if (treeAt(tree, path)?.kind !== "array") props.onAddClick(event);
    else edit((old) => insertItem(old, path, count, { kind: "scalar", text: "null" }));
  };
  return (
    <Group
      id={fieldIdOf(pointerOf(path))}
      title={name}
      required={required === true && !isItem(path)}
      description={schema.description}
      isRoot={path.length === 0}
    >
      {items}
      {canAdd === true && (
        <button type="button" onClick={add}>
          Add an item to {visible(name) || "the list"}
        </button>
      )}
    </Group>
  );
}

/** One item of an array. */
export function ArrayFieldItemTemplate(props: ArrayFieldItemTemplateProps): ReactElement {
  const { children, index, totalItems, buttonsProps } = props;
  const { edit } = useContext(FormContext);
  const item = buttonsProps.fieldPathId.path;
  const array = item.slice(0, -1);
  const move = (to: number): void => edit((tree) => moveItem(tree, array, index, to));
  const name = `item ${index + 1}`;
  return (
    <div className="item">
      {children}
      <div className="item-buttons">
        <button
          type="button"
          aria-label={`Move ${name} up`}
          disabled={index === 0}
          onClick={() => move(index - 1)}
        >
          ↑
        </button>
        <button
          type="button"
          aria-label={`Move ${name} down`}
          disabled={index + 1 >= totalItems}
          onClick={() => move(index + 1)}
        >
          ↓
        </button>
        <button
          type="button"
          aria-label={`Remove ${name}`}
          onClick={({ currentTarget }) =>
            removeBy(currentTarget, () => edit((tree) => removeAt(tree, [...array, index])))
          }
        >
          ✕
        </button>
      </div>
    </div>
  );
}

/** Which of several schemas a value follows, and its fields. */
export function MultiSchemaFieldTemplate(props: MultiSchemaFieldTemplateProps): ReactElement {
  return (
    <div className="choice">
      <KindContext value={true}>{props.selector}</KindContext>
      {props.optionSchemaField}
    </div>
  );
}

/** A schema inside of itself is opened when somebody asks for it. */
export function CyclicSchemaExpandTemplate(props: CyclicSchemaExpandProps): ReactElement {
  const { name, fieldPathId, onExpand } = props;
  return (
    <button type="button" onClick={() => onExpand(fieldPathId.$id)}>
      Open {visible(name)}
    </button>
  );
}

/** A field that the form's library cannot draw. */
export function UnsupportedFieldTemplate({ schema }: UnsupportedFieldProps): ReactElement {
  return (
    <p className="empty">
      <Shown text={String(schema.title ?? "This field")} /> has no form; write it as JSON.
    </p>
  );
}
