/** Loopback addresses. */

/** Whether only this machine can connect to an address: a host name or an IP address. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(hostname);
}
