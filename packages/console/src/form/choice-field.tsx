import getDefaultRegistry from "@rjsf/core/lib/getDefaultRegistry.js";
import type { FieldProps, RJSFSchema } from "@rjsf/utils";
import { type ReactElement, useContext, useMemo } from "react";
import { treeAt } from "../json/edit.ts";
import { printTree } from "../json/tree.ts";
import { FormContext, fieldIdOf, pointerOf, UnionContext } from "./context.ts";
import { BRANCH_AT } from "./form-schema.ts";
import { branchNames, fieldName } from "./names.ts";

const Default = getDefaultRegistry().fields["OneOfField"];

type SchemaUtils = FieldProps["registry"]["schemaUtils"];
type Closest = SchemaUtils["getClosestMatchingOption"];

/** Where the branches stand in the schema; undefined where two of them were made of one. */
function pointersOf(options: readonly RJSFSchema[]): readonly string[] | undefined {
  const pointers = options.flatMap((option) => {
    const at: unknown = option[BRANCH_AT];
    return typeof at === "string" ? [at] : [];
  });
  return new Set(pointers).size === options.length ? pointers : undefined;
}

/**
 * A choice between schemas. The library judges branches by a schema that says less than the tool's;
 * here it is told which of them the text of the value follows, and chooses only between those.
 */
export function ChoiceField(props: FieldProps): ReactElement | null {
  const { registry, fieldPathId } = props;
  const { tree, branches } = useContext(FormContext);
  const { path } = fieldPathId;
  const choosing = useMemo(() => {
    const { schemaUtils } = registry;
    const closest: Closest = (value, options, selected = 0, discriminator) => {
      const at = treeAt(tree, path);
      if (at === undefined) return selected;
      // What is being typed may begin like a value of another branch, whose field would take its place.
      const isTyped = document.activeElement?.id === fieldIdOf(pointerOf(path));
      if (at.kind === "scalar" && isTyped) return selected;
      const pointers = pointersOf(options);
      const meant = pointers && branches.meant(pointers, printTree(at));
      if (meant === undefined) {
        return schemaUtils.getClosestMatchingOption(value, options, selected, discriminator);
      }
      const [only = selected] = meant;
      if (meant.length === 1) return only;
      const left = meant.map((index) => options[index] ?? {});
      const before = meant.indexOf(selected);
      const chosen = schemaUtils.getClosestMatchingOption(value, left, before, discriminator);
      return meant[chosen] ?? only;
    };
    const own: SchemaUtils = Object.create(schemaUtils, {
      getClosestMatchingOption: { value: closest, enumerable: true },
    });
    return { ...registry, schemaUtils: own };
  }, [registry, tree, path, branches]);
  const { name, schema, options } = props;
  const union = useMemo(() => {
    const list: readonly RJSFSchema[] = Array.isArray(options) ? options : [];
    return {
      pointer: pointerOf(path),
      branches: pointersOf(list) ?? [],
      names: branchNames(list),
    };
  }, [path, options]);
  if (Default === undefined) return null;
  return (
    <UnionContext value={union}>
      <Default {...props} name={fieldName(path, name, schema.title)} registry={choosing} />
    </UnionContext>
  );
}
