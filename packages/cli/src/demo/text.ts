import pc from "picocolors";
import { shellWord } from "../terminal/shell-word.ts";
import type { DemoCalls } from "./agent.ts";
import type { DemoCall } from "./calls.ts";

/** Addresses for viewing the demo while it runs. */
export interface DemoPlaces {
  /** The console's address. */
  readonly console: string;
  /** A link that signs a browser in once; undefined if the browser was opened. */
  readonly link: string | undefined;
  /** The command as the user has to type it. */
  readonly command: string;
  readonly dataDir: string;
  readonly isKept: boolean;
}

type Colours = ReturnType<typeof pc.createColors>;

const indent = (text: string, by: number): string => text.replace(/^/gm, " ".repeat(by));

/** Returns the demo's introduction. */
export function demoIntroduction(colour: boolean): string {
  const c = pc.createColors(colour);
  return `${c.bold("An agent makes 20 calls through Touchstone, to a faulty and a good server.")}\n`;
}

/** Returns the results of the calls, and the blocked one. */
export function demoResults(
  { made, statuses, blocked, corrected }: DemoCalls,
  { milliseconds, colour }: { readonly milliseconds: number; readonly colour: boolean },
): string {
  const c = pc.createColors(colour);
  const count = (status: string): number => statuses.get(status) ?? 0;
  const parts = [
    c.green(`✓ ${count("success")} as declared`),
    c.yellow(`! ${count("warning")} forwarded with a warning`),
    c.red(`✗ ${count("blocked")} blocked`),
  ];
  return `
  ${parts.join("   ")}
  ${count("error")} failed in the server; ${made} calls in ${(milliseconds / 1000).toFixed(1)} s

${c.bold(`The blocked call: ${blocked.call.server}/${blocked.call.tool}, whose arguments are ${blocked.mode}`)}

  The agent sent   ${argumentsText(blocked.call)}
  It never reached the server. The agent read:

${indent(blocked.read, 4)}

  The agent sent   ${argumentsText(corrected.call)}
  The agent read   ${corrected.read}
`;
}

function argumentsText({ args }: DemoCall): string {
  return JSON.stringify(args);
}

/** Where to continue. */
export function placesText(places: DemoPlaces, colour: boolean): string {
  const c: Colours = pc.createColors(colour);
  const { console, link, command, isKept } = places;
  const dataDir = `--data-dir ${shellWord(places.dataDir)}`;
  const opened =
    link === undefined
      ? `  ${c.cyan(console)}   (opened in your browser)`
      : `  ${c.cyan(link)}\n  The link works once, for 60 seconds. For another: ${command} ui ${dataDir}`;
  const end = isKept ? "" : " Its records are removed then.";
  return `
${c.bold("See this call in the console:")}

${opened}

${c.bold("Or in another terminal:")}

  ${command} activity last --blocked ${dataDir}
  ${command} activity list ${dataDir}
  ${command} activity drift faulty get_weather ${dataDir}

Press Ctrl+C to stop the demo.${end}
`;
}
