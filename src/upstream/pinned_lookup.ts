/** Connects to addresses that were looked up and checked before. */

import { isIP, type TcpNetConnectOpts } from "node:net";

/** A lookup that returns these addresses for every host. */
export function pinnedTo(addresses: readonly string[]): NonNullable<TcpNetConnectOpts["lookup"]> {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, done) => {
    if (options.all) return done(null, all);
    const [first] = all;
    done(null, first?.address ?? "", first?.family);
  };
}
