import type { resources } from "@opentelemetry/sdk-node";
import { writeAttribute } from "./attribute-bytes.ts";
import { ProtobufWriter } from "./protobuf.ts";

/** `ExportTraceServiceRequest` around spans of one scope (`trace_service.proto`, `trace.proto`). */
export function exportRequest(
  { attributes, schemaUrl }: Pick<resources.Resource, "attributes" | "schemaUrl">,
  scope: { readonly name: string; readonly version: string },
): (spans: Uint8Array) => Uint8Array {
  const writer = new ProtobufWriter();
  return (spans) => {
    const resourceSpans = writer.begin(1);
    const described = writer.begin(1);
    for (const [key, told] of Object.entries(attributes)) {
      writeAttribute(writer, 1, key, told);
    }
    writer.varint(2, 0);
    writer.end(described);
    const scopeSpans = writer.begin(2);
    const named = writer.begin(1);
    writer.string(1, scope.name);
    writer.string(2, scope.version);
    writer.end(named);
    writer.fields(spans);
    writer.end(scopeSpans);
    if (schemaUrl !== undefined && schemaUrl !== "") writer.string(3, schemaUrl);
    writer.end(resourceSpans);
    return writer.take();
  };
}
