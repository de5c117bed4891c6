/** Examines where the gateway would listen: ports, Unix sockets and certificates. */

import { X509Certificate } from "node:crypto";
import { systemClock } from "../../core/clock.ts";
import { checkCertificate, type Endpoint, nameOf } from "../listener/endpoint.ts";
import { readFile, reasonOf } from "../system/files.ts";
import { StartError } from "../system/startup_error.ts";
import { type Finding, findingsOf } from "./finding.ts";

const DAY_MS = 86_400_000;
/** A certificate that is valid for less than this is worth a warning. */
const MIN_VALID_DAYS = 14;

const { ok, info, warn, fail } = findingsOf("listeners");

/**
 * Opens each port for a moment.
 *
 * @param isGateway whether a healthy gateway answers at the address of an endpoint
 */
export async function examineListeners(
  endpoints: readonly Endpoint[],
  isGateway: (endpoint: Endpoint) => Promise<boolean>,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const endpoint of endpoints) {
    findings.push(await examineEndpoint(endpoint, isGateway));
    if (endpoint.tls !== undefined) findings.push(examineCertificate(endpoint));
  }
  return findings;
}

async function examineEndpoint(
  endpoint: Endpoint,
  isGateway: (endpoint: Endpoint) => Promise<boolean>,
): Promise<Finding> {
  const name = nameOf(endpoint);
  const { address } = endpoint;
  if ("path" in address) return examineSocket(name, address.path);
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

function examineSocket(name: string, path: string): Finding {
  const folder = path.slice(0, path.lastIndexOf("/")) || (path.startsWith("/") ? "/" : ".");
  try {
    return Deno.statSync(folder).isDirectory
      ? info(name, `its folder ${folder} exists`)
      : fail(name, `${folder} is not a folder`);
  } catch (thrown) {
    return fail(name, `its folder ${folder} cannot be used: ${reasonOf(thrown)}`);
  }
}

function examineCertificate(endpoint: Endpoint): Finding {
  const name = endpoint.tls?.cert ?? "";
  try {
    checkCertificate(endpoint);
    const { validToDate, subject, subjectAltName } = new X509Certificate(readFile(name));
    const days = Math.floor((validToDate.getTime() - systemClock.wallTime()) / DAY_MS);
    const names = subjectAltName ?? subject;
    if (days < 0) return fail(name, `has expired ${-days} days ago (${names})`);
    const text = `is valid for ${days} days (${names})`;
    return days < MIN_VALID_DAYS ? warn(name, text) : ok(name, text);
  } catch (thrown) {
    return fail(name, thrown instanceof StartError ? thrown.message : reasonOf(thrown));
  }
}
