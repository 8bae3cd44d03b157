import {
  ADDITIONAL_PROPERTY_FLAG,
  type FieldTemplateProps,
  getSchemaType,
  type RJSFSchema,
} from "@rjsf/utils";
import { issueClause } from "@touchstone/core";
import { type ReactElement, useContext } from "react";
import { renameMember, treeAt } from "../json/edit.ts";
import { Shown } from "../page/shown.tsx";
import { visible } from "../text/visible.ts";
import {
  FormContext,
  fieldIdOf,
  InvalidContext,
  issuesIdOf,
  KeptContext,
  pointerOf,
  ToldContext,
} from "./context.ts";
import { removeBy } from "./focus.ts";
import { HINT } from "./hint.ts";
import { fieldName, isItem, typeText } from "./names.ts";

/** What the schema says of a field, in a few words. */
function hintOf(schema: RJSFSchema): string {
  const hint: unknown = schema[HINT];
  return [typeText(schema), hint].filter(Boolean).join(", ");
}

function NameOf(props: FieldTemplateProps): ReactElement {
  const { label, fieldPathId, onKeyRename, onRemoveProperty } = props;
  const { tree, edit } = useContext(FormContext);
  const rename = (input: HTMLInputElement): void => {
    const { value: name } = input;
    const { path } = fieldPathId;
    if (name === label) return;
    if (treeAt(tree, [...path.slice(0, -1), name]) !== undefined) {
      input.value = label;
      return;
    }
    // The text is changed first: the library then finds its own change made, and keeps its order.
    edit((old) => renameMember(old, path, name));
    onKeyRename(name);
  };
  return (
    <div className="key">
      <input
        key={label}
        defaultValue={label}
        aria-label={`Name of property ${visible(label)}`}
        onBlur={({ target }) => rename(target)}
      />
      <button
        type="button"
        aria-label={`Remove property ${visible(label)}`}
        onClick={({ currentTarget }) => removeBy(currentTarget, onRemoveProperty)}
      >
        Remove
      </button>
    </div>
  );
}

/** A field with its name, what the schema says of it, and what is wrong with its value. */
export function FieldTemplate(props: FieldTemplateProps): ReactElement {
  const { label, required, schema, displayLabel, rawDescription, fieldPathId, children } = props;
  const { findings } = useContext(FormContext);
  const { path } = fieldPathId;
  const pointer = pointerOf(path);
  const found = findings.get(pointer) ?? [];
  const messages = [...new Set(found.map(({ issue }) => issueClause(issue).predicate))];
  const isTold = useContext(ToldContext) === pointer;
  const isNamed = ADDITIONAL_PROPERTY_FLAG in schema;
  // The branch of a union is a field in the field of its union.
  const isKept = useContext(KeptContext) && isTold;
  const type = getSchemaType(schema);
  const isGroup = type === "object" || type === "array";
  const hasLabel = displayLabel === true || !isGroup;
  return (
    <div className="field" data-pointer={pointer}>
      {isNamed && <NameOf {...props} />}
      {hasLabel && !isTold && path.length > 0 && (
        <div className="label">
          <label htmlFor={fieldIdOf(pointer)}>
            <Shown text={fieldName(path, label, schema.title)} />
          </label>
          {required === true && !isItem(path) && <small className="required">required</small>}
          <small>
            <Shown text={hintOf(schema)} />
          </small>
        </div>
      )}
      {hasLabel && rawDescription !== undefined && rawDescription !== "" && (
        <p className="description">
          <Shown text={rawDescription} />
        </p>
      )}
      <InvalidContext value={found.length > 0}>
        <KeptContext value={isKept || isNamed || isItem(path)}>
          <ToldContext value={pointer}>{children}</ToldContext>
        </KeptContext>
      </InvalidContext>
      {!isTold && (
        <ul className="issues" id={issuesIdOf(pointer)} hidden={found.length === 0}>
          {messages.map((message) => (
            <li key={message}>
              <Shown text={message} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
