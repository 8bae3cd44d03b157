import { type ReactElement, useMemo, useState } from "react";
import type { Finding } from "../check/check-text.ts";
import type { JsonTree } from "../json/tree.ts";
import {
  BudgetContext,
  FieldBudget,
  FormContext,
  type FormState,
  type OnBranchChange,
  type ShownFields,
  type TreeEdit,
} from "./context.ts";
import { Field } from "./field.tsx";
import type { SchemaSource } from "./source.ts";

interface Props {
  readonly source: SchemaSource;
  readonly tree: JsonTree;
  readonly findings: readonly Finding[];
  /** Whether to mark missing fields that the user has not visited yet. */
  readonly showsMissing: boolean;
  readonly shown: ShownFields;
  readonly onEdit: (edit: TreeEdit) => void;
  readonly onChoice: OnBranchChange;
}

function byPointer(findings: readonly Finding[]): FormState["findings"] {
  const map = new Map<string, Finding[]>();
  for (const finding of findings) {
    map.set(finding.path, [...(map.get(finding.path) ?? []), finding]);
  }
  return map;
}

/** Shows a form for a value. It displays the tree and changes only what the user edits. */
export default function SchemaForm(props: Props): ReactElement {
  const { source, tree, findings, showsMissing, shown, onEdit, onChoice } = props;
  const [budget] = useState(() => new FieldBudget());
  const root = useMemo(() => [source.root], [source]);
  const state = useMemo(
    () => ({ source, findings: byPointer(findings), showsMissing, shown, edit: onEdit, onChoice }),
    [source, findings, showsMissing, shown, onEdit, onChoice],
  );
  return (
    <FormContext value={state}>
      <BudgetContext value={budget}>
        <Field path={[]} name="" parts={root} tree={tree} />
      </BudgetContext>
    </FormContext>
  );
}
