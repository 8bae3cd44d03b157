/**
 * Returns the URL of a provider's pages on the gateway, which browsers navigate to.
 * @param gateway the gateway's URL, with a trailing slash
 * @param rest what follows the provider's name
 */
export function providerUrl(gateway: string, provider: string, rest: string): string {
  return `${gateway}api/v1/sign-in/oidc/${encodeURIComponent(provider)}${rest}`;
}
