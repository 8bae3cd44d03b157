import {
  decide,
  labelOf,
  openPlace,
  type PinKind,
  type PinStore,
  pinDiff,
  type ShownPin,
  shownPins,
} from "@touchstone/gateway/activity";
import {
  type ActivityIo,
  type Options,
  reportingActivityErrors,
  textOption,
} from "../activity/options.ts";
import { placeOf, withoutRecords } from "../activity/reader.ts";
import { CliExit, EXIT_FINDINGS, EXIT_USAGE } from "../exit.ts";
import { safeLines, safeText } from "../terminal/safe-text.ts";
import { toJson } from "../terminal/serialise.ts";
import { userName } from "../user-name.ts";

/**
 * `touchstone approve SERVER [TOOL]`: approves a server's held declarations, or with `--revoke` withdraws approvals.
 * Prints each with its changes; with `--list` prints held declarations, and changes nothing.
 * @throws CliExit 1 if there is nothing to approve, or it is unclear which version is meant; 2 for contradicting
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
    const place = openPlace(await placeOf(io, options));
    const reader = await place.existing();
    if (reader === undefined) throw withoutRecords(revoke ? "revoked" : "approved");
    await reader.close();
    const store = await place.store();
    try {
      const hash = await wholeHash(store.pins, server, textOption(options, "hash"));
      const meant = { server, kind, name: tool, hash };
      const pins = list
        ? (await shownPins(store.pins, { server, state: "held" })).filter(
            (pin) =>
              (kind ?? pin.kind) === pin.kind &&
              (tool ?? pin.name) === pin.name &&
              (hash ?? pin.hash) === pin.hash,
          )
        : await decided(
            await decide(store, {
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
      await print(io, options, store.pins, pins, list ? "held" : revoke ? "revoked" : "approved");
    } finally {
      await store.close();
    }
  });
}

function decided(result: Awaited<ReturnType<typeof decide>>): readonly ShownPin[] {
  if (result.ok) return result.pins;
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

async function print(
  io: ActivityIo,
  options: Options,
  store: PinStore,
  pins: readonly ShownPin[],
  done: "held" | "approved" | "revoked",
): Promise<void> {
  const shown: { pin: ShownPin; diff: string | undefined }[] = [];
  for (const pin of pins) {
    shown.push({
      pin,
      diff: done === "revoked" ? undefined : await pinDiff(store, pin.server, pin),
    });
  }
  if (options["output"] === "json") {
    io.stdout.write(
      toJson(
        shown.map(({ pin, diff = null }) => ({ ...pin, diff })),
        "lines",
      ),
    );
    return;
  }
  if (shown.length === 0) io.stdout.write("nothing is held\n");
  for (const { pin, diff } of shown) {
    const since = done === "held" ? ` since ${pin.since}` : "";
    const kind = pin.previous === null ? "new" : "changed";
    const what = done === "revoked" ? "" : `, ${kind}`;
    io.stdout.write(`${safeText(`${done}: ${labelOf(pin)}${what}${since}`)}\n  ${pin.hash}\n`);
    if (diff !== undefined) {
      io.stdout.write(safeLines(diff.replace(/^(?=.)/gm, "  ")));
    }
  }
}
