// The HTTP tool API and the gateway's own, from the OpenAPI documents that they serve.
import { gatewayOpenapi } from "@touchstone/gateway";
import { createHandler } from "@touchstone/http";

const METHODS = ["get", "post", "put", "patch", "delete"];

/** Markdown. */
export async function restReference() {
  const handler = createHandler([], async () => ({ content: [] }), { allowExecute: true });
  const response = await handler(new Request("http://localhost/openapi.json"));
  const { paths } = await response.json();
  return page("Routes of the tools API", "/openapi.json", paths);
}

/** Markdown. */
export function gatewayRestReference() {
  return page("Routes of the gateway", "/api/v1/openapi.json", gatewayOpenapi().paths);
}

function page(title, served, paths) {
  const lines = [`# ${title}`, "", `Also served as OpenAPI 3.1 at \`${served}\`.`, ""];
  for (const [path, item] of Object.entries(paths)) {
    for (const method of METHODS.filter((name) => item[name] !== undefined)) {
      const { summary, description, responses } = item[method];
      lines.push(`## ${method.toUpperCase()} ${path}`, "");
      const text = [summary, description].filter(Boolean).join(" ");
      if (text !== "") lines.push(text, "");
      lines.push("| status | answer |", "|---|---|");
      for (const [status, answer] of Object.entries(responses)) {
        lines.push(`| ${status} | ${(answer.description ?? "").replaceAll("|", "\\|")} |`);
      }
      lines.push("");
    }
  }
  return lines.join("\n");
}
