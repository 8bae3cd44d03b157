// Documents the HTTP tool API and the gateway's own API, from the OpenAPI documents that they serve.
import { gatewayOpenapi } from "@touchstone/gateway";
import { createHandler } from "@touchstone/http";
import { cell } from "./cell.mjs";

const METHODS = ["get", "post", "put", "patch", "delete"];

/** Markdown. */
export async function restReference() {
  const handler = createHandler([], async () => ({ content: [] }), { allowExecute: true });
  const response = await handler(new Request("http://localhost/openapi.json"));
  return page("Routes of the tools API", "/openapi.json", await response.json());
}

/** Markdown. */
export function gatewayRestReference() {
  return page("Routes of the gateway", "/api/v1/openapi.json", gatewayOpenapi());
}

function page(title, served, { paths, components }) {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method] !== undefined).map((method) => ({
      title: `${method.toUpperCase()} ${path}`,
      ...item[method],
    })),
  );
  const errors = repeated(operations, operations.length / 2, ({ responses }) =>
    Object.entries(responses).flatMap((response) => (response[0] < "400" ? [] : [rowOf(response)])),
  );
  const filters = repeated(operations, 3, ({ parameters = [] }) =>
    parameters.filter(({ in: place }) => place === "query").map(parameterRow),
  ).filter((row, at, rows) => rows.findIndex((other) => nameOf(other) === nameOf(row)) === at);
  const lines = [
    `# ${title}`,
    "",
    `Also served as OpenAPI 3.1 at \`${served}\`, with the schema of every response.`,
    "",
  ];
  if (errors.length > 0) {
    lines.push("## Errors", "", "Most routes may respond with these errors:", "", ...ERRORS_HEAD);
    lines.push(...errors.toSorted().map((row) => `| ${row} |`), "");
  }
  if (filters.length > 0) {
    lines.push("## Filters", "", "Routes that list or count records take these:", "");
    lines.push(...INPUTS_HEAD, ...filters, "");
  }
  lines.push(...rolesTable(operations));
  for (const operation of operations) {
    lines.push(...section(operation, new Set([...errors, ...filters]), components ?? {}), "");
  }
  return `${lines.join("\n").trimEnd()}\n`;
}

const ERRORS_HEAD = ["| status | meaning |", "|---|---|"];
const INPUTS_HEAD = ["| input | in | values | meaning |", "|---|---|---|---|"];

/** Returns a table of routes and the role that each needs, if operations name roles. */
function rolesTable(operations) {
  if (!operations.some(({ security = [] }) => roleIn(security) !== undefined)) return [];
  const rows = operations.map(({ title, security = [] }) => {
    const role = roleIn(security);
    return `| \`${title}\` | ${role === undefined ? "no key" : `\`${role}\``} |`;
  });
  return [
    "## Roles",
    "",
    "The role that the key of a request needs. Each role includes the ones before it: `caller`, `viewer`, `admin`.",
    "",
    "| route | role |",
    "|---|---|",
    ...rows,
    "| `/mcp/{server}`, `/tools/…`, `/servers/{server}/…` | `caller` |",
    "",
  ];
}

/** Returns the role in an operation's security (OpenAPI 3.1, Security Requirement Object). */
const roleIn = (security) => security.flatMap((one) => Object.values(one).flat())[0];

/** Returns the rows that are identical in more than `most` operations. */
function repeated(operations, most, rowsIn) {
  const counts = new Map();
  for (const operation of operations) {
    for (const row of rowsIn(operation)) counts.set(row, (counts.get(row) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count > most).map(([row]) => row);
}

const nameOf = (row) => row.split("`")[1];

const rowOf = ([status, { description = "" }]) => `${status} | ${cell(description)}`;

function section(
  { title, summary, description, parameters = [], requestBody, responses },
  shared,
  components,
) {
  const lines = [`## ${title}`, ""];
  const text = [summary, description].filter(Boolean).join(" ");
  if (text !== "") lines.push(text, "");
  const body = Object.values(requestBody?.content ?? {})[0]?.schema;
  const own = [...parameters.map(parameterRow), ...bodyRows(body, components)];
  const filters = parameters.filter((parameter) => shared.has(parameterRow(parameter)));
  if (filters.length > 0) {
    const names = filters.map(({ name }) => `\`${name}\``).join(", ");
    lines.push(`[Filters](#filters): ${names}.`, "");
  }
  const inputs = own.filter((row) => !shared.has(row));
  if (inputs.length > 0) lines.push(...INPUTS_HEAD, ...inputs, "");
  lines.push(...ERRORS_HEAD);
  for (const response of Object.entries(responses)) {
    if (!shared.has(rowOf(response))) lines.push(`| ${rowOf(response)} |`);
  }
  return lines;
}

const parameterRow = ({ name, in: place, required, schema = {}, description }) =>
  input(name, place, required, { description, ...schema });

const input = (name, place, required, schema) =>
  `| \`${name}\`${required ? "" : " (optional)"} | ${place} | ${cell(valuesOf(schema))} | ${cell(schema.description ?? "")} |`;

/** Returns rows for the members of a body, or one for the body as a whole. */
function bodyRows(schema, components) {
  if (schema === undefined) return [];
  const { properties, required = [], ...whole } = resolved(schema, components);
  if (properties === undefined) return [input("body", "body", true, whole)];
  return Object.entries(properties).map(([name, member]) =>
    input(name, "body", required.includes(name), { ...resolved(member, components), ...member }),
  );
}

const resolved = (schema, components) =>
  schema.$ref === undefined ? schema : (components.schemas?.[schema.$ref.split("/").at(-1)] ?? {});

function valuesOf({
  type = "any",
  enum: values,
  const: only,
  minimum,
  maximum,
  default: standard,
  items,
}) {
  if (only !== undefined) return JSON.stringify(only);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(", ");
  const range =
    maximum === undefined && minimum !== undefined
      ? `${minimum} or more`
      : [minimum, maximum].filter((bound) => bound !== undefined).join(" to ");
  const kind =
    type === "array" && items?.type ? `list of: ${items.type}` : [type].flat().join(" or ");
  const usual = standard === undefined ? "" : ` (default ${JSON.stringify(standard)})`;
  return `${kind}${range === "" ? "" : `, ${range}`}${usual}`;
}
