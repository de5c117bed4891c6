/** Finds the machine's credentials for providers without keys, and its metadata services. */

import type {
  AmbientCredentials,
  AmbientResult,
  AmbientSearch,
} from "../../config/disabled_providers.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Cloud } from "../../contract/adapter.ts";
import { describeAws } from "./aws/ambient.ts";
import { AWS_VARIABLES } from "./aws/find_source.ts";
import { instanceRole } from "./aws/local_services.ts";
import {
  AZURE_LABELS,
  AZURE_VARIABLES,
  findAzureSource,
  hasInstanceIdentity,
} from "./azure/ambient.ts";
import { findGoogleSource, GOOGLE_VARIABLES, labelOf, projectOf } from "./google/ambient.ts";
import { askMetadata, machineProject } from "./google/token.ts";
import { faultIn, type NetworkDeps, PROBE_TIMEOUT_MS } from "./service_request.ts";

/** Looks up variables and files. */
export interface AmbientSources {
  readonly env: (name: string) => string | undefined;
  /** Reads a file as text. Throws when it cannot be read. */
  readonly readFile: (path: string) => string;
}

/** A metadata service that would provide a provider's credentials. */
export interface MetadataService {
  readonly cloud: Cloud;
  /** A description for the operator, such as `Google metadata server`. */
  readonly label: string;
  readonly address: string;
  /** Whether it exists and has credentials. The check takes at most a few seconds. */
  readonly probe: (deps: NetworkDeps) => Promise<MetadataFacts | boolean>;
}

/** The facts from an existing metadata service, apart from credentials. */
export interface MetadataFacts {
  readonly project?: string | undefined;
}

/**
 * Whether a metadata service exists, or its facts; undefined while this is unknown. Called for each
 * service on which a provider depends as its last source.
 */
export type HasMetadata = (service: MetadataService) => MetadataFacts | boolean | undefined;

/** The result of a search: a description, and the required service. */
interface Found {
  readonly label: string;
  readonly service?: MetadataService;
  /** The project named by the source or the environment. */
  readonly project?: string | undefined;
}

/**
 * Finds the machine's credentials for one provider.
 *
 * @returns the credentials, even if it is unknown whether their metadata service exists
 */
export function findAmbient(
  { cloud, options, hasCredentials, needsProject = false, namesKeys = false }: AmbientSearch,
  sources: AmbientSources,
  hasMetadata: HasMetadata,
): AmbientResult {
  const { find, hasIdentity, name, variables } = CLOUDS[cloud];
  const values = variables.flatMap((variable) => {
    const value = sources.env(variable);
    return value === undefined ? [] : [[variable, value] as const];
  });
  const result = (source: string | undefined, project?: string): AmbientCredentials => ({
    source,
    variables: new Map(values),
    ...(project !== undefined && { project }),
  });
  const isConfigured = hasCredentials || options.credentials !== undefined;
  if (isConfigured && !needsProject) return result(undefined);
  if (namesKeys && !hasIdentity(sources.env)) return undefined;
  let found: Found | undefined;
  try {
    found = find({ options, sources, needsProject });
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    return { reason: faultIn(thrown), publicReason: `the ${name} credentials are unusable` };
  }
  const facts = found?.service === undefined || hasMetadata(found.service);
  if (found === undefined || facts === false) {
    const reason = `no ${name} credentials on the machine`;
    return { reason, publicReason: reason };
  }
  const { label, project = typeof facts === "object" ? facts.project : undefined } = found;
  if (facts === undefined) {
    const unknown = needsProject ? "" : undefined;
    return { ...result(`${label}, if available`, project ?? unknown), isUnconfirmed: true };
  }
  if (!needsProject) return result(label);
  if (project === undefined) {
    const publicReason = `no 'project', and the ${name} credentials contain none`;
    return { reason: `${publicReason} (${label})`, publicReason };
  }
  return result(isConfigured ? undefined : `${label}, project ${project}`, project);
}

