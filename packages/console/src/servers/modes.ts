export const MODES = ["off", "warn", "strict"] as const;
export type Mode = (typeof MODES)[number];
export const DIRECTIONS = ["input", "output", "protocol"] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** The mode of each direction; absent if not set. */
export type Modes = Readonly<Partial<Record<Direction, Mode | undefined>>>;
/** Changes to modes: `null` removes a setting, so that the level above applies. */
export type ModesPatch = Readonly<Partial<Record<Direction, Mode | null>>>;

/** Returns the modes of all directions as a text. */
export function modesText(modes: Modes): string {
  return DIRECTIONS.map((direction) => `${direction} ${modes[direction]}`).join(", ");
}

/** Returns the choice after `own` replaces `known`: where both are the same, the earlier `wanted` stays. */
export function mergeChosenModes(wanted: Modes, known: Modes, own: Modes): Modes {
  const chosen = DIRECTIONS.flatMap((direction) => {
    const mode = (known[direction] === own[direction] ? wanted : own)[direction];
    return mode === undefined ? [] : [[direction, mode] as const];
  });
  return Object.fromEntries(chosen);
}

/** Returns what to send so that `own` becomes `wanted`; undefined if they are the same. */
export function modesPatch(own: Modes, wanted: Modes): ModesPatch | undefined {
  const changed = DIRECTIONS.filter((direction) => own[direction] !== wanted[direction]);
  if (changed.length === 0) return undefined;
  return Object.fromEntries(changed.map((direction) => [direction, wanted[direction] ?? null]));
}

/** Returns the modes of all directions as a short text: one word if they are the same. */
export function modeText(modes: Modes): string {
  const [first, ...others] = DIRECTIONS.map((direction) => modes[direction]);
  return others.every((mode) => mode === first) ? `${first}` : modesText(modes);
}
