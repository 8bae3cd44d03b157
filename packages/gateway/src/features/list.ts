import { adapt } from "./adapt/adapt.ts";
import { bridge } from "./bridge/bridge.ts";
import { callsPerMinute } from "./calls-per-minute/calls-per-minute.ts";
import { capability } from "./capability/capability.ts";
import { drift } from "./drift/drift-setting.ts";
import { invalidSchemas } from "./invalid-schemas/invalid-schemas.ts";
import { pin } from "./pin/pin.ts";
import { policy } from "./policy/policy.ts";
import { repair } from "./repair/repair.ts";
import { resultBytes } from "./result-bytes/result-bytes.ts";
import { rules } from "./rules/rules.ts";
import { showSchema } from "./show-schema/show-schema.ts";
import { structuredContent } from "./structured-content/structured-content.ts";
import { undeclared } from "./undeclared/undeclared.ts";
import { unknownSchemas } from "./unknown-schemas/unknown-schemas.ts";

/** The features with keys of their own for the file, a server or a tool. */
export const LEVEL_SETTINGS = [policy, capability, pin, adapt, bridge] as const;

/** The names of the features that change tool lists, in the order in which they do. `list-steps.ts` has each step. */
export const LIST_STEP_NAMES = ["pin", "allow", "advertise", "adapt"] as const;
export type ListStepName = (typeof LIST_STEP_NAMES)[number];

/** Every limit on tool calls that can be set for the gateway, a server, a tool and a caller. */
export const LIMITS = [callsPerMinute, resultBytes] as const;

/** Every feature whose settings are keys of sections, in the order of the keys. */
export const SECTION_SETTINGS = [
  invalidSchemas,
  unknownSchemas,
  rules,
  repair,
  undeclared,
  showSchema,
  structuredContent,
  drift,
] as const;
