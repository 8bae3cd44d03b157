import type { Tool } from "../tool.ts";
import type { Tools } from "../tools.ts";
import { escapeHtml, readableHtml } from "./html.ts";

/** The name under which the plain page's stylesheet is served. */
export const STYLE_NAME = "page.css";

export const STYLE: string = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 48rem; padding: 1.5rem 1rem; overflow-wrap: anywhere; }
li { margin: 0.75rem 0; }
p { margin: 0.25rem 0; white-space: pre-line; }
code { font-family: ui-monospace, monospace; }
small { border: 1px solid; border-radius: 0.5rem; margin-left: 0.5rem; padding: 0 0.4rem; }
footer { border-top: 1px solid; margin-top: 2rem; padding-top: 0.5rem; }
`;

const HINTS: readonly (readonly [hint: string, value: boolean, label: string])[] = [
  ["readOnlyHint", true, "read-only"],
  ["destructiveHint", true, "destructive"],
  ["idempotentHint", true, "idempotent"],
  ["openWorldHint", false, "closed world"],
];

function badges({ annotations }: Tool): string {
  if (typeof annotations !== "object" || annotations === null) return "";
  const given = new Map<string, unknown>(Object.entries(annotations));
  const labels = HINTS.filter(([hint, value]) => given.get(hint) === value);
  return labels.map(([, , label]) => `<small>${label}</small>`).join("");
}

function encodePath(name: string): string {
  return encodeURIComponent(name.toWellFormed());
}

function item(tool: Tool, base: string): string {
  const href = escapeHtml(`${base}tools/${encodePath(tool.name)}`);
  const description = typeof tool.description === "string" ? tool.description : "";
  const title = typeof tool.title === "string" ? ` ${readableHtml(tool.title)}` : "";
  return `<li><a href="${href}"><code>${readableHtml(tool.name)}</code></a>${title}${badges(tool)}<p>${readableHtml(description)}</p></li>`;
}

/** What the page is built from. */
export interface PlainPage {
  /** Where the API is, relative to the page; ends in a slash. */
  readonly base: string;
  readonly allowExecute: boolean;
  readonly tools: Tools | undefined;
}

/** Returns a page without scripts that shows the tools and what the API offers. */
export function plainHtml({ base, allowExecute, tools }: PlainPage): string {
  const list = [...(tools?.values() ?? [])].map((tool) => item(tool, base)).join("\n");
  const found =
    tools === undefined
      ? "<p>The list of tools is not available. Try again later.</p>"
      : tools.size === 0
        ? "<p>There are no tools.</p>"
        : `<ul>\n${list}\n</ul>`;
  const api = escapeHtml(base);
  const call = allowExecute
    ? "runs a tool"
    : "would run a tool; execution is disabled (<code>allowExecute</code>)";
  return `<h2>Tools</h2>
${found}
<h2>API</h2>
<ul>
<li><a href="${api}tools"><code>GET tools</code></a> lists the tools, <code>GET tools/{name}</code> describes one.</li>
<li><code>POST tools/{name}/validate</code> checks arguments and runs nothing; <code>POST validate</code> checks many.</li>
<li><code>POST tools/{name}/call</code> ${call}.</li>
<li><a href="${api}openapi.json"><code>GET openapi.json</code></a> describes all of this.</li>
</ul>
<p>This server was set up without the interactive console.</p>`;
}
