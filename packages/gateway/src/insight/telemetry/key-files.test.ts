import { expect, it } from "vitest";
import { unreadableKeyFiles } from "./key-files.ts";

it("names the variable and the file that cannot be read", () => {
  const env = {
    OTEL_EXPORTER_OTLP_CERTIFICATE: "/nowhere/ca.pem",
    OTEL_EXPORTER_OTLP_METRICS_CLIENT_KEY: " ./none.key ",
    OTEL_EXPORTER_OTLP_CLIENT_KEY: import.meta.filename,
    OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: "",
  };
  expect(unreadableKeyFiles(env)).toEqual([
    expect.stringMatching(
      /^OTEL_EXPORTER_OTLP_CERTIFICATE is left out: ENOENT.*'\/nowhere\/ca\.pem'/,
    ),
    expect.stringMatching(/^OTEL_EXPORTER_OTLP_METRICS_CLIENT_KEY is left out: ENOENT.*none\.key/),
  ]);
});
