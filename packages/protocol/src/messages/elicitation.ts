import { params, result } from "./base.ts";
import {
  anyOf,
  type Definitions,
  extend,
  INTEGER,
  listOf,
  literal,
  mapOf,
  NUMBER,
  type ObjectSchema,
  object,
  type Properties,
  ref,
  type Schema,
  STRING,
  whenMember,
} from "./schema.ts";

const SHOWN: Properties = { title: STRING, description: STRING };
const STRINGS = listOf(STRING);
const ACTION = { action: literal("accept", "cancel", "decline") };

function primitive(type: Schema, more: Properties, required: Properties = {}): ObjectSchema {
  return object({ type, ...required }, { ...SHOWN, ...more });
}

const TEXT: Schema = { const: "string" };
const LIST: Schema = { const: "array" };
const STRING_OPTIONS = {
  format: literal("date", "date-time", "email", "uri"),
  minLength: INTEGER,
  maxLength: INTEGER,
};
const BOUNDS = { minimum: NUMBER, maximum: NUMBER };
const NUMERIC = literal("integer", "number");
const FLAG: Schema = { const: "boolean" };
const BOOLEAN_DEFAULT = { default: { type: "boolean" } };

function requested(field: Schema, more: Properties = {}): Properties {
  const schema = object(
    { type: { const: "object" }, properties: mapOf(field) },
    { required: STRINGS, ...more },
  );
  return { message: STRING, requestedSchema: schema };
}

/** Values of `ElicitResult.content`. Numbers may be of any kind (see the errata). */
const SCALAR: Schema = { type: ["string", "number", "boolean"] };

/** MCP, Client Features, Elicitation (since 2025-06-18). */
export const ELICITATION_2025_06_18: Definitions = {
  PrimitiveSchemaDefinition: anyOf(
    primitive(TEXT, STRING_OPTIONS),
    primitive(NUMERIC, BOUNDS),
    primitive(FLAG, BOOLEAN_DEFAULT),
    primitive(TEXT, { enumNames: STRINGS }, { enum: STRINGS }),
  ),
  ElicitRequestParams: params(requested(ref("PrimitiveSchemaDefinition"))),
  ElicitResult: result(ACTION, { content: mapOf(SCALAR) }),
};

const TITLED = listOf(object({ const: STRING, title: STRING }));
const CHOSEN = { default: STRING };
const SEVERAL = { default: STRINGS, minItems: INTEGER, maxItems: INTEGER };
const FIELD_2025_11_25 = anyOf(
  primitive(TEXT, { ...STRING_OPTIONS, ...CHOSEN }),
  primitive(NUMERIC, { ...BOUNDS, default: NUMBER }),
  primitive(FLAG, BOOLEAN_DEFAULT),
  primitive(TEXT, CHOSEN, { enum: STRINGS }),
  primitive(TEXT, CHOSEN, { oneOf: TITLED }),
  primitive(LIST, SEVERAL, { items: object({ type: TEXT, enum: STRINGS }) }),
  primitive(LIST, SEVERAL, { items: object({ anyOf: TITLED }) }),
);
const FORM = requested(ref("PrimitiveSchemaDefinition"), { $schema: STRING });
const FORM_MODE = { mode: { const: "form" } };
const URL = { mode: { const: "url" }, message: STRING, url: STRING };
const TASK = { task: ref("TaskMetadata") };
const CONTENT = { content: mapOf(anyOf(SCALAR, STRINGS)) };
const BY_MODE = whenMember(
  "mode",
  "url",
  ref("ElicitRequestURLParams"),
  ref("ElicitRequestFormParams"),
);

/** 2025-11-25: forms with choices and defaults; URLs to visit (SEP-1036, SEP-1330). */
export const ELICITATION_2025_11_25: Definitions = {
  PrimitiveSchemaDefinition: FIELD_2025_11_25,
  ElicitRequestFormParams: params(FORM, { ...FORM_MODE, ...TASK }),
  ElicitRequestURLParams: params({ ...URL, elicitationId: STRING }, TASK),
  ElicitRequestParams: BY_MODE,
  ElicitResult: result(ACTION, CONTENT),
  ElicitationCompleteNotificationParams: object({ elicitationId: STRING }),
  ElicitationsData: object({ elicitations: listOf(ref("ElicitRequestURLParams")) }),
};

/** 2026-07-28: requested through a result (SEP-2322). */
export const ELICITATION_2026_07_28: Definitions = {
  PrimitiveSchemaDefinition: FIELD_2025_11_25,
  ElicitRequestFormParams: object(FORM, FORM_MODE),
  ElicitRequestURLParams: object(URL),
  ElicitRequestParams: BY_MODE,
  ElicitResult: extend(object(ACTION), CONTENT),
};
