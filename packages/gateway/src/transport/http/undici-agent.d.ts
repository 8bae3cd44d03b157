// The agent alone. The whole package, with its `fetch`, caches and mocks, takes three times as long to load. The
// package has no map of exports, so its files are reachable; its version is pinned; the types are the package's.
declare module "undici/lib/dispatcher/agent.js" {
  export { Agent as default } from "undici";
}
