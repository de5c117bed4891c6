/** The hosts of AWS's services. */

/** https://docs.aws.amazon.com/general/latest/gr/bedrock.html (2026-11-20), and the SDKs' partitions. */
const DOMAINS = new Map([
  ["cn", "amazonaws.com.cn"],
  ["eusc", "amazonaws.eu"],
  ["us-iso", "c2s.ic.gov"],
  ["us-isob", "sc2s.sgov.gov"],
  ["us-isof", "csp.hci.ic.gov"],
  ["eu-isoe", "cloud.adc-e.uk"],
]);

/** The base URL of a service such as `bedrock-runtime` in a region. */
export function awsHost(service: string, region: string): string {
  const [first = "", second = ""] = region.split("-");
  const domain = DOMAINS.get(first) ?? DOMAINS.get(`${first}-${second}`) ?? "amazonaws.com";
  return `https://${service}.${region}.${domain}`;
}
