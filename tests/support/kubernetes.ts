/** Checks Kubernetes manifests against the published schemas, without a cluster. */

import { Deployment } from "kubernetes-models/apps/v1";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2";
import { Ingress, NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1";
import {
  ConfigMap,
  Namespace,
  PersistentVolumeClaim,
  Secret,
  Service,
  ServiceAccount,
} from "kubernetes-models/v1";
import { ServiceMonitor } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1";

/** A kind with its compiled schema. */
interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
  new (manifest: never): { validate(): void };
}

const KINDS: readonly Kind[] = [
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  Namespace,
  NetworkPolicy,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  Secret,
  Service,
  ServiceAccount,
  ServiceMonitor,
];

/** What is wrong with a manifest: errors of its schema, and members that the schema lacks. */
export function faultsOf(manifest: Readonly<Record<string, unknown>>): string[] {
  const { apiVersion, kind } = manifest;
  const Known = KINDS.find((known) => known.apiVersion === apiVersion && known.kind === kind);
  if (Known === undefined) return [`There is no schema of ${apiVersion} ${kind}`];
  const unread = new Set<string>();
  try {
    const model = new Known(manifest as never);
    model.validate.call(track(model, "", unread) as typeof model);
  } catch (thrown) {
    return [thrown instanceof Error ? thrown.message : String(thrown)];
  }
  return [...unread].map((path) => `${path} is unknown`);
}

/**
 * Follows which members a validator reads: it asks for every member that its schema has, and for
 * all of a map.
 *
 * @param unread receives the paths of the members, and loses those that are read
 */
function track(value: unknown, path: string, unread: Set<string>): unknown {
  if (typeof value !== "object" || value === null) return value;
  const known = new Map<PropertyKey, unknown>();
  if (!Array.isArray(value)) {
    for (const name of Object.keys(value)) unread.add(`${path}/${name}`);
  }
  return new Proxy(value, {
    get(target, name) {
      const inner = Reflect.get(target, name);
      if (typeof name === "symbol" || !Object.hasOwn(target, name)) return inner;
      unread.delete(`${path}/${name}`);
      if (!known.has(name)) known.set(name, track(inner, `${path}/${name}`, unread));
      return known.get(name);
    },
  });
}
