import type { GatewayApi } from "../api/gateway.ts";

/** The props of a gateway page. */
export interface PageProps {
  readonly api: GatewayApi;
  /** The item that is open on the page. */
  readonly open: string | undefined;
  /** The parameters in the address. */
  readonly query: string;
}
