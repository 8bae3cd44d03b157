import { isDeepStrictEqual } from "node:util";
import { LEAST_ROOM } from "../contracts/short-names.ts";
import type { AdaptSettings, ValidationSettings } from "../policy/settings.ts";
import { ADAPT_STEPS, type AdaptSection } from "../settings/schema.ts";

const NOT_ADAPTED: AdaptSettings = {
  unusableTools: "pass",
  outputSchema: "pass",
  pages: "pass",
  for: [],
  steps: ADAPT_STEPS,
  mirrorContent: false,
  descriptions: { max: undefined, stripHidden: false },
};
const NAMES = { max: 64, prefixLength: 0 };

/** Returns the settings of a level, merged with its section `adapt`, key by key. */
export function withAdapt(
  settings: ValidationSettings,
  section: AdaptSection | undefined,
): ValidationSettings {
  if (section === undefined) return settings;
  const above = settings.adapt ?? NOT_ADAPTED;
  const { descriptions = {}, names: written } = section;
  // An empty section asks for short names with the defaults.
  const names = written !== undefined && {
    max: written.max ?? (above.names ?? NAMES).max,
    prefixLength: written.prefix_length ?? (above.names ?? NAMES).prefixLength,
  };
  const adapt: AdaptSettings = {
    unusableTools: section.unusable_tools ?? above.unusableTools,
    outputSchema: section.output_schema ?? above.outputSchema,
    pages: section.pages ?? above.pages,
    // A text is "auto": the schema takes no other text.
    for: typeof section.for === "string" ? ["auto"] : (section.for ?? above.for),
    steps: section.steps ?? above.steps,
    mirrorContent: section.mirror_content ?? above.mirrorContent,
    descriptions: {
      max: descriptions.max ?? above.descriptions.max,
      stripHidden: descriptions.strip_hidden ?? above.descriptions.stripHidden,
    },
    ...(names ? { names } : above.names && { names: above.names }),
  };
  const { adapt: _, ...others } = settings;
  return isDeepStrictEqual(adapt, NOT_ADAPTED) ? others : { ...others, adapt };
}

/** Returns a section with all of these settings: {@link withAdapt} returns the same settings for it. */
export function adaptSection(adapt: AdaptSettings | undefined): AdaptSection {
  const {
    unusableTools,
    outputSchema,
    pages,
    for: clients,
    steps,
    mirrorContent,
    descriptions,
    names,
  } = adapt ?? NOT_ADAPTED;
  const { max, stripHidden } = descriptions;
  return {
    unusable_tools: unusableTools,
    output_schema: outputSchema,
    pages,
    for: clients,
    steps,
    mirror_content: mirrorContent,
    descriptions: { ...(max === undefined ? {} : { max }), strip_hidden: stripHidden },
    ...(names && { names: { max: names.max, prefix_length: names.prefixLength } }),
  };
}

/** Returns what is wrong with the `names` of a level, merged with the levels above; undefined if nothing is. */
export function namesFault({ adapt }: ValidationSettings): string | undefined {
  const { names } = adapt ?? {};
  if (names === undefined || names.max - names.prefixLength >= LEAST_ROOM) return undefined;
  const { max, prefixLength } = names;
  return `max (${max}) less prefix_length (${prefixLength}) leaves fewer than ${LEAST_ROOM} characters for names`;
}
