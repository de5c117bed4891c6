/** Hosts that bypass the proxy, and lookups of addresses that have been checked. */

import { BlockList, isIP, type TcpNetConnectOpts } from "node:net";

/**
 * Reads a list in the format of `NO_PROXY`: hosts with their subdomains, addresses, networks such
 * as `10.0.0.0/8`, or `*`, separated by commas.
 *
 * @returns a function that returns whether the list contains a URL's host
 */
export function toExcluded(list: string): (hostname: string) => boolean {
  const networks = new BlockList();
  const domains: string[] = [];
  for (const entry of list.split(",").map((text) => text.trim().toLowerCase())) {
    const [address = "", bits] = entry.replace(/^\[|\]$/g, "").split("/");
    const version = isIP(address);
    if (version !== 0) networks.addSubnet(address, toBits(bits, version), familyOf(version));
    else if (entry !== "") domains.push(entry.replace(/^\*?\.(?=.)/, ""));
  }
  return (hostname) => {
    const host = hostname.replace(/^\[|\]$/g, "");
    const version = isIP(host);
    return domains.includes("*") ||
      (version === 0
        ? domains.some((domain) => host === domain || host.endsWith(`.${domain}`))
        : networks.check(host, familyOf(version)));
  };
}

function familyOf(version: number): "ipv4" | "ipv6" {
  return version === 4 ? "ipv4" : "ipv6";
}

/** The length of a network's prefix; an address without one is a network of one host. */
function toBits(text: string | undefined, version: number): number {
  const most = version === 4 ? 32 : 128;
  const bits = Number(text ?? most);
  return Number.isInteger(bits) && bits >= 0 && bits <= most ? bits : most;
}

/** A lookup that returns these addresses for every host. */
export function pinnedTo(addresses: readonly string[]): NonNullable<TcpNetConnectOpts["lookup"]> {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, done) => {
    if (options.all) return done(null, all);
    const [first] = all;
    done(null, first?.address ?? "", first?.family);
  };
}
