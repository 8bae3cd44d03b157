// Only the agent is imported. The whole package, with its `fetch`, caches and mocks, takes three times as long to
// load. The package has no `exports` map, so its files can be imported; its version is pinned; the types are those of
// the package.
declare module "undici/lib/dispatcher/agent.js" {
  export { Agent as default } from "undici";
}
