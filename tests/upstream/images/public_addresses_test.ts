import { assertEquals } from "@std/assert";
import { isPublic } from "../../../src/upstream/public_addresses.ts";

const CLOSED: Readonly<Record<string, readonly string[]>> = {
  "the unspecified address": ["0.0.0.0", "0.255.255.255", "::", "0:0:0:0:0:0:0:0"],
  "loopback": ["127.0.0.1", "127.255.255.254", "::1"],
  "private networks": [
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "fc00::1",
    "fd12:3456:789a::1",
    "fec0::1",
  ],
  "carrier-grade NAT": ["100.64.0.1", "100.127.255.255"],
  "link-local": ["169.254.0.1", "fe80::1", "febf::1", "fe80::1%eth0"],
  "metadata of clouds": [
    "169.254.169.254",
    "169.254.170.2",
    "100.100.100.200",
    "192.0.0.192",
    "168.63.129.16",
    "fd00:ec2::254",
    "fd20:ce::254",
  ],
  "multicast and broadcast": ["224.0.0.1", "239.255.255.255", "255.255.255.255", "ff02::1"],
  "what is reserved or for documents": [
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "240.0.0.1",
    "2001:db8::1",
    "3fff::1",
    "100::1",
    "5f00::1",
    "4000::1",
  ],
  "IPv4 mapped into IPv6": [
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::FFFF:10.0.0.1",
    "0:0:0:0:0:ffff:a9fe:a9fe",
  ],
  "IPv4 behind NAT64": ["64:ff9b::7f00:1", "64:ff9b::169.254.169.254", "64:ff9b:1::8.8.8.8"],
  "other ways to IPv4": [
    "::127.0.0.1",
    "::ffff:0:8.8.8.8",
    "2002:7f00:1::",
    "2001:0:7f00:1::",
  ],
  "what is no address": ["", "localhost", "1.2.3", "0x7f.0.0.1", "::1]:80/[", "1:2:3:4:5:6:7:8:9"],
};

for (const [what, addresses] of Object.entries(CLOSED)) {
  Deno.test(`isPublic() says no to ${what}`, () => {
    assertEquals(addresses.filter(isPublic), []);
  });
}

Deno.test("isPublic() accepts public addresses, up to the limits of private ranges", () => {
  const open = [
    "1.0.0.0",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "168.63.129.15",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2003::1",
    "2606:4700::1111",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
  ];
  assertEquals(open.filter((address) => !isPublic(address)), []);
});
