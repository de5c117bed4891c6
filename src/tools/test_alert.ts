/** `sluice alerts test`: sends one alert to the webhook of config.yaml. */

import { toMessage } from "../alerts/alerts.ts";
import { deliver, DeliveryError } from "../alerts/webhook.ts";
import type { AlertRules } from "../config/alerts.ts";
import { systemClock } from "../core/clock.ts";
import { newId } from "../core/ids.ts";
import { webhookFetch } from "../process/stores/alerts.ts";
import { StartError } from "../process/system/stdio.ts";

/**
 * Sends the alert once, as a gateway would.
 *
 * @returns the text to print
 * @throws {StartError} when there is no webhook, or it does not accept the alert.
 */
export async function sendTestAlert(alerts: AlertRules | undefined): Promise<string> {
  const webhook = alerts?.webhook;
  if (webhook === undefined) throw new StartError("config.yaml has no 'alerts.webhook'");
  const since = systemClock.wallTime();
  const text = "A test of the webhook of alerts";
  const content = { rule: "test", object: "", state: "test", text, since } as const;
  try {
    const deps = { clock: systemClock, fetch: webhookFetch(() => webhook) };
    const status = await deliver(toMessage(content, since, newId), webhook, deps);
    return `The webhook accepted the alert: status ${status}\n`;
  } catch (thrown) {
    if (!(thrown instanceof DeliveryError)) throw thrown;
    throw new StartError(`The alert was not delivered: ${thrown.message}`);
  }
}
