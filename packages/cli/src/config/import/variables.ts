import { isJsonObject, type Json } from "./note.ts";

const REFERENCE = /\$\{(env|keyring):([^}]*)\}|\$\{/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Converts references to secrets in every string of a value: `${env:NAME}` becomes `${NAME}`; `${keyring:NAME}`,
 * which only mcpproxy can look up, becomes a variable of that name in capitals. Any other `${` is not a reference in
 * mcpproxy and is escaped.
 * @param variables collects the names of the variables
 * @param note receives what must be done by hand
 */
export function convertVariables(
  value: Json,
  variables: Set<string>,
  note: (reason: string) => void,
): Json {
  if (typeof value === "string") {
    return value.replace(REFERENCE, (text, kind: string | undefined, name: string | undefined) => {
      if (kind === undefined || name === undefined) return `$${text}`;
      if (kind === "env" && NAME.test(name)) {
        variables.add(name);
        return `\${${name}}`;
      }
      if (kind === "env") {
        note(`no variable can be called ${JSON.stringify(name)}; its reference is kept as text`);
        return `$${text}`;
      }
      const variable = name
        .toUpperCase()
        .replace(/[^A-Z0-9_]/g, "_")
        .replace(/^(?=\d)|^$/, "_");
      variables.add(variable);
      note(`is in mcpproxy's keyring: set the environment variable ${variable} to it`);
      return `\${${variable}}`;
    });
  }
  if (Array.isArray(value)) return value.map((item) => convertVariables(item, variables, note));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([name, member]): [string, Json] => [
    name,
    convertVariables(member, variables, note),
  ]);
  return Object.fromEntries(members);
}
