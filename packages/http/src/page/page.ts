import { respond } from "../answers/answer.ts";
import { errors } from "../answers/errors.ts";
import { PAGE_POLICY } from "../answers/headers.ts";
import type { ConsoleAssets } from "../console-assets.ts";
import type { Settings } from "../options.ts";
import type { Tools } from "../tools.ts";
import { escapeHtml, show } from "./html.ts";
import { projectHtml } from "./link.ts";
import { plainHtml, STYLE, STYLE_NAME } from "./plain.ts";

/**
 * Where the API is, relative to the page: at `/explorer/` that is `./`, at `/explorer` it is
 * `./explorer/`. Relative, it also holds behind a proxy that adds a path of its own.
 */
export function relativeBase(path: string): string {
  return `./${path.endsWith("/") ? "" : `${path.slice(path.lastIndexOf("/") + 1)}/`}`;
}

function styles(names: readonly string[], base: string): string {
  const link = (name: string): string =>
    `<link rel="stylesheet" href="${escapeHtml(`${base}assets/${encodeURIComponent(name)}`)}">`;
  return names.map(link).join("\n");
}

/** The console reads its settings from the element that it starts in: no script stands in the page. */
function consoleHtml(
  assets: ConsoleAssets,
  { allowExecute, gateway }: Settings,
  base: string,
): string {
  const src = escapeHtml(`${base}assets/${encodeURIComponent(assets.script)}`);
  const root = base + (gateway === "./" ? "" : gateway);
  const around = gateway === undefined ? "" : ` data-gateway="${escapeHtml(root)}"`;
  return `<div id="console" data-api="${escapeHtml(base)}" data-allow-execute="${allowExecute}"${around}></div>
<noscript>The console needs JavaScript.</noscript>
<script type="module" src="${src}"></script>`;
}

/**
 * `GET /`: the console where its files are given, else a plain page.
 * @param path of the page, as the client sees it
 */
export async function page(
  settings: Settings,
  path: string,
  ask: () => Promise<Tools | undefined>,
): Promise<Response> {
  const { title, projectName, projectUrl, allowExecute, console: assets } = settings;
  const base = relativeBase(path);
  const names = assets === undefined ? [STYLE_NAME] : (assets.styles ?? []);
  const main =
    assets === undefined
      ? plainHtml({ base, allowExecute, tools: await ask() })
      : consoleHtml(assets, settings, base);
  const project = projectHtml(projectName, projectUrl);
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${show(title)}</title>
<link rel="icon" href="data:,">
${styles(names, base)}
</head>
<body>
<header>
<h1>${show(title)}</h1>
</header>
<main>
${main}
</main>
${project === "" ? "" : `<footer>${project}</footer>`}
</body>
</html>
`;
  const policy = { "content-security-policy": PAGE_POLICY };
  return respond(200, "text/html; charset=utf-8", html, policy);
}

const FOREVER = { "cache-control": "public, max-age=31536000, immutable" };

/** `GET /assets/{name}`: a file of the page. */
export function asset({ console: assets }: Settings, name: string): Response {
  if (assets === undefined) {
    if (name === STYLE_NAME) return respond(200, "text/css; charset=utf-8", STYLE);
  } else {
    const file = assets.files.get(name);
    if (file !== undefined) {
      return respond(200, file.type, file.body, file.immutable === true ? FOREVER : {});
    }
  }
  return errors.notFound(`assets/${name}`);
}
