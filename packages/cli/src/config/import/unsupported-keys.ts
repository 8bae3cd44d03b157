/** Keys that do not affect calls: settings for display, search, logs and updates of mcpproxy. */
export const IRRELEVANT_KEYS: ReadonlySet<string> = new Set(
  (
    "tray_endpoint enable_socket enable_tray debug_search top_k tools_limit tool_response_limit " +
    "max_result_size_chars toon_output toon_min_savings_pct logging check_server_repo registries " +
    "registries_locked allow_private_registry_fetch features tokenizer update_check instructions " +
    "tool_response_mode direct_tool_response_mode routing_mode enable_prompts profiles telemetry " +
    "aggregate_upstream_prompts oauth_expiry_warning_hours observability intent_declaration " +
    "activity_cleanup_interval_min tool_call_max_response_size tool_call_max_records_per_server " +
    "health_check_interval tool_discovery_interval init_timeout enable_code_execution " +
    "code_execution_timeout_ms code_execution_max_tool_calls code_execution_pool_size " +
    "code_execution_max_parallel tool_response_session_risk_warning docker_recovery"
  ).split(" "),
);

/** Why a key that affects calls is not imported. */
export const SKIPPED_KEYS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    data_dir: "records start empty; name a directory with --data-dir",
    docker_isolation:
      "servers run as they are, without a container: put docker run into the command",
    environment: "children get a safe part of the environment and their own env",
    forward_proxy_env: "set HTTP_PROXY and the like in the env of each server that needs them",
    max_concurrent_requests:
      "there is no limit across servers; limits.concurrent_calls applies to each server",
    queue_size: "calls beyond a limit are refused at once, not queued",
    queue_timeout: "calls beyond a limit are refused at once, not queued",
    output_sanitisation:
      "payloads are checked, and changed only by settings that you turn on, such as input_validation.repair",
    sensitive_data_detection:
      "records keep arguments of failed calls, with known secrets redacted; activity.bodies changes that",
    tls: "use a reverse proxy for TLS; name it under listen.allowed_hosts",
    trusted_proxies: "no X-Forwarded-… header is read",
    audit_log: "the records are the audit log; activity export writes them elsewhere",
    quarantine_enabled:
      "set pin to strict: a tool whose definition has changed is held until you approve it",
    read_only_mode: "Touchstone has no tools for management; http.allow_execute is off by default",
    disable_management: "Touchstone has no tools for management",
    allow_server_add: "servers are added in the file",
    allow_server_remove: "servers are removed in the file",
  }),
);
