// The agent alone: the whole package, with its `fetch`, caches and mocks, takes three times as long to load.
// No map of exports bars the way to its files, and its version is pinned; types are those of the package.
declare module "undici/lib/dispatcher/agent.js" {
  export { Agent as default } from "undici";
}
