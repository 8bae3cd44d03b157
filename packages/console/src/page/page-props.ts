import type { GatewayApi } from "../api/gateway.ts";

/** What a page of a gateway is given. */
export interface PageProps {
  readonly api: GatewayApi;
  /** What is open on it. */
  readonly open: string | undefined;
  /** The address's parameters. */
  readonly query: string;
}
