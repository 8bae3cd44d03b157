import type { ProtobufWriter } from "./protobuf.ts";

/** Fields of OTLP's messages (`opentelemetry/proto/common/v1/common.proto`). */
const KEY_VALUE = { key: 1, value: 2 } as const;
const ANY_VALUE = { string: 1, bool: 2, int: 3, double: 4 } as const;

/** Writes one attribute: text, a number or a boolean. */
export function writeAttribute(
  writer: ProtobufWriter,
  field: number,
  key: string,
  value: unknown,
): void {
  const start = writer.begin(field);
  writer.string(KEY_VALUE.key, key);
  const inner = writer.begin(KEY_VALUE.value);
  if (typeof value === "string") writer.string(ANY_VALUE.string, value);
  else if (typeof value === "boolean") writer.varint(ANY_VALUE.bool, value ? 1 : 0);
  else if (Number.isSafeInteger(value)) writer.int64(ANY_VALUE.int, value as number);
  else if (typeof value === "number") writer.double(ANY_VALUE.double, value);
  writer.end(inner);
  writer.end(start);
}
