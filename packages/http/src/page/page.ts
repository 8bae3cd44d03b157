import { errors } from "../answers/errors.ts";
import { PAGE_POLICY } from "../answers/headers.ts";
import { respond } from "../answers/respond.ts";
import type { ConsoleAsset, ConsoleAssets } from "../console-assets.ts";
import type { Settings } from "../options.ts";
import type { Tools } from "../tools.ts";
import { escapeHtml, readableHtml, visible } from "./html.ts";
import { isLinkable, projectLinkHtml } from "./link.ts";
import { plainHtml, STYLE, STYLE_NAME } from "./plain.ts";

/**
 * The API's address relative to the page: `./` at `/explorer/`, `./explorer/` at `/explorer`. Because it is relative,
 * it also works behind a proxy that adds a path.
 */
export function relativeBase(path: string): string {
  return `./${path.endsWith("/") ? "" : `${path.slice(path.lastIndexOf("/") + 1)}/`}`;
}

function assetUrl(base: string, name: string): string {
  return escapeHtml(`${base}assets/${encodeURIComponent(name)}`);
}

/** Returns the links in the page's head: its icon, its fonts, and its stylesheets. */
function head(assets: ConsoleAssets | undefined, base: string): string {
  const { icon, fonts = [], styles = [] } = assets ?? { styles: [STYLE_NAME] };
  return [
    `<link rel="icon" href="${icon === undefined ? "data:," : assetUrl(base, icon)}">`,
    // Fonts are fetched without credentials, so a preload must be as well.
    ...fonts.map(
      (name) =>
        `<link rel="preload" as="font" type="font/woff2" crossorigin href="${assetUrl(base, name)}">`,
    ),
    ...styles.map((name) => `<link rel="stylesheet" href="${assetUrl(base, name)}">`),
  ].join("\n");
}

/** The console reads its settings from its root element: the page contains no script. */
function consoleHtml(
  assets: ConsoleAssets,
  { title, projectName, projectUrl, allowExecute, gateway }: Settings,
  base: string,
): string {
  const root = gateway === undefined ? undefined : base + (gateway === "./" ? "" : gateway);
  const linked = projectUrl !== undefined && isLinkable(projectUrl);
  const data = {
    api: base,
    title: visible(title),
    "allow-execute": String(allowExecute),
    gateway: root,
    project: projectName === undefined ? undefined : visible(projectName),
    "project-url": linked ? projectUrl : undefined,
  };
  const attributes = Object.entries(data)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` data-${name}="${escapeHtml(value ?? "")}"`);
  return `<div id="console"${attributes.join("")}></div>
<noscript>The console needs JavaScript.</noscript>
<script type="module" src="${assetUrl(base, assets.script)}"></script>`;
}

/** Returns the page without scripts, between the title and the project. */
function plainBody(
  { title, projectName, projectUrl, allowExecute }: Settings,
  base: string,
  tools: Tools | undefined,
): string {
  const project = projectLinkHtml(projectName, projectUrl);
  return `<header>
<h1>${readableHtml(title)}</h1>
</header>
<main>
${plainHtml({ base, allowExecute, tools })}
</main>
${project === "" ? "" : `<footer>${project}</footer>`}`;
}

/**
 * `GET /`: the console if its files are given, else a plain page.
 * @param path of the page, as the client sees it
 */
export async function pageResponse(
  settings: Settings,
  path: string,
  ask: () => Promise<Tools | undefined>,
): Promise<Response> {
  const { title, console: assets } = settings;
  const base = relativeBase(path);
  const body =
    assets === undefined
      ? plainBody(settings, base, await ask())
      : consoleHtml(assets, settings, base);
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${readableHtml(title)}</title>
${head(assets, base)}
</head>
<body>
${body}
</body>
</html>
`;
  const policy = { "content-security-policy": PAGE_POLICY };
  return respond(200, "text/html; charset=utf-8", html, policy);
}

const FOREVER = { "cache-control": "public, max-age=31536000, immutable" };

/** Returns whether an Accept-Encoding (RFC 9110, section 12.5.3) takes gzip. */
function acceptsGzip(accepted: string): boolean {
  const codings = accepted.toLowerCase().split(",");
  const weights = new Map(
    codings.map((coding) => {
      const [name = "", ...parameters] = coding.split(";").map((part) => part.trim());
      const weight = parameters.find((part) => part.startsWith("q="))?.slice(2) ?? "1";
      return [name, Number(weight)] as const;
    }),
  );
  return (weights.get("gzip") ?? weights.get("*") ?? 0) > 0;
}

/**
 * `GET /assets/{name}`: a file of the page.
 * @param accepted the request's Accept-Encoding
 */
export function assetResponse(
  { console: assets }: Settings,
  name: string,
  accepted = "",
): Response {
  if (assets === undefined) {
    if (name === STYLE_NAME) return respond(200, "text/css; charset=utf-8", STYLE);
    return errors.notFound(`assets/${name}`);
  }
  const file = assets.files.get(name);
  return file === undefined ? errors.notFound(`assets/${name}`) : fileResponse(file, accepted);
}

/**
 * Returns a built file, compressed if the client takes that.
 * @param accepted the request's Accept-Encoding
 * @param more other headers
 */
export function fileResponse(
  { type, body, gzip, immutable }: ConsoleAsset,
  accepted: string,
  more: Readonly<Record<string, string>> = {},
): Response {
  const headers = { ...(immutable === true ? FOREVER : {}), ...more };
  if (gzip === undefined) return respond(200, type, body, headers);
  const varied = { ...headers, vary: "accept-encoding" };
  if (!acceptsGzip(accepted)) return respond(200, type, body, varied);
  return respond(200, type, gzip, { ...varied, "content-encoding": "gzip" });
}
