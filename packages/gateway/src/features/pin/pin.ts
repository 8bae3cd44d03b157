import { FIRST_USE, type PinSettings } from "../../contracts/pin-store.ts";
import { members, oneOf, text } from "../../util/json-schema.ts";
import type { TypeOf } from "../../util/schema-type.ts";
import type { Level, LevelFault, LevelPlace, LevelSetting } from "../level-setting.ts";

const KEYS = {
  pin: {
    enum: ["off", "warn", "strict"],
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
    { fileNamed }: Pick<LevelPlace, "fileNamed">,
  ): PinSettings | undefined {
    // Without a setting above, "off" sets nothing.
    if (lock === undefined && (mode === undefined || (mode === "off" && above === undefined))) {
      return above;
    }
    const file = lock === undefined || lock === FIRST_USE ? lock : fileNamed(lock);
    return {
      mode: mode ?? above?.mode ?? "off",
      ...(above?.lock === undefined ? {} : { lock: above.lock }),
      ...(file === undefined ? {} : { lock: file }),
    };
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
  shown: members({ mode: oneOf(["off", "warn", "strict"]), lock: text() }, "lock"),
} as const satisfies LevelSetting;

/** Returns which setting is missing for pins; undefined if none is. */
export function pinFault({ pin }: { readonly pin?: PinSettings | undefined }): string | undefined {
  if (pin === undefined || pin.mode === "off" || pin.lock !== undefined) return undefined;
  return `pin is "${pin.mode}", and no lock says what is approved; set lock to "${FIRST_USE}", or to the file that touchstone lock has written`;
}
