/** What stands at `/metrics` where nothing asks for metrics: how to ask for them. */
export async function noMetrics(): Promise<Response> {
  const error =
    "There are no metrics: set telemetry.metrics to true in the configuration, and start the gateway again.";
  const headers = { "cache-control": "no-store", "x-content-type-options": "nosniff" };
  return Response.json({ error, code: "NOT_FOUND" }, { status: 404, headers });
}
