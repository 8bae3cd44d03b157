// Its index would draw in a test helper, and with that a validator that makes code.
import Form from "@rjsf/core/lib/components/Form.js";
import getDefaultRegistry from "@rjsf/core/lib/getDefaultRegistry.js";
import type { FieldProps, RegistryFieldsType, RJSFSchema } from "@rjsf/utils";
import { type ReactElement, useContext, useMemo, useState } from "react";
import { reconcile, removeAt, setThrough, treeAt } from "../json/edit.ts";
import { type JsonTree, readTree, toValue } from "../json/tree.ts";
import type { Finding } from "../verdict/verdict.ts";
import { Branches } from "./branches.ts";
import { ChoiceField } from "./choice-field.tsx";
import { type Edit, FormContext, type FormState, type OnChoice } from "./context.ts";
import { Declared } from "./declared.ts";
import { FieldTemplate } from "./field-template.tsx";
import {
  ArrayFieldItemTemplate,
  ArrayFieldTemplate,
  CyclicSchemaExpandTemplate,
  MultiSchemaFieldTemplate,
  ObjectFieldTemplate,
  UnsupportedFieldTemplate,
} from "./group-templates.tsx";
import { JsonField } from "./json-field.tsx";
import { SelectWidget } from "./select-widget.tsx";
import { FormValidator } from "./validator.ts";
import { BooleanWidget, TextWidget } from "./widgets.tsx";

const Default = getDefaultRegistry().fields["SchemaField"];

function treeFor(old: JsonTree | undefined, value: unknown): JsonTree | undefined {
  if (!(value instanceof Declared)) return reconcile(old, value);
  const read = readTree(value.text);
  return read.ok ? read.tree : undefined;
}

/**
 * The field of the whole value hears what was changed, and at which path. It goes into the text as
 * that one edit: the library's own value has been through doubles, and through what it fills in.
 */
function SchemaField(props: FieldProps): ReactElement | null {
  const { edit } = useContext(FormContext);
  if (Default === undefined) return null;
  if (props.fieldPathId.path.length > 0) return <Default {...props} />;
  const commit: FieldProps["onChange"] = (value: unknown, path) => {
    edit((tree) => {
      // The library marks a property to be removed by a value that is no JSON, without exporting it.
      const isRemoval = typeof value === "symbol";
      const next = isRemoval ? undefined : treeFor(treeAt(tree, path), value);
      return next === undefined ? removeAt(tree, path) : setThrough(tree, path, next);
    });
  };
  return <Default {...props} onChange={commit} />;
}

const FIELDS: RegistryFieldsType = {
  SchemaField,
  OneOfField: ChoiceField,
  AnyOfField: ChoiceField,
  NumberField: JsonField,
  NullField: JsonField,
  FallbackField: JsonField,
};
const WIDGETS = { TextWidget, SelectWidget, CheckboxWidget: BooleanWidget };
const TEMPLATES = {
  ArrayFieldItemTemplate,
  ArrayFieldTemplate,
  CyclicSchemaExpandTemplate,
  FieldTemplate,
  MultiSchemaFieldTemplate,
  ObjectFieldTemplate,
  UnsupportedFieldTemplate,
};

const NO_BUTTON = { "ui:submitButtonOptions": { norender: true } };

interface Props {
  /** What the tool declares: a JSON text. */
  readonly source: string;
  /** As `formSchema` makes it. */
  readonly schema: RJSFSchema;
  readonly tree: JsonTree;
  readonly findings: readonly Finding[];
  readonly onEdit: (edit: Edit) => void;
  readonly onChoice: OnChoice;
}

function byPointer(findings: readonly Finding[]): FormState["findings"] {
  const map = new Map<string, Finding[]>();
  for (const finding of findings) {
    map.set(finding.issue.path, [...(map.get(finding.issue.path) ?? []), finding]);
  }
  return map;
}

/** A form for a value. It shows the tree, and changes of it only what is typed. */
export default function SchemaForm({
  source,
  schema,
  tree,
  findings,
  onEdit,
  onChoice,
}: Props): ReactElement {
  const [validator] = useState(() => new FormValidator());
  const branches = useMemo(() => new Branches(source), [source]);
  const state = useMemo(
    () => ({ tree, findings: byPointer(findings), edit: onEdit, branches, onChoice }),
    [tree, findings, onEdit, branches, onChoice],
  );
  const value: unknown = useMemo(() => toValue(tree), [tree]);
  return (
    <FormContext value={state}>
      <Form
        tagName="div"
        schema={schema}
        uiSchema={NO_BUTTON}
        formData={value}
        validator={validator}
        fields={FIELDS}
        widgets={WIDGETS}
        templates={TEMPLATES}
        idPrefix="argument"
        noValidate
        showErrorList={false}
        experimental_defaultFormStateBehavior={{
          allOf: "skipDefaults",
          arrayMinItems: { populate: "never" },
          constAsDefaults: "never",
          emptyObjectFields: "skipDefaults",
        }}
      />
    </FormContext>
  );
}