interface Search {
  readonly needsProject: boolean;
  readonly options: AmbientSearch["options"];
  readonly sources: AmbientSources;
}

/** The search for each cloud's credentials. */
const CLOUDS: Readonly<
  Record<Cloud, {
    readonly name: string;
    readonly variables: readonly string[];
    /** @throws {GatewayError} for a source that is selected but cannot be used */
    readonly find: (search: Search) => Found | undefined;
    /**
     * Whether the platform provides credentials to this container or app, according to its
     * variables.
     */
    readonly hasIdentity: (env: AmbientSources["env"]) => boolean;
  }>
> = {
  aws: {
    ...{ name: "AWS", variables: AWS_VARIABLES, find: findAws },
    hasIdentity: namesAny(
      "AWS_WEB_IDENTITY_TOKEN_FILE",
      "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
      "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    ),
  },
  google: {
    // An external account may be an AWS account.
    ...{ name: "Google", variables: [...GOOGLE_VARIABLES, ...AWS_VARIABLES], find: findGoogle },
    // Its variable does not identify the Google API that the credentials are for.
    hasIdentity: () => false,
  },
  azure: {
    ...{ name: "Azure", variables: AZURE_VARIABLES, find: findAzure },
    hasIdentity: namesAny("AZURE_FEDERATED_TOKEN_FILE", "IDENTITY_ENDPOINT"),
  },
};

/** The variables that each cloud's credentials may depend on. Exported for tests. */
export const AMBIENT_VARIABLES: Readonly<Record<Cloud, readonly string[]>> = {
  aws: CLOUDS.aws.variables,
  google: CLOUDS.google.variables,
  azure: CLOUDS.azure.variables,
};

function namesAny(...names: readonly string[]): (env: AmbientSources["env"]) => boolean {
  return (env) => names.some((name) => env(name) !== undefined);
}

function findAws({ options, sources }: Search): Found | undefined {
  const found = describeAws(options, sources);
  if (found === undefined || found.source.type !== "instance") return found;
  const { source, label } = found;
  return {
    label,
    service: {
      ...{ cloud: "aws", label },
      address: source.endpoint,
      probe: (deps) => succeeds(instanceRole(source, deps, PROBE_TIMEOUT_MS)),
    },
  };
}

function findGoogle({ options, sources, needsProject }: Search): Found | undefined {
  const source = findGoogleSource(options.credentials, sources);
  if (source === undefined) return undefined;
  const isConfigured = options.credentials !== undefined;
  const found = {
    label: labelOf(source, sources.readFile),
    project: needsProject ? projectOf(source, { ...sources, isConfigured }) : undefined,
  };
  if (source.type !== "metadata") return found;
  const { host } = source;
  return {
    ...found,
    service: {
      ...{ cloud: "google", label: found.label },
      address: host,
      probe: (deps) => probeGoogle(host, deps),
    },
  };
}

async function probeGoogle(host: string, deps: NetworkDeps): Promise<MetadataFacts | boolean> {
  if (!await succeeds(askMetadata(host, "email", deps, PROBE_TIMEOUT_MS))) return false;
  try {
    return { project: await machineProject(host, deps) };
  } catch (thrown) {
    // Providers that set their project do not need it.
    if (thrown instanceof GatewayError) return true;
    throw thrown;
  }
}

function findAzure({ options, sources: { env } }: Search): Found {
  const { type } = findAzureSource({ options, env });
  const label = AZURE_LABELS[type];
  if (type !== "instance") return { label };
  return {
    label,
    service: {
      ...{ cloud: "azure", label },
      address: env("AZURE_POD_IDENTITY_AUTHORITY_HOST") ?? "",
      probe: (deps) => hasInstanceIdentity(env, deps).catch(() => false),
    },
  };
}

async function succeeds(request: Promise<unknown>): Promise<boolean> {
  try {
    await request;
    return true;
  } catch (thrown) {
    if (thrown instanceof GatewayError) return false;
    throw thrown;
  }
}
