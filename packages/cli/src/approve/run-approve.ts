import {
  decideApproval,
  declarationLabel,
  listPins,
  openPlace,
  type PinKind,
  type PinStore,
  pinDiff,
  type ShownPin,
  unchangedPinsText,
  unknownDeclarationText,
} from "@touchstone/gateway/activity";
import {
  type ActivityIo,
  type Options,
  reportingActivityErrors,
  textOption,
} from "../activity/options.ts";
import { recordsPlace, withoutRecords } from "../activity/reader.ts";
import { CliExit, EXIT_FINDINGS, EXIT_USAGE } from "../io/exit.ts";
import { userName } from "../io/user-name.ts";
import { safeLines, safeText } from "../terminal/safe-text.ts";
import { terminalJson } from "../terminal/serialise.ts";
import { pinCounts, pinCountsText } from "./pin-counts.ts";

/**
 * `touchstone approve SERVER [TOOL]`: approves a server's held declarations, or with `--revoke` withdraws approvals.
 * Prints each with its changes; with `--list` prints all declarations with their states, and changes nothing.
 * @throws CliExit 1 if there is nothing to approve or list, or it is unclear which version is meant; 2 for contradicting
 *   options; 3 if the records cannot be read or written
 */
export async function runApprove(
  server: string,
  tool: string | undefined,
  options: Options,
  io: ActivityIo,
): Promise<void> {
  const [list, revoke] = [options["list"] === true, options["revoke"] === true];
  const instructions = options["instructions"] === true;
  if (list && revoke)
    throw new CliExit(EXIT_USAGE, "--list and --revoke exclude each other; give one of them");
  if (list && options["reason"] !== undefined) {
    throw new CliExit(EXIT_USAGE, "--list takes no --reason: it changes nothing");
  }
  if (instructions && tool !== undefined) {
    throw new CliExit(EXIT_USAGE, "--instructions takes no tool: instructions are the server's");
  }
  const kind: PinKind | undefined = instructions
    ? "instructions"
    : tool === undefined
      ? undefined
      : "tool";
  await reportingActivityErrors(async () => {
    const place = openPlace(await recordsPlace(io, options));
    const reader = await place.existing();
    if (reader === undefined) throw withoutRecords(revoke ? "revoked" : "approved");
    await reader.close();
    const store = await place.store();
    try {
      const hash = await wholeHash(store.pins, server, textOption(options, "hash"));
      const meant = { server, kind, name: tool, hash };
      if (list) {
        const isMeant = (pin: ShownPin): boolean =>
          (kind ?? pin.kind) === pin.kind &&
          (tool ?? pin.name) === pin.name &&
          (hash ?? pin.hash) === pin.hash;
        const all = await listPins(store.pins, { server });
        const pins = all.filter(isMeant);
        const isNamed = kind !== undefined || hash !== undefined;
        if (pins.length === 0 && (isNamed || !(await store.pins.servers()).includes(server))) {
          throw new CliExit(
            EXIT_FINDINGS,
            safeText(await unknownDeclarationText(store.pins, server)),
          );
        }
        const sorted = LISTED.flatMap((state) => pins.filter((pin) => pin.state === state));
        await print(io, options, store.pins, sorted, true);
        return;
      }
      const { pins, leftAlone } = decided(
        await decideApproval(store, {
          ...meant,
          state: revoke ? "revoked" : "approved",
          author: {
            actor: `user ${userName() ?? "without a name"}`,
            caller: userName(),
            reason: textOption(options, "reason"),
          },
          source: "cli",
        }),
      );
      await print(io, options, store.pins, pins, false);
      if (leftAlone.length > 0) {
        io.stderr.write(`touchstone: left alone: ${safeText(unchangedPinsText(leftAlone))}\n`);
      }
    } finally {
      await store.close();
    }
  });
}

function decided(
  result: Awaited<ReturnType<typeof decideApproval>>,
): Extract<typeof result, { readonly ok: true }> {
  if (result.ok) return result;
  const hint = result.code === "AMBIGUOUS" ? " (--hash)" : "";
  throw new CliExit(EXIT_FINDINGS, `${safeText(result.message)}${hint}`);
}

/** Returns the full hash for a prefix; the text itself if it is unknown or ambiguous. */
async function wholeHash(
  store: PinStore,
  server: string,
  start: string | undefined,
): Promise<string | undefined> {
  if (start === undefined) return undefined;
  const text = start.startsWith("sha256:") ? start : `sha256:${start}`;
  const known = (await store.read(server))?.pins ?? [];
  const found = new Set(known.flatMap(({ hash }) => (hash.startsWith(text) ? [hash] : [])));
  const [only] = found;
  return found.size === 1 ? only : text;
}

/** The states in a list; those that need attention come first. */
const LISTED: readonly ShownPin["state"][] = ["held", "recorded", "revoked", "approved"];

/** @param isList whether to list only: approved declarations then have one line each */
async function print(
  io: ActivityIo,
  options: Options,
  store: PinStore,
  pins: readonly ShownPin[],
  isList: boolean,
): Promise<void> {
  const shown: { pin: ShownPin; diff: string | undefined }[] = [];
  for (const pin of pins) {
    const hasDiff = isList
      ? pin.state === "held" || pin.state === "recorded"
      : pin.state === "approved";
    shown.push({ pin, diff: hasDiff ? await pinDiff(store, pin.server, pin) : undefined });
  }
  if (options["output"] === "json") {
    io.stdout.write(
      terminalJson(
        shown.map(({ pin, diff = null }) => ({ ...pin, diff })),
        "lines",
      ),
    );
    return;
  }
  if (isList) io.stdout.write(`${pinCountsText(pinCounts(pins))}\n`);
  for (const { pin, diff } of shown) {
    io.stdout.write(`${safeText(lineOf(pin, isList))}\n  ${pin.hash}\n`);
    if (diff !== undefined) {
      io.stdout.write(safeLines(diff.replace(/^(?=.)/gm, "  ")));
    }
  }
}

function lineOf(pin: ShownPin, isList: boolean): string {
  const label = `${pin.state}: ${declarationLabel(pin)}`;
  const kind = pin.previous === null ? "new" : "changed";
  if (!isList) return pin.state === "revoked" ? label : `${label}, ${kind}`;
  const when = `since ${pin.decided ?? pin.since}`;
  if (pin.state === "held") return `${label}, ${kind} ${when}`;
  if (pin.state === "recorded") return `${label}, ${kind} ${when}; it is not held back`;
  return `${label}, ${when}`;
}
