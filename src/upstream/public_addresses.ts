/** Distinguishes public internet addresses from private ones. */

import { BlockList, isIPv4 } from "node:net";

/**
 * Whether an IP address belongs to the public internet: not to this machine, its networks, a
 * reserved range or a cloud's internal service.
 */
export function isPublic(address: string): boolean {
  if (isIPv4(address)) return !CLOSED.check(address, "ipv4");
  const groups = groupsOf(address);
  if (groups === undefined) return false;
  const embedded = embeddedIn(groups);
  if (embedded !== undefined) return isPublic(embedded);
  // In IPv6, only 2000::/3 is allocated (https://www.iana.org/assignments/ipv6-address-space).
  const [first = 0] = groups;
  return first >> 13 === 1 && !CLOSED.check(address, "ipv6");
}

/**
 * The address that identifies a client: its IPv4 address, or the first 64 bits of its IPv6 address,
 * because one client usually has all addresses of such a network.
 */
export function toCallerAddress(address: string): string {
  const groups = isIPv4(address) ? undefined : groupsOf(address);
  if (groups === undefined) return address;
  return embeddedIn(groups) ?? groups.slice(0, 4).map((group) => group.toString(16)).join(":");
}

/**
 * Addresses that are not public, according to IANA's special-purpose registries
 * (https://www.iana.org/assignments/iana-ipv4-special-registry and -ipv6-).
 */
const CLOSED_RANGES: readonly (readonly [network: string, prefix: number])[] = [
  ["0.0.0.0", 8], // unspecified, this network
  ["10.0.0.0", 8], // private
  ["100.64.0.0", 10], // carrier-grade NAT; 100.100.100.200 is Alibaba's metadata
  ["127.0.0.0", 8], // loopback
  ["168.63.129.16", 32], // Azure's platform, although the range is public
  ["169.254.0.0", 16], // link-local, with the metadata of most clouds
  ["172.16.0.0", 12], // private
  ["192.0.0.0", 24], // protocol assignments; 192.0.0.192 is Oracle's metadata
  ["192.0.2.0", 24], // documentation
  ["192.88.99.0", 24], // 6to4 relays of old
  ["192.168.0.0", 16], // private
  ["198.18.0.0", 15], // benchmarks
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved, broadcast
  ["2001::", 23], // protocol assignments, Teredo among them
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // 6to4: an IPv4 address behind a relay
  ["3fff::", 20], // documentation
];

const CLOSED = new BlockList();
for (const [network, prefix] of CLOSED_RANGES) {
  CLOSED.addSubnet(network, prefix, isIPv4(network) ? "ipv4" : "ipv6");
}

/**
 * The eight groups in an IPv6 address; undefined for other text, and for an address with a zone.
 */
function groupsOf(address: string): readonly number[] | undefined {
  // The URL parser normalizes every form of an address.
  const text = URL.parse(`http://[${address}]`)?.hostname.slice(1, -1);
  if (text === undefined) return undefined;
  const [head = [], tail = []] = text.split("::").map((half) =>
    half === "" ? [] : half.split(":").map((group) => parseInt(group, 16))
  );
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

/** IPv4 in IPv6: mapped (::ffff:0:0/96), and through NAT64 (64:ff9b::/96). */
const EMBEDDING = ["0,0,0,0,0,65535", "100,65435,0,0,0,0"];

function embeddedIn(groups: readonly number[]): string | undefined {
  if (!EMBEDDING.includes(groups.slice(0, 6).join())) return undefined;
  return groups.slice(6).flatMap((group) => [group >> 8, group & 0xff]).join(".");
}
