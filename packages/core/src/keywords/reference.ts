import { type Keyword, keyword } from "./keyword.ts";

function reference(name: "ref" | "dynamicRef"): Keyword {
  return keyword({
    name,
    appliesTo: "any",
    inPlace: true,
    compile: (node, { apply }) => {
      const target = node[name];
      if (target === undefined) return undefined;
      const applied = apply(target);
      return (run, value, place, marks) => applied.check(run, value, place, marks);
    },
  });
}

/** `$ref` (2020-12 Core, section 8.2.3.1). */
export const ref: Keyword = reference("ref");
/** `$dynamicRef` and `$recursiveRef`, resolved for each dynamic scope (2020-12 Core, section 8.2.3.2). */
export const dynamicRef: Keyword = reference("dynamicRef");
