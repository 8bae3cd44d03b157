import { _, type Code, type KeywordCxt, Name } from "ajv";

const INSTANCE_PATH = new Name("instancePath");

/** Generated code for the RFC 6901 pointer to the value that a keyword looks at. */
export function instancePath(cxt: KeywordCxt): Code {
  return _`${INSTANCE_PATH} + ${cxt.it.errorPath}`;
}
