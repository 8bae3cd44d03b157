import { isObject, type JsonObject, joinPointer } from "@touchstone/core/advanced";
import { quotedAuthorText } from "../finding.ts";
import { INPUT_SCHEMA_PATH, type Provider, type ProviderFound } from "./provider.ts";

function nameFound({ title, toolName, propertyName }: Provider, tool: JsonObject): ProviderFound[] {
  const { name, inputSchema } = tool;
  const found: ProviderFound[] = [];
  if (toolName !== undefined && typeof name === "string" && !toolName.test(name)) {
    const message = `${title} does not accept the name ${quotedAuthorText(name)}: it must match ${toolName.source}`;
    const fix = "Rename the tool; clients may put the server's name in front, so keep it short.";
    found.push({ path: "/name", rule: "tool-name", severity: "error", message, fix });
  }
  const properties = isObject(inputSchema) ? inputSchema["properties"] : undefined;
  if (propertyName === undefined || !isObject(properties)) return found;
  for (const key of Object.keys(properties)) {
    if (propertyName.test(key)) continue;
    const path = joinPointer(`${INPUT_SCHEMA_PATH}/properties`, key);
    const message = `${title} does not accept the name ${quotedAuthorText(key)}: it must match ${propertyName.source}`;
    found.push({
      path,
      rule: "property-name",
      severity: "error",
      message,
      fix: "Rename the property.",
    });
  }
  return found;
}

/** Warns of a name that, with its prefix, is longer than a provider's limit was before the provider raised it. */
function longNameFound(
  { title, toolName, limits }: Provider,
  { name }: JsonObject,
  prefix: string = "",
): ProviderFound[] {
  const most = limits?.nameBefore;
  if (most === undefined || typeof name !== "string" || toolName?.test(name) === false) return [];
  const { length } = prefix + name;
  if (length <= most) return [];
  const message = `the name has ${length} characters${prefix === "" ? "" : " with its prefix"}; ${title} refused names of more than ${most}, and now says that it takes longer ones`;
  const fix = "Shorten the name of the tool, or that of its server.";
  return [{ path: "/name", rule: "tool-name", severity: "warning", message, fix }];
}

function twinFound(
  { title, uniqueNames }: Provider,
  { name }: JsonObject,
  twin: number | undefined,
): ProviderFound[] {
  if (twin === undefined || typeof name !== "string") return [];
  const what =
    uniqueNames === true
      ? `${title} refuses a request with both`
      : `with ${title} a call reaches one of them at most`;
  const message = `the tool at place ${twin} has the name ${quotedAuthorText(name)}, too: ${what}`;
  const fix = "Give each tool a name of its own.";
  return [{ path: "/name", rule: "duplicate-name", severity: "error", message, fix }];
}

/** Names of this many characters or more leave little room for what clients put before them. */
const LONG_NAME = 40;

/** Checks the length of prefixed names: clients put the server's name before the tool's (`mcp__SERVER__TOOL`). */
function prefixFound(
  { title, limits }: Provider,
  { name }: JsonObject,
  prefix: string | undefined,
): ProviderFound[] {
  const most = limits?.prefixedName;
  if (most === undefined || typeof name !== "string" || name.length > most) return [];
  const fix = "Shorten the name of the tool, or that of its server.";
  const about = { path: "/name", rule: "prefixed-name" } as const;
  if (prefix === undefined) {
    if (name.length < LONG_NAME) return [];
    const message = `the name has ${name.length} of the ${most} characters that ${title} takes; clients put the server's name before it (mcp__SERVER__TOOL)`;
    return [{ ...about, severity: "warning", message, fix }];
  }
  const length = prefix.length + name.length;
  if (length <= most) return [];
  const message = `${title} takes names of ${most} characters; ${quotedAuthorText(prefix + name)} has ${length}`;
  return [{ ...about, severity: "error", message, fix }];
}

function emptyFound({ title, limits }: Provider, { description }: JsonObject): ProviderFound[] {
  if (limits?.emptyDescription !== false || description !== "") return [];
  const message = `${title} does not accept an empty description`;
  const fix = "Say what the tool does, or leave the description out.";
  return [{ path: "/description", rule: "description-empty", severity: "error", message, fix }];
}

function descriptionFound(
  { title, limits }: Provider,
  { description }: JsonObject,
): ProviderFound[] {
  const most = limits?.description;
  if (most === undefined || typeof description !== "string" || description.length <= most)
    return [];
  const message = `the description has ${description.length} characters; ${title} may cut or refuse more than ${most}`;
  const fix = "Shorten it, or move details into the descriptions of parameters.";
  return [{ path: "/description", rule: "description-length", severity: "warning", message, fix }];
}

/**
 * Returns what a provider objects to in names and descriptions.
 * @param twin the index in the list of the first tool with the same name, if that is another tool
 * @param prefix what the client puts before names
 */
export function toolObjections(
  provider: Provider,
  tool: JsonObject,
  twin: number | undefined,
  prefix: string | undefined,
): readonly ProviderFound[] {
  return [
    ...nameFound(provider, tool),
    ...longNameFound(provider, tool, prefix),
    ...prefixFound(provider, tool, prefix),
    ...twinFound(provider, tool, twin),
    ...emptyFound(provider, tool),
    ...descriptionFound(provider, tool),
  ];
}
