/** Examines the endpoints of the gateway: ports, Unix sockets and certificates. */

import { counted } from "../../core/text.ts";
import { X509Certificate } from "node:crypto";
import { systemClock } from "../../core/clock.ts";
import {
  checkCertificate,
  type Endpoint,
  findSocketFault,
  MIN_VALID_DAYS,
  nameOf,
} from "../../process/listener/endpoint.ts";
import { readFile, reasonOf } from "../../process/system/files.ts";
import { type Finding, findingsOf } from "./system.ts";
import { StartError } from "../../process/system/stdio.ts";

const DAY_MS = 86_400_000;

const { ok, info, warn, fail } = findingsOf("listeners");

/**
 * Opens each port briefly. Faults that prevent startup are reported elsewhere.
 *
 * @param isGateway whether a healthy gateway answers at the address of an endpoint
 */
export async function examineListeners(
  endpoints: readonly Endpoint[],
  isGateway: (endpoint: Endpoint) => Promise<boolean>,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const endpoint of endpoints) {
    const finding = await examineEndpoint(endpoint, isGateway);
    if (finding !== undefined) findings.push(finding);
    if (endpoint.tls !== undefined && hasCertificate(endpoint)) {
      findings.push(examineCertificate(endpoint));
    }
  }
  return findings;
}

async function examineEndpoint(
  endpoint: Endpoint,
  isGateway: (endpoint: Endpoint) => Promise<boolean>,
): Promise<Finding | undefined> {
  const name = nameOf(endpoint);
  const { address } = endpoint;
  if ("path" in address) {
    return findSocketFault(endpoint) === undefined ? info(name, "its folder exists") : undefined;
  }
  try {
    Deno.listen(address).close();
    return ok(name, address.port === 0 ? "any free port" : "is free");
  } catch (thrown) {
    if (thrown instanceof Deno.errors.AddrInUse) {
      return await isGateway(endpoint)
        ? ok(name, "a healthy gateway answers there")
        : fail(name, "another process uses it");
    }
    return fail(name, `cannot be used: ${reasonOf(thrown)}`);
  }
}

/** Whether the files can be used; otherwise the gateway does not start. */
function hasCertificate(endpoint: Endpoint): boolean {
  try {
    checkCertificate(endpoint);
    return true;
  } catch (thrown) {
    if (thrown instanceof StartError) return false;
    throw thrown;
  }
}

function examineCertificate({ tls }: Endpoint): Finding {
  const name = tls?.cert ?? "";
  const { ca, validToDate, subject, subjectAltName } = new X509Certificate(readFile(name));
  const days = Math.floor((validToDate.getTime() - systemClock.wallTime()) / DAY_MS);
  const names = subjectAltName ?? subject;
  if (days < 0) return fail(name, `has expired ${counted(-days, "day")} ago (${names})`);
  const text = `is valid for ${counted(days, "day")} (${names})`;
  if (ca) {
    return warn(
      name,
      `${text}, but is that of a CA (CA:TRUE), which many clients refuse: use one of a server`,
    );
  }
  return days < MIN_VALID_DAYS ? warn(name, text) : ok(name, text);
}
