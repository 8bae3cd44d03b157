import { getSchemaType, type RJSFSchema } from "@rjsf/utils";
import { isObject } from "../json/object.ts";
import { choiceText } from "./declared.ts";
import { HINT } from "./hint.ts";
import { isLabelled } from "./labelled.ts";

type Path = readonly (string | number)[];

/** Whether a path leads to an item of an array, which nothing requires to be there. */
export const isItem = (path: Path): boolean => typeof path.at(-1) === "number";

/** How a field is called: an item of an array by its place, and by its title where it has one. */
export function fieldName(path: Path, name: string, title: string | undefined): string {
  const at = path.at(-1);
  if (typeof at !== "number") return name;
  return title === undefined ? `Item ${at + 1}` : `Item ${at + 1}: ${title}`;
}

/** The types of a schema's values, in words; empty where it names none. */
export function typeText(schema: RJSFSchema): string {
  if (schema.enum !== undefined || isLabelled(schema)) return "";
  const type = getSchemaType(schema);
  return Array.isArray(type) ? type.join(" or ") : (type ?? "");
}

/** Names and values that are told of one branch. */
const MAX_TOLD = 3;

function listText(items: readonly string[]): string {
  const told = items.slice(0, MAX_TOLD).join(", ");
  return items.length > MAX_TOLD ? `${told}, …` : told;
}

/** The values that a schema has a list of. */
function valueTexts(schema: RJSFSchema): readonly string[] {
  const values: readonly unknown[] = Array.isArray(schema.enum) ? schema.enum : [];
  return values.map((value, index) => choiceText(schema, index, value));
}

/** What tells objects of one branch from others: the value of a property that has but one, or their names. */
function objectText({ properties = {}, required = [] }: RJSFSchema): string {
  for (const [name, property] of Object.entries(properties)) {
    const [value, ...others] = isObject(property) ? valueTexts(property) : [];
    if (value !== undefined && others.length === 0) return ` with ${name} ${value}`;
  }
  const names = required.length > 0 ? required : Object.keys(properties);
  return names.length === 0 ? "" : ` with ${listText(names)}`;
}

function branchName(branch: RJSFSchema): string {
  if (typeof branch.title === "string" && branch.title !== "") return branch.title;
  if (Array.isArray(branch.enum)) return listText(valueTexts(branch));
  const type = typeText(branch);
  if (type === "object" || (type === "" && isObject(branch.properties))) {
    return `object${objectText(branch)}`;
  }
  const { items } = branch;
  const of = type === "array" && isObject(items) ? typeText(items as RJSFSchema) : "";
  const hint: unknown = branch[HINT];
  return [of === "" ? type : `array of ${of}`, hint].filter(Boolean).join(", ");
}

/** What the branches of a union are called: by their titles, else by what they hold; no two are alike. */
export function branchNames(branches: readonly RJSFSchema[]): readonly string[] {
  const names = branches.map(branchName);
  return names.map((name, index) => {
    if (name === "") return `Option ${index + 1}`;
    return names.indexOf(name) === names.lastIndexOf(name) ? name : `${index + 1}: ${name}`;
  });
}
