import * as official from "@opentelemetry/semantic-conventions/incubating";
import { describe, expect, it } from "vitest";
import { ATTRIBUTES, KNOWN_METHODS } from "./conventions.ts";
import { METRICS, prometheusName } from "./metrics.ts";

describe("the attribute names", () => {
  it("are those of OpenTelemetry's own package", () => {
    const { server, decision, outcome, direction, activityRequest, status, ...theirs } = ATTRIBUTES;
    expect(theirs).toEqual({
      caller: official.ATTR_ENDUSER_ID,
      method: official.ATTR_MCP_METHOD_NAME,
      protocolVersion: official.ATTR_MCP_PROTOCOL_VERSION,
      resourceUri: official.ATTR_MCP_RESOURCE_URI,
      sessionId: official.ATTR_MCP_SESSION_ID,
      toolName: official.ATTR_GEN_AI_TOOL_NAME,
      promptName: official.ATTR_GEN_AI_PROMPT_NAME,
      operationName: official.ATTR_GEN_AI_OPERATION_NAME,
      requestId: official.ATTR_JSONRPC_REQUEST_ID,
      statusCode: official.ATTR_RPC_RESPONSE_STATUS_CODE,
      errorType: official.ATTR_ERROR_TYPE,
      transport: official.ATTR_NETWORK_TRANSPORT,
      protocolName: official.ATTR_NETWORK_PROTOCOL_NAME,
      serverAddress: official.ATTR_SERVER_ADDRESS,
      serverPort: official.ATTR_SERVER_PORT,
    });
    const { serverOperation, clientOperation } = METRICS;
    expect([serverOperation.name, serverOperation.unit]).toEqual([
      official.METRIC_MCP_SERVER_OPERATION_DURATION,
      "s",
    ]);
    expect([clientOperation.name, clientOperation.unit]).toEqual([
      official.METRIC_MCP_CLIENT_OPERATION_DURATION,
      "s",
    ]);
  });

  it("use the prefix touchstone for our own attributes", () => {
    const { server, decision, outcome, direction, activityRequest, status } = ATTRIBUTES;
    for (const name of [server, decision, outcome, direction, activityRequest, status]) {
      expect(name).toMatch(/^touchstone\.[a-z_.]+$/);
    }
  });

  it("cover every method of the conventions", () => {
    const values = Object.entries(official)
      .filter(([name]) => name.startsWith("MCP_METHOD_NAME_VALUE_"))
      .map(([, value]) => String(value));
    expect(values.length).toBeGreaterThan(20);
    expect(values.filter((method) => !KNOWN_METHODS.has(method))).toEqual([]);
  });

  it("use the recommended histogram buckets", () => {
    const buckets = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
    expect(METRICS.serverOperation.buckets).toEqual(buckets);
    expect(METRICS.clientOperation.buckets).toEqual(buckets);
  });
});

it("metrics have these Prometheus names and labels", () => {
  const names = Object.values(METRICS).map((metric) => [
    prometheusName(metric),
    metric.labels.length > 9 ? "operation" : metric.labels.join(),
  ]);
  expect(Object.fromEntries(names)).toEqual({
    mcp_client_operation_duration_seconds: "operation",
    mcp_server_operation_duration_seconds: "operation",
    touchstone_activity_append_duration_seconds: "",
    touchstone_alerts_total: "when,outcome",
    touchstone_guard_trips_total: "direction,guard",
    touchstone_repeated_refusals_total: "",
    touchstone_schema_cache_entries: "",
    touchstone_schema_compile_duration_seconds: "",
    touchstone_telemetry_dropped_total: "",
    touchstone_validation_duration_seconds: "direction",
    touchstone_validations_total: "direction,mode,outcome,decision,rule",
  });
});
