import type { FieldProps } from "@rjsf/utils";
import { type ReactElement, useContext, useState } from "react";
import { removeAt, setThrough, treeAt } from "../json/edit.ts";
import { type JsonTree, printTree } from "../json/tree.ts";
import { Unseen } from "../page/unseen.tsx";
import { FormContext, InvalidContext, KeptContext, useFieldIds } from "./context.ts";
import { typedTree } from "./typed.ts";

const NULL: JsonTree = { kind: "scalar", text: "null" };

/**
 * A field whose value is written as JSON: numbers, since one in a `number` of JavaScript would lose
 * digits, and what may be of any type. What is no JSON is taken as a string, for the verdict to see.
 */
export function JsonField({ fieldPathId, schema, name }: FieldProps): ReactElement {
  const { tree, edit } = useContext(FormContext);
  const [typed, setTyped] = useState<string | undefined>();
  const isKept = useContext(KeptContext);
  const { path } = fieldPathId;
  const at = treeAt(tree, path);
  const isNumber = schema.type === "number" || schema.type === "integer";
  // A null in the place of a number is a field that is still to be filled in.
  const isEmpty = at === undefined || (isNumber && at.kind === "scalar" && at.text === "null");
  const shown = typed ?? (isEmpty ? "" : printTree(at));
  const change = (text: string): void => {
    setTyped(text);
    const value = typedTree(text) ?? (isKept ? NULL : undefined);
    edit((old) => (value === undefined ? removeAt(old, path) : setThrough(old, path, value)));
  };
  return (
    <>
      <textarea
        {...useFieldIds()}
        name={name}
        rows={1}
        className="code"
        inputMode={isNumber ? "decimal" : "text"}
        placeholder={isNumber ? "" : 'JSON, as 5 or "text" or [1, 2]'}
        value={shown}
        aria-invalid={useContext(InvalidContext)}
        spellCheck={false}
        onChange={(event) => change(event.target.value)}
        onBlur={() => setTyped(undefined)}
      />
      <Unseen text={shown} />
    </>
  );
}
