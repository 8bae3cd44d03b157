import {
  Ban,
  Check,
  CircleDashed,
  CircleDot,
  CirclePause,
  CircleSlash,
  CircleX,
  Gauge,
  Loader,
  type LucideIcon,
  ShieldX,
  Split,
  TriangleAlert,
  Wrench,
} from "lucide-react";

/** The meaning of a color. Each tone has its own color, so that different things look different. */
export type Tone = "good" | "info" | "warn" | "bad" | "error" | "plain";

/** How a state is displayed: the icon and the word convey it without the color. */
export interface State {
  readonly tone: Tone;
  readonly icon: LucideIcon;
  /** The word; if absent, the name itself. */
  readonly label?: string;
}

/**
 * Every decision, status and state that the console knows by name. To add one, add an entry; unknown ones are shown
 * by name, in the plain tone.
 */
const STATES: Readonly<Record<string, State>> = {
  allowed: { tone: "good", icon: Check },
  success: { tone: "good", icon: Check },
  running: { tone: "good", icon: CircleDot },
  starting: { tone: "info", icon: Loader },
  approved: { tone: "good", icon: Check },
  held: { tone: "warn", icon: CirclePause },
  recorded: { tone: "info", icon: CircleDot },
  revoked: { tone: "bad", icon: Ban },
  repaired: { tone: "info", icon: Wrench },
  warning: { tone: "warn", icon: TriangleAlert },
  silent: { tone: "warn", icon: TriangleAlert },
  paused: { tone: "warn", icon: CirclePause },
  "other configuration": { tone: "warn", icon: Split },
  blocked: { tone: "bad", icon: Ban },
  denied: { tone: "bad", icon: ShieldX },
  out_of_bounds: { tone: "bad", icon: ShieldX, label: "out of bounds" },
  limited: { tone: "warn", icon: Gauge },
  rejected: { tone: "warn", icon: Gauge },
  policy: { tone: "bad", icon: ShieldX },
  error: { tone: "error", icon: CircleX },
  failed: { tone: "bad", icon: CircleX },
  idle: { tone: "plain", icon: CircleDashed },
  stopped: { tone: "plain", icon: CircleDashed },
  disabled: { tone: "plain", icon: CircleSlash },
};

const UNKNOWN: State = { tone: "plain", icon: CircleDashed };

/** Returns how a decision, a status or a server's state is displayed. */
export function displayState(name: string): State {
  return Object.hasOwn(STATES, name) ? (STATES[name] ?? UNKNOWN) : UNKNOWN;
}

/** Text in a tone's color. */
export const TONE_TEXT: Readonly<Record<Tone, string>> = {
  good: "text-good",
  info: "text-info",
  warn: "text-warn",
  bad: "text-bad",
  error: "text-error",
  plain: "text-soft",
};

/** Text and background in a tone's colors. */
export const TONE_FILL: Readonly<Record<Tone, string>> = {
  good: "text-good bg-good-soft",
  info: "text-info bg-info-soft",
  warn: "text-warn bg-warn-soft",
  bad: "text-bad bg-bad-soft",
  error: "text-error bg-error-soft",
  plain: "text-soft bg-sunken",
};

/** Custom properties with the tones' colors, for canvases. */
export const TONE_COLOR: Readonly<Record<Tone, string>> = {
  good: "--color-good",
  info: "--color-info",
  warn: "--color-warn",
  bad: "--color-bad",
  error: "--color-error",
  plain: "--color-faint",
};
