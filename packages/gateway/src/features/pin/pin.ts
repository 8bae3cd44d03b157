import { plural } from "@touchstone/util/plural";
import { members, oneOf, type TypeOf, text } from "@touchstone/util/schema";
import { MODE_VALUES } from "../decision.ts";
import type {
  Level,
  LevelContext,
  LevelFault,
  LevelSetting,
  SettingsInForce,
} from "../level-setting.ts";
import { type PinSettings, TRUST_ON_FIRST_USE } from "./pin-settings.ts";

const KEYS = {
  pin: {
    enum: MODE_VALUES,
    default: "off",
    description:
      "Tools and instructions that nobody has approved: warn records them, strict holds them back",
  },
  lock: {
    type: "string",
    pattern: "^.",
    patternErrorMessage: 'must be a file, or "first_use"',
    description:
      "What is approved: a file of touchstone lock, or first_use for what a server declares first",
  },
} as const;

type Written = TypeOf<{ properties: typeof KEYS }>;

/** `pin` and `lock`: what happens to declarations that nobody has approved. A level replaces each key. */
export const pin = {
  name: "pin",
  keys: { top: KEYS, server: KEYS },
  merge(
    above: PinSettings | undefined,
    { pin: mode, lock }: Written,
    { fileNamed }: Pick<LevelContext, "fileNamed">,
  ): PinSettings | undefined {
    // Without a setting above, "off" sets nothing.
    if (lock === undefined && (mode === undefined || (mode === "off" && above === undefined))) {
      return above;
    }
    const file = lock === undefined || lock === TRUST_ON_FIRST_USE ? lock : fileNamed(lock);
    return {
      mode: mode ?? above?.mode ?? "off",
      ...(above?.lock === undefined ? {} : { lock: above.lock }),
      ...(file === undefined ? {} : { lock: file }),
    };
  },
  override(
    above: PinSettings | undefined,
    written: Written,
    place: Pick<LevelContext, "fileNamed">,
  ): PinSettings | undefined {
    return pin.merge(above, written, place);
  },
  write(settings: PinSettings | undefined): Written {
    if (settings === undefined) return {};
    const { mode, lock } = settings;
    return { pin: mode, ...(lock === undefined ? {} : { lock }) };
  },
  faultIn(settings: PinSettings | undefined, _: Written, level: Level): LevelFault | undefined {
    const message = level === "server" ? pinFault({ pin: settings }) : undefined;
    return message === undefined ? undefined : { code: "MISSING_KEY", path: ["pin"], message };
  },
  shown: members({ mode: oneOf(MODE_VALUES), lock: text() }, "lock"),
  // Shows a lock file's name instead of its path, without `node:path`, because the console includes this module.
  show: (settings: PinSettings): PinSettings =>
    settings.lock === undefined
      ? settings
      : { ...settings, lock: settings.lock.split(/[/\\]/).at(-1) ?? "" },
  blocks: [
    {
      name: "pin",
      shown: "1 if unapproved tools are held.",
      count: (servers: readonly SettingsInForce<PinSettings>[]) =>
        servers.filter(({ server }) => server?.mode === "strict").length,
      one: "pin",
      text: (count: number, isOfServer: boolean) =>
        isOfServer ? "pin" : `pin of ${plural(count, "server")}`,
    },
  ],
} as const satisfies LevelSetting;

/** Returns which setting is missing for pins; undefined if none is. */
export function pinFault({ pin }: { readonly pin?: PinSettings | undefined }): string | undefined {
  if (pin === undefined || pin.mode === "off" || pin.lock !== undefined) return undefined;
  return `pin is "${pin.mode}", and no lock says what is approved; set lock to "${TRUST_ON_FIRST_USE}", or to the file that touchstone lock has written`;
}
